// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/judge_graph.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "oracles/graph/block_judge.h"

namespace gradproof {
namespace {

double as_double(double v) { return v; }
double as_float(double v) { return static_cast<double>(static_cast<float>(v)); }

/// About as many elements of the widest value as one block has.
constexpr std::int64_t kBlockElements = 8192;

/// One judged tensor: a comparison that threads add to.
struct Target {
  std::string name;
  Shape shape;
  Comparison comparison;
  std::int64_t escalated = 0;
};

template <class F>
class Judging {
 public:
  Judging(const GraphClaim& claim, const Tensors& inputs, const Tensors& got)
      : claim_(claim),
        inputs_(inputs),
        got_(got),
        cut_(block_axis(claim.graph, claim.extents)),
        setting_{claim.contract, stored_between(claim.contract)},
        arithmetic_(claim.contract, setting_.between),
        rounding_(stored_type_of(claim.contract.storage, claim.contract.accumulation),
                  claim.longest_chain(), claim.contract.accumulation),
        lanes_(graph_tier(setting_)->lanes()) {
    for (const std::string& output : claim.graph.outputs) add_target(output, output);
    for (const GraphTensor& t : claim.graph.tensors)
      if (has_gradient(t.part)) add_target(gradient_name(t.name), t.name);
  }

  std::map<std::string, Judged, std::less<>> run() {
    const std::int64_t length = cut_.empty() ? 1 : claim_.extents.at(cut_);
    const std::int64_t step = block_length(length);
    const std::int64_t blocks = (length + step - 1) / step;
    const std::int64_t rest = length - (blocks - 1) * step;
    const GraphPlan full = plan(packs(std::min(step, length)));
    const GraphPlan last = plan(packs(rest));
    const GraphPlan single = plan(std::min<std::int64_t>(length, 1));
    const BlockJudge<F> judge(setting_, rounding_, inputs_, cut_, single);
    std::vector<CollectedSums<F>> collected(static_cast<std::size_t>(blocks));
    for_each_index(
        blocks,
        [&](std::int64_t b) {
          const bool is_last = b + 1 == blocks;
          const Block block{b * step, is_last ? rest : step, length};
          for (const BlockAnswer& a :
               judge.evaluate(is_last ? last : full, block, collected[static_cast<std::size_t>(b)]))
            put(a, block);
        },
        [] { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); });
    CollectedSums<F> sums;
    for (const CollectedSums<F>& block : collected) sums.merge(block);
    for (std::size_t k = 0; k < claim_.graph.tensors.size(); ++k) {
      const GraphTensor& tensor = claim_.graph.tensors[k];
      if (has_gradient(tensor.part) && !full.values[k].sliced)
        put_sum(tensor, static_cast<int>(k), full.values[k].count, sums);
    }
    std::map<std::string, Judged, std::less<>> judged;
    for (Target& t : targets_)
      judged.emplace(t.name, Judged{t.comparison.finish(), claim_.contract.why(), t.escalated, 0});
    return judged;
  }

 private:
  static double (*scalar())(double) { return F::u == Binary64::u ? as_double : as_float; }
  GraphPlan plan(std::int64_t length) const {
    return GraphPlan(claim_.graph, claim_.extents, length, scalar());
  }

  static StoredType stored_between(const GraphContract& contract) {
    StoredType type = stored_type_of(contract.storage, contract.accumulation);
    if (!contract.stored_values) type.unit = 0;
    return type;
  }

  std::int64_t packs(std::int64_t length) const { return (length + lanes_ - 1) / lanes_; }

  /// In whole packs, but for a block that is all there is.
  std::int64_t block_length(std::int64_t length) const {
    if (cut_.empty() || length == 0) return std::max<std::int64_t>(length, 1);
    std::int64_t widest = 1;
    for (const GraphStep& s : claim_.graph.steps)
      widest = std::max(widest, numel(claim_.shape_of(s.value)) / length);
    const std::int64_t numbers = kBlockElements / std::max<std::int64_t>(widest, 1);
    return std::min(length, std::max<std::int64_t>(packs(numbers), 1) * lanes_);
  }

  void add_target(const std::string& name, const std::string& of) {
    if (!got_.contains(name)) return;
    const Shape shape = claim_.shape_of(of);
    const Tensor& tensor = get(got_, name);
    if (tensor.shape() != shape)
      throw InstrumentError(fmt::format("{} has another shape than the graph says", name));
    targets_.push_back({name, shape, Comparison(tensor.dtype(), shape)});
  }

  /// Null where the tensor is not to be judged.
  Target* target(const std::string& name) {
    const auto found = std::find_if(targets_.begin(), targets_.end(),
                                    [&](const Target& t) { return t.name == name; });
    return found == targets_.end() ? nullptr : &*found;
  }

  void put(const BlockAnswer& a, const Block& block) {
    Target* const to = target(a.target);
    if (to == nullptr) return;
    const Tensor& tensor = get(got_, a.target);
    Comparison part(tensor.dtype(), to->shape);
    std::vector<double> got;
    each_run(*a.value, cut_, block,
             [&](std::int64_t local, std::int64_t first, std::int64_t count) {
               got.resize(static_cast<std::size_t>(count));
               for (std::size_t i = 0; i < got.size(); ++i)
                 got[i] = tensor.at(first + static_cast<std::int64_t>(i));
               part.add({first, 1}, got.data(),
                        part_of(a.truths, static_cast<std::size_t>(local), got.size()));
             });
    const std::lock_guard lock(mutex_);
    to->comparison.merge(part);
    to->escalated += a.escalated;
  }

  void put_sum(const GraphTensor& tensor, int place, std::int64_t count,
               const CollectedSums<F>& sums) {
    Target* const to = target(gradient_name(tensor.name));
    if (to == nullptr) return;
    const Tensor& got = get(got_, to->name);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto [error, truth] = sums.of(place, static_cast<std::size_t>(i), arithmetic_);
      if (truth.escalated()) ++to->escalated;
      const Permitted permitted{error.total(), error.vacuous, error.overflow};
      to->comparison.add(i, got.at(i), unless_open(truth.ruled(rounding_, permitted), permitted));
    }
  }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  const Tensors& got_;
  std::string cut_;
  GraphSetting setting_;
  ErrorArithmetic<F> arithmetic_;
  StoredRounding rounding_;
  std::int64_t lanes_;
  std::vector<Target> targets_;
  std::mutex mutex_;
};

}  // namespace

std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got) {
  if (claim.contract.accumulation == DType::f64) return Judging<Binary64>(claim, inputs, got).run();
  return Judging<Binary32>(claim, inputs, got).run();
}

}  // namespace gradproof
