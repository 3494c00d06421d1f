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
#include "oracles/graph/runner.h"
#include "oracles/truth/truth_sum.h"

namespace gradproof {
namespace {

using TruthRunner = GraphRunner<TruthArithmetic<CertifiedFunctions>>;
using ExactRunner = GraphRunner<TruthArithmetic<PlainFunctions<Real>>>;

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

/// Numbers from `first` on along the axis that blocks are cut from.
struct Block {
  std::int64_t first = 0;
  std::int64_t length = 0;
};

/// Of a value that is cut, or of a whole one: how its elements in a block lie in the whole.
struct Slices {
  std::int64_t outer = 1;
  std::int64_t whole = 1;  ///< extent of the cut axis
  std::int64_t inner = 1;

  std::int64_t first(std::int64_t o, const Block& block) const {
    return (o * whole + block.first) * inner;
  }
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
        rounding_(stored_type_of(claim.contract.storage, claim.contract.accumulation), chain(),
                  claim.contract.accumulation) {
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
          evaluate(is_last ? last : full, {b * step, is_last ? rest : step},
                   collected_[static_cast<std::size_t>(b)]);
        },
        [] { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); });
    add_sums(full);
    std::map<std::string, Judged, std::less<>> judged;
    for (Target& t : targets_)
      judged.emplace(t.name, Judged{t.comparison.finish(), claim_.contract.why(), t.escalated, 0});
    return judged;
  }

 private:
  using Bounds = GraphRunner<ErrorArithmetic<F>>;

  /// What one block adds to the gradients that sum over blocks.
  struct Collected {
    std::vector<SummedUse<ErrorArithmetic<F>>> bounds;
    std::vector<std::vector<TruthSum>> truths;  ///< by use
  };

  static double (*scalar())(double) { return F::u == Binary64::u ? as_double : as_float; }

  static StoredType stored_type_of(DType storage, DType accumulation) {
    StoredType type;
    type.dtype = storage;
    type.largest = largest_finite(storage);
    type.overflow = type.largest + std::ldexp(1.0, std::ilogb(type.largest) - precision_of(storage));
    if (unit_roundoff(storage) > unit_roundoff(accumulation)) {
      type.unit = unit_roundoff(storage);
      type.underflow = underflow_unit(storage);
    }
    return type;
  }
  static StoredType stored_between(const GraphContract& contract) {
    StoredType type = stored_type_of(contract.storage, contract.accumulation);
    if (!contract.stored_values) type.unit = 0;
    return type;
  }

  double chain() const {
    double most = 1;
    for (const GraphStep& s : claim_.graph.steps)
      most = std::max(most, static_cast<double>(numel(claim_.shape_of(s.value))));
    for (const GraphTensor& t : claim_.graph.tensors)
      most = std::max(most, static_cast<double>(numel(claim_.shape_of(t.name))));
    return most * static_cast<double>(claim_.graph.steps.size()) + 1;
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

  Slices slices_of(const PlanValue& value) const {
    Slices s;
    bool found = false;
    for (std::size_t k = 0; k < value.axes.size(); ++k) {
      const bool cut = value.axes[k] == cut_;
      (found ? s.inner : cut ? s.whole : s.outer) *= claim_.extents.at(value.axes[k]);
      found = found || cut;
    }
    if (!found) std::swap(s.outer, s.inner);
    return s;
  }

  /// Calls visit(local, whole, count) for the runs of a value's elements in a block.
  template <class Visit>
  void each_run(const PlanValue& value, const Block& block, const Visit& visit) const {
    const Slices s = slices_of(value);
    if (!value.sliced) return visit(std::int64_t{0}, std::int64_t{0}, value.count);
    const std::int64_t count = block.length * s.inner;
    for (std::int64_t o = 0; o < s.outer; ++o) visit(o * count, s.first(o, block), count);
  }

  template <class Runner>
  void run_block(Runner& runner, const GraphPlan& plan, const Block& block) const {
    using T = typename Runner::T;
    const auto read = [&](Field<T>& into, const PlanValue& value, const Tensor& from) {
      into.v.reserve(static_cast<std::size_t>(value.count));
      each_run(value, block, [&](std::int64_t, std::int64_t first, std::int64_t count) {
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

  Chosen chosen_of(const GraphPlan& plan) const {
    Chosen all(plan.steps.size());
    for (std::size_t k = 0; k < plan.steps.size(); ++k) {
      const PlanStep& s = plan.steps[k];
      if (s.row->form != StageForm::selects) continue;
      const std::string& name = s.step->operands[1].name;
      const Tensor& labels = get(inputs_, name);
      const std::int64_t classes = plan.values[static_cast<std::size_t>(s.operands[0])].extents.back();
      for (std::int64_t i = 0; i < labels.numel(); ++i) {
        const double label = labels.at(i);
        if (!(label >= 0 && label < static_cast<double>(classes)))
          throw UsageError(fmt::format("label {} of '{}' at {} is no class: 0 to {}", label, name,
                                       index_text(labels.shape(), i), classes - 1));
        all[k].push_back(i * classes + static_cast<std::int64_t>(label));
      }
    }
    return all;
  }

  void evaluate(const GraphPlan& plan, const Block& block, Collected& collected) {
    const Chosen chosen = chosen_of(plan);
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
    collect(plan, bounds, truths, exact.get(), collected);
  }

  using ErrorField = Field<ErrorScalar<F>>;
  using CertifiedField = Field<Certified>;

  static Permitted permitted(const ErrorScalar<F>& e) { return {e.total(), e.vacuous, e.overflow}; }
  static Ball ball(const Certified& c) { return {c.hi, c.lo, c.radius}; }

  /// A truth whose class is open, finite or not: any answer is right.
  template <class Number>
  Truth truth_of(const Number& number, const Permitted& allowed) const {
    const Truth t = rounding_.of(number, allowed);
    const bool open = allowed.vacuous && allowed.overflow;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return open && !std::isfinite(t.hi) ? Truth{0, 0, 0, kInfinity, true} : t;
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
    each_run(value, block, [&](std::int64_t local, std::int64_t first, std::int64_t count) {
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

  /// Sums of this block. A tensor without the cut axis whose gradient is no sum is one as well: of a
  /// single term for each block.
  void collect(const GraphPlan& plan, const Bounds& bounds, const TruthRunner& truths,
               const ExactRunner* exact, Collected& into) const {
    into.bounds = bounds.summed_uses();
    for (std::size_t u = 0; u < into.bounds.size(); ++u) {
      std::vector<TruthSum> sums(into.bounds[u].sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i)
        if (exact != nullptr)
          sums[i].add(exact->summed_uses()[u].sums[i].total);
        else
          sums[i].add(ball(truths.summed_uses()[u].sums[i].total));
      into.truths.push_back(std::move(sums));
    }
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k) {
      const ErrorField& field = bounds.gradient(k);
      if (plan.values[k].sliced || field.empty()) continue;
      SummedUse<ErrorArithmetic<F>> use{static_cast<int>(k), 1, true, {}};
      std::vector<TruthSum> sums(field.v.size());
      for (std::size_t i = 0; i < field.v.size(); ++i) {
        use.sums.emplace_back();
        use.sums.back().add(ErrorArithmetic<F>::folded(field.v[i]));
        if (exact != nullptr)
          sums[i].add(exact->gradient(k).v[i]);
        else
          sums[i].add(ball(truths.gradient(k).v[i]));
      }
      into.bounds.push_back(std::move(use));
      into.truths.push_back(std::move(sums));
    }
  }

  /// Gradients that sum over blocks: each use's sum goes through one chain, then the uses are added.
  void add_sums(const GraphPlan& plan) {
    if (collected_.empty()) return;
    Collected all = std::move(collected_.front());
    for (std::size_t b = 1; b < collected_.size(); ++b)
      for (std::size_t u = 0; u < all.bounds.size(); ++u) {
        all.bounds[u].length += collected_[b].bounds[u].length;
        for (std::size_t i = 0; i < all.bounds[u].sums.size(); ++i) {
          all.bounds[u].sums[i].add(collected_[b].bounds[u].sums[i]);
          all.truths[u][i].add(collected_[b].truths[u][i]);
        }
      }
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k) {
      const GraphTensor& tensor = plan.graph->tensors[k];
      if (tensor.part == TensorPart::labels || plan.values[k].sliced) continue;
      put_sum(tensor.name, static_cast<int>(k), plan.values[k].count, all);
    }
  }

  void put_sum(const std::string& name, int tensor, std::int64_t count, const Collected& all) {
    Target& to = target(gradient_name(name));
    const Tensor& got = get(got_, to.name);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      TruthSum truth;
      truth.add(Ball{});
      ErrorScalar<F> error(0.0);
      bool first = true;
      for (std::size_t u = 0; u < all.bounds.size(); ++u) {
        if (all.bounds[u].tensor != tensor) continue;
        const auto sum =
            all.bounds[u].sums[at].sum(std::max<std::int64_t>(all.bounds[u].length - 1, 0));
        error = first ? sum : arithmetic_.stored(error) + arithmetic_.stored(sum);
        first = false;
        truth.add(all.truths[u][at]);
      }
      if (truth.escalated()) ++to.escalated;
      Truth found = truth.ruled(rounding_, permitted(error));
      if (error.vacuous && error.overflow && !std::isfinite(found.hi))
        found = {0, 0, 0, std::numeric_limits<double>::infinity(), true};
      to.comparison.add(i, got.at(i), found);
    }
  }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  const Tensors& got_;
  std::string cut_;
  ErrorArithmetic<F> arithmetic_;
  StoredRounding rounding_;
  std::vector<Target> targets_;
  std::vector<Collected> collected_;
  std::mutex mutex_;
};

}  // namespace

std::string cotangent_name(std::string_view output) { return "d" + std::string(output); }
std::string gradient_name(std::string_view tensor) { return "d_" + std::string(tensor); }

Shape GraphClaim::shape_of(std::string_view name) const {
  Shape shape;
  for (const std::string& axis : graph.axes_of(name)) shape.push_back(extents.at(axis));
  return shape;
}

DType GraphClaim::dtype_of(const GraphTensor& tensor) const {
  return tensor.part == TensorPart::labels ? DType::i64 : contract.storage;
}

std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got) {
  if (claim.contract.accumulation == DType::f64) return Judging<Binary64>(claim, inputs, got).run();
  return Judging<Binary32>(claim, inputs, got).run();
}

}  // namespace gradproof
