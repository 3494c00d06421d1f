// SPDX-License-Identifier: Apache-2.0
#include "judge/explain_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/case/law_key.h"
#include "core/error.h"
#include "core/graph/graph_case.h"
#include "judge/element_choice.h"
#include "judge/explain_witnesses.h"
#include "judge/graph/explain_graph.h"
#include "judge/records.h"
#include "judge/tensor_records.h"

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The largest number of elements of a unit that are counted.
constexpr std::int64_t kCounted = std::int64_t{1} << 20;

/// Compares the elements in the neighbourhood of an element with their truths.
class Neighbourhood {
 public:
  Neighbourhood(const CaseRun& run, const std::optional<GivenStatistics>& given, std::string tensor)
      : run_(run), given_(given), tensor_(std::move(tensor)) {}

  std::vector<Comparand> around(std::int64_t index, std::int64_t reach) const {
    const std::vector<std::int64_t> indices = neighbours_of(run_.claim, tensor_, index, reach);
    const std::vector<Truth> truths =
        truths_of(closeup_of(run_.claim, run_.inputs, given_, tensor_, indices), tensor_);
    const Tensor& got = get(run_.judged.tensors, tensor_);
    std::vector<Comparand> all;
    for (std::size_t i = 0; i < indices.size(); ++i)
      all.push_back({indices[i], got.at(indices[i]), truths[i]});
    return all;
  }

 private:
  const CaseRun& run_;
  const std::optional<GivenStatistics>& given_;
  std::string tensor_;
};

void add_neighbours(ElementFacts& facts, const CaseRun& run,
                    const std::optional<GivenStatistics>& given, const ChosenElement& chosen) {
  const Neighbourhood near(run, given, chosen.tensor);
  facts.neighbours = near.around(chosen.index, kNeighbours);
  const TensorSpec& spec = run.claim.tensor(chosen.tensor);
  facts.where = run.claim.is_matrix(spec) ? facts.explanation.unit : "the tensor";
  const std::vector<Comparand> unit = near.around(chosen.index, kCounted);
  facts.unit_size = static_cast<std::int64_t>(unit.size());
  facts.unit_bad = std::count_if(unit.begin(), unit.end(),
                                 [](const Comparand& near_by) { return near_by.ratio() > 1; });
}

}  // namespace

double Comparand::error() const {
  if (std::isfinite(truth.hi) && std::isfinite(got)) return std::abs((got - truth.hi) - truth.lo);
  return class_of(got) == class_of(truth.hi) ? 0 : kInfinity;
}

double Comparand::ratio() const {
  if (!std::isfinite(truth.hi) || !std::isfinite(got)) return truth.any_nonfinite ? 0 : error();
  if (error() == 0 || std::isinf(truth.bound)) return 0;
  return truth.bound > 0 ? error() / truth.bound : kInfinity;
}

ElementFacts element_facts(const Systems& systems, const Case& c, const std::string& element) {
  parse_element(element);
  refuse_law(c, "elements");
  if (is_graph_case(c)) return graph_element_facts(systems, c, element);
  const CaseRun run = run_case(systems, c);
  if (!run.findings().empty())
    throw UsageError(fmt::format("'{}' left nothing to explain: {}: {}", to_string(c),
                                 run.findings().front().kind, run.findings().front().text));
  const std::vector<Record> records =
      tensor_records(run, compare_run(run), cross_check(run.claim, run.inputs, seed_of(c)),
                     blank_record(c), Detail::of_all);
  std::vector<Record> bounded;
  for (const Record& record : records)
    if (run.claim.tensor(record.tensor).dtype != DType::i64) bounded.push_back(record);
  const ChosenElement chosen = chosen_element(c, bounded, element, [&](const std::string& tensor) {
    return systems.tensor_name(c, tensor);
  });
  const TensorSpec& spec = run.claim.tensor(chosen.tensor);
  std::optional<GivenStatistics> given;
  if (spec.role == Role::gradient) given = given_statistics(run.claim, run.judged.tensors);
  ElementFacts facts{.c = c,
                     .formula = c.schema().summary,
                     .pipeline = to_string(run.claim.graph),
                     .record = chosen.record};
  facts.explanation = explain_element(run.claim, run.inputs, given, chosen.tensor, chosen.index);
  facts.element = {chosen.index, get(run.judged.tensors, chosen.tensor).at(chosen.index),
                   facts.explanation.stored_truth};
  add_neighbours(facts, run, given, chosen);
  facts.libtorch = libtorch_answer(run, chosen.tensor, chosen.index);
  facts.saved = saved_statistics(run, chosen.tensor, chosen.index);
  facts.schedule = systems.pair_of(c) != nullptr ? "not run: a library's product promises no bits"
                                                 : other_schedule_text(run, chosen.tensor);
  return facts;
}

}  // namespace gradproof
