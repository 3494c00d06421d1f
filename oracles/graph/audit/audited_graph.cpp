// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/audited_graph.h"

#include <algorithm>
#include <cmath>

#include "core/graph/graph_parts.h"
#include "oracles/graph/audit/part_at_rest.h"
#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/blocks/blocks.h"
#include "oracles/graph/segments/strips.h"

namespace gradproof {

AuditedGraph::AuditedGraph(const GraphClaim& claim, const Tensors& inputs)
    : claim_(claim),
      inputs_(inputs),
      cut_(block_axis(claim.graph, claim.extents)),
      strips_(most_strips_of(claim, cut_)),
      strip_(strips_ == 1 ? claim : strip_of(claim, strips_)),
      plan_(strip_.plan(1)),
      moved_(plan_) {
  const std::int64_t whole = cut_.empty() ? 1 : claim.extents.at(cut_);
  for (std::int64_t k = 0; k < whole; ++k)
    for (std::int64_t strip = 0; strip < strips_; ++strip)
      parts_.emplace_back().block = {cut_, {k, 1, whole, strip, strips_}, 1};
  for (std::size_t k = 0; k < plan_.steps.size(); ++k) elements_ += elements_of(k);
  for (const AuditArithmetic of : {AuditArithmetic::double_double, AuditArithmetic::triple_double})
    at_rest_[static_cast<std::size_t>(of)] = std::make_unique<PartsAtRest>(*this, of);
}

AuditedGraph::~AuditedGraph() = default;

bool AuditedGraph::is_cut(std::size_t tensor) const {
  return is_cut() && has_name(claim_.graph.tensors[tensor].axes, cut_);
}

bool AuditedGraph::is_in_strips(std::size_t tensor) const {
  return strips_ > 1 && !claim_.graph.tensors[tensor].axes.empty();
}

double AuditedGraph::elements_of(std::size_t step) const {
  const PlanStep& s = plan_.steps[step];
  const auto count = static_cast<double>(plan_.values[static_cast<std::size_t>(s.value)].count);
  if (s.row->form == StageForm::contracts) return count * static_cast<double>(s.products[0].length);
  return std::max(count, static_cast<double>(s.space));
}

bool AuditedGraph::is_finite(std::int64_t part) const {
  Part& own = at(part);
  std::call_once(own.read, [&] {
    const PackedNumbers packed(plan_, inputs_, own.block);
    const BlockNumbers numbers = packed.view();
    own.finite = true;
    const auto take = [&](const double* from, int value) {
      const std::int64_t count = plan_.values[static_cast<std::size_t>(value)].count;
      if (from != nullptr)
        own.finite = own.finite && std::all_of(from, from + count,
                                               [](double number) { return std::isfinite(number); });
    };
    for (std::size_t k = 0; k < numbers.tensors.size(); ++k)
      take(numbers.tensors[k], static_cast<int>(k));
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k)
      take(numbers.cotangents[k], plan_.outputs[k]);
  });
  return own.finite;
}

std::size_t AuditedGraph::input_of_function(std::size_t tensor) const {
  std::size_t before = 0;
  for (std::size_t k = 0; k < tensor; ++k)
    if (has_gradient(claim_.graph.tensors[k].part)) ++before;
  return before;
}

std::int64_t AuditedGraph::entry_of(std::size_t value, std::int64_t part,
                                    std::size_t position) const {
  const PlanValue& of = plan_.values[value];
  const auto local = static_cast<std::int64_t>(position);
  const BlockLines lines = lines_of(of, block(part).block);
  return lines.first + local / lines.counts.of_line * lines.stride + local % lines.counts.of_line;
}

}  // namespace gradproof
