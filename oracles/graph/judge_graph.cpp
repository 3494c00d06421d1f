// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/judge_graph.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "oracles/graph/graph_evaluator.h"

namespace gradproof {
namespace {

/// About as many elements of the widest value as one block has.
constexpr std::int64_t kBlockElements = 8192;

/// One judged tensor: a comparison that threads add to, or the truths themselves.
struct Target {
  std::string name;
  Shape shape;
  Comparison comparison;
  std::int64_t escalated = 0;
  GraphTruths kept = {};  ///< where they are wanted
};

template <class F>
class Judging {
 public:
  Judging(const GraphClaim& claim, const Tensors& inputs, const Tensors& got)
      : claim_(claim),
        inputs_(inputs),
        got_(got),
        cut_(block_axis(claim.graph, claim.extents)),
        setting_{claim.contract, claim.contract.stored_between()},
        arithmetic_(claim.contract, setting_.between),
        rounding_(stored_type_of(claim.contract.storage, claim.contract.accumulation),
                  claim.longest_chain(), claim.contract.accumulation),
        lanes_(graph_tier(setting_)->lanes()) {
    for (const std::string& output : claim.graph.outputs) add_target(output, output);
    for (const GraphTensor& t : claim.graph.tensors)
      if (has_gradient(t.part)) add_target(gradient_name(t.name), t.name);
  }

  std::map<std::string, Judged, std::less<>> run() {
    evaluate();
    std::map<std::string, Judged, std::less<>> judged;
    for (Target& t : targets_)
      judged.emplace(t.name, Judged{t.comparison.finish(), claim_.contract.why(), t.escalated, 0});
    return judged;
  }

  /// The truths of the one target that there is.
  GraphTruths truths() {
    GraphTruths& kept = targets_.at(0).kept;
    kept.truths.resize(static_cast<std::size_t>(numel(targets_[0].shape)));
    kept.escalated.resize(kept.truths.size());
    evaluate();
    return std::move(kept);
  }

 private:
  void evaluate() {
    const std::int64_t length = cut_.empty() ? 1 : claim_.extents.at(cut_);
    const std::int64_t step = block_length(length);
    const std::int64_t blocks = (length + step - 1) / step;
    const std::int64_t rest = length - (blocks - 1) * step;
    const GraphPlan full = claim_.plan(packs(std::min(step, length)));
    const GraphPlan last = claim_.plan(packs(rest));
    const GraphPlan single = claim_.plan(std::min<std::int64_t>(length, 1));
    const GraphEvaluator<F> evaluator(setting_, rounding_, inputs_, cut_, single);
    std::vector<CollectedSums<F>> collected(static_cast<std::size_t>(blocks));
    for_each_index(
        blocks,
        [&](std::int64_t b) {
          const bool is_last = b + 1 == blocks;
          const Block block{b * step, is_last ? rest : step, length};
          for (const BlockAnswer& a : evaluator.evaluate(is_last ? last : full, block,
                                                         collected[static_cast<std::size_t>(b)]))
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
               keep(to->kept, a, static_cast<std::size_t>(local), {first, count});
             });
    const std::lock_guard lock(mutex_);
    to->comparison.merge(part);
    to->escalated += std::count(a.escalated.begin(), a.escalated.end(), 1);
  }

  /// Copies a run of a block's truths, from the one at `local`, to their places in the tensor;
  /// blocks have no place in common.
  static void keep(GraphTruths& kept, const BlockAnswer& a, std::size_t local,
                   std::pair<std::int64_t, std::int64_t> run) {
    if (kept.escalated.empty()) return;
    const auto [first, count] = run;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const std::size_t at = static_cast<std::size_t>(first) + i;
      gradproof::put(kept.truths, at, a.truths.at(local + i));
      kept.escalated[at] = a.escalated[local + i];
    }
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
      const Truth ruled = unless_open(truth.ruled(rounding_, permitted), permitted);
      to->comparison.add(i, got.at(i), ruled);
      if (to->kept.escalated.empty()) continue;
      gradproof::put(to->kept.truths, static_cast<std::size_t>(i), ruled);
      to->kept.escalated[static_cast<std::size_t>(i)] = truth.escalated();
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

template <class Ask>
auto judging(const GraphClaim& claim, const Tensors& inputs, const Tensors& got, const Ask& ask) {
  if (claim.contract.accumulation == DType::f64) return ask(Judging<Binary64>(claim, inputs, got));
  return ask(Judging<Binary32>(claim, inputs, got));
}

}  // namespace

std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got) {
  return judging(claim, inputs, got, [](auto&& judging) { return judging.run(); });
}

GraphTruths truths_of_graph(const GraphClaim& claim, const Tensors& inputs,
                            const std::string& target, const Tensor& like) {
  const Tensors got{{target, like}};
  return judging(claim, inputs, got, [](auto&& judging) { return judging.truths(); });
}

}  // namespace gradproof
