// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/judge_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include "core/compare/comparison.h"
#include "core/error.h"
#include "core/parallel.h"
#include "oracles/graph/arithmetic.h"
#include "oracles/graph/blocks.h"
#include "oracles/graph/collected_sums.h"

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
        arithmetic_(claim.contract, stored_between(claim.contract)),
        rounding_(stored_type_of(claim.contract.storage, claim.contract.accumulation),
                  claim.longest_chain(), claim.contract.accumulation) {
    for (const std::string& output : claim.graph.outputs) add_target(output, output);
    for (const GraphTensor& t : claim.graph.tensors)
      if (t.part != TensorPart::labels) add_target(gradient_name(t.name), t.name);
  }

  std::map<std::string, Judged, std::less<>> run() {
    const std::int64_t length = cut_.empty() ? 1 : claim_.extents.at(cut_);
    const std::int64_t step = block_length(length);
    const std::int64_t blocks = (length + step - 1) / step;
    const GraphPlan full(claim_.graph, claim_.extents, std::min(step, length), scalar());
    const std::int64_t rest = length - (blocks - 1) * step;
    const GraphPlan last(claim_.graph, claim_.extents, rest, scalar());
    collected_.resize(static_cast<std::size_t>(blocks));
    for_each_index(
        blocks,
        [&](std::int64_t b) {
          const bool is_last = b + 1 == blocks;
          evaluate(is_last ? last : full, {b * step, is_last ? rest : step, length},
                   collected_[static_cast<std::size_t>(b)]);
        },
        [] { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); });
    CollectedSums<F> sums;
    for (const CollectedSums<F>& block : collected_) sums.merge(block);
    for (std::size_t k = 0; k < claim_.graph.tensors.size(); ++k) {
      const GraphTensor& tensor = claim_.graph.tensors[k];
      if (tensor.part != TensorPart::labels && !full.values[k].sliced)
        put_sum(tensor, static_cast<int>(k), full.values[k].count, sums);
    }
    std::map<std::string, Judged, std::less<>> judged;
    for (Target& t : targets_)
      judged.emplace(t.name, Judged{t.comparison.finish(), claim_.contract.why(), t.escalated, 0});
    return judged;
  }

 private:
  using Bounds = GraphRunner<ErrorArithmetic<F>>;

  static double (*scalar())(double) { return F::u == Binary64::u ? as_double : as_float; }

  static StoredType stored_between(const GraphContract& contract) {
    StoredType type = stored_type_of(contract.storage, contract.accumulation);
    if (!contract.stored_values) type.unit = 0;
    return type;
  }

  std::int64_t block_length(std::int64_t length) const {
    if (cut_.empty() || length == 0) return std::max<std::int64_t>(length, 1);
    std::int64_t widest = 1;
    for (const GraphStep& s : claim_.graph.steps)
      widest = std::max(widest, numel(claim_.shape_of(s.value)) / length);
    return std::clamp<std::int64_t>(kBlockElements / std::max<std::int64_t>(widest, 1), 1, length);
  }

  void add_target(const std::string& name, const std::string& of) {
    const Shape shape = claim_.shape_of(of);
    const Tensor& tensor = get(got_, name);
    if (tensor.shape() != shape)
      throw InstrumentError(fmt::format("{} has another shape than the graph says", name));
    targets_.push_back({name, shape, Comparison(tensor.dtype(), shape)});
  }

  Target& target(const std::string& name) {
    return *std::find_if(targets_.begin(), targets_.end(),
                         [&](const Target& t) { return t.name == name; });
  }

  template <class Runner>
  void run_block(Runner& runner, const GraphPlan& plan, const Block& block) const {
    using T = typename Runner::T;
    const auto read = [&](Field<T>& into, const PlanValue& value, const Tensor& from) {
      into.v.reserve(static_cast<std::size_t>(value.count));
      each_run(value, cut_, block, [&](std::int64_t, std::int64_t first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) into.v.push_back(T(from.at(first + i)));
      });
    };
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
      if (plan.graph->tensors[k].part != TensorPart::labels)
        read(runner.tensor(k), plan.values[k], get(inputs_, plan.graph->tensors[k].name));
    runner.forward();
    std::vector<Field<T>> cotangents(plan.outputs.size());
    for (std::size_t k = 0; k < cotangents.size(); ++k) {
      const PlanValue& value = plan.values[static_cast<std::size_t>(plan.outputs[k])];
      read(cotangents[k], value, get(inputs_, cotangent_name(value.name)));
    }
    runner.backward(std::move(cotangents));
  }

  void evaluate(const GraphPlan& plan, const Block& block, CollectedSums<F>& collected) {
    const Chosen chosen = chosen_places(plan, inputs_);
    Bounds bounds(plan, arithmetic_, chosen);
    run_block(bounds, plan, block);
    const TruthArithmetic<CertifiedFunctions> certified;
    TruthRunner truths(plan, certified, chosen);
    run_block(truths, plan, block);
    std::unique_ptr<ExactRunner> exact;
    const TruthArithmetic<PlainFunctions<Real>> with_digits;
    if (!all_decided(plan, bounds, truths)) {
      exact = std::make_unique<ExactRunner>(plan, with_digits, chosen);
      run_block(*exact, plan, block);
    }
    for (const int output : plan.outputs) {
      const PlanValue& value = plan.values[static_cast<std::size_t>(output)];
      put(value.name, value, block, bounds.value(output), truths.value(output),
          exact ? &exact->value(output) : nullptr);
    }
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
      if (plan.values[k].sliced && !bounds.gradient(k).empty())
        put(gradient_name(plan.values[k].name), plan.values[k], block, bounds.gradient(k),
            truths.gradient(k), exact ? &exact->gradient(k) : nullptr);
    collected.take(plan, bounds, truths, exact.get());
  }

  using ErrorField = Field<ErrorScalar<F>>;
  using CertifiedField = Field<Certified>;

  static Permitted permitted(const ErrorScalar<F>& e) { return {e.total(), e.vacuous, e.overflow}; }

  /// A truth whose class is open, finite or not: any answer is right.
  static Truth unless_open(const Truth& truth, const Permitted& allowed) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const bool open = allowed.vacuous && allowed.overflow && !std::isfinite(truth.hi);
    return open ? Truth{0, 0, 0, kInfinity, true} : truth;
  }
  template <class Number>
  Truth truth_of(const Number& number, const Permitted& allowed) const {
    return unless_open(rounding_.of(number, allowed), allowed);
  }

  bool decided(const ErrorField& bounds, const CertifiedField& truths) const {
    for (std::size_t i = 0; i < bounds.v.size(); ++i) {
      const Truth t = rounding_.of(ball(truths.v[i]), permitted(bounds.v[i]));
      if (!is_decided(t.radius, t.bound)) return false;
    }
    return true;
  }

  bool all_decided(const GraphPlan& plan, const Bounds& bounds, const TruthRunner& truths) const {
    for (const int output : plan.outputs)
      if (!decided(bounds.value(output), truths.value(output))) return false;
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
      if (!decided(bounds.gradient(k), truths.gradient(k))) return false;
    for (std::size_t u = 0; u < bounds.summed_uses().size(); ++u)
      for (std::size_t i = 0; i < bounds.summed_uses()[u].sums.size(); ++i) {
        const Certified& sum = truths.summed_uses()[u].sums[i].total;
        const auto error = bounds.summed_uses()[u].sums[i].sum(0);
        if (sum.radius != 0 && !(sum.radius <= kSharp * error.total())) return false;
      }
    return true;
  }

  void put(const std::string& name, const PlanValue& value, const Block& block,
           const ErrorField& bounds, const CertifiedField& truths, const Field<Real>* exact) {
    Target& to = target(name);
    const Tensor& got = get(got_, name);
    Comparison part(got.dtype(), to.shape);
    std::int64_t escalated = 0;
    each_run(value, cut_, block, [&](std::int64_t local, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(local + i);
        Truth t = truth_of(ball(truths.v[at]), permitted(bounds.v[at]));
        if (exact != nullptr && !is_decided(t.radius, t.bound)) {
          t = truth_of(exact->v[at], permitted(bounds.v[at]));
          ++escalated;
        }
        part.add(first + i, got.at(first + i), t);
      }
    });
    const std::lock_guard lock(mutex_);
    to.comparison.merge(part);
    to.escalated += escalated;
  }

  void put_sum(const GraphTensor& tensor, int place, std::int64_t count,
               const CollectedSums<F>& sums) {
    Target& to = target(gradient_name(tensor.name));
    const Tensor& got = get(got_, to.name);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto [error, truth] = sums.of(place, static_cast<std::size_t>(i), arithmetic_);
      if (truth.escalated()) ++to.escalated;
      to.comparison.add(i, got.at(i),
                        unless_open(truth.ruled(rounding_, permitted(error)), permitted(error)));
    }
  }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  const Tensors& got_;
  std::string cut_;
  ErrorArithmetic<F> arithmetic_;
  StoredRounding rounding_;
  std::vector<Target> targets_;
  std::vector<CollectedSums<F>> collected_;
  std::mutex mutex_;
};

}  // namespace

std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got) {
  if (claim.contract.accumulation == DType::f64) return Judging<Binary64>(claim, inputs, got).run();
  return Judging<Binary32>(claim, inputs, got).run();
}

}  // namespace gradproof
