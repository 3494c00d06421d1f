// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/arithmetic.h"
#include "oracles/graph/packed_truths.h"
#include "oracles/graph/runner.h"
#include "oracles/graph/tier.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The tier, compiled for each instruction set, of packs and of single numbers (V = double); each
/// lane of a pack is another number along the axis that blocks are cut from. Two compilations may
/// share no code: a template of the standard library is used only with a type of this namespace, or
/// is inlined. tests/oracles/compilations_test.py checks it.
template <class F, class V>
class PackedGraph final : public GraphTier {
 public:
  using Exact = CertifiedOf<V>;
  using Error = ErrorScalar<F, V>;
  using Truths = GraphRunner<typename PackedTruths<V>::Arithmetic>;
  using Bounds = GraphRunner<ErrorArithmetic<F, V>>;

  explicit PackedGraph(const GraphSetting& setting)
      : error_arithmetic_(setting.contract, setting.between) {}

  int lanes() const override { return kLanesOf<V>; }

  void value(int place, const StoredType& type, PackedAnswers& into) const override {
    write(truths_->outputs.find(place)->second, value_in(*bounds_, bounds_forward_, place),
          plan_->values[static_cast<std::size_t>(place)], type, into);
  }
  void statistic(std::size_t which, const StoredType& type, PackedAnswers& into) const override {
    write(truths_->statistics[which], bounds_forward_.statistics[which],
          plan_->statistics[which].value, type, into);
  }
  bool has_gradient(std::size_t tensor) const override {
    return !bounds_->gradient(tensor).empty();
  }
  void gradient(std::size_t tensor, const StoredType& type, PackedAnswers& into) const override {
    const PlanValue& value = plan_->values[tensor];
    write(truths_->gradients[tensor], bounds_->gradient(tensor), value, type, into);
    const auto& sum = bounds_->cotangents()[tensor];
    if (into.answers.hi.empty() || sum.sizes().empty()) return;
    into.answers.count_terms(sum.terms());
    const std::int64_t lanes = value.sliced ? kLanesOf<V> : 1;
    for (std::size_t i = 0; i < sum.sizes().size(); ++i)
      store(into.answers.sizes.data() + i * static_cast<std::size_t>(lanes), sum.sizes()[i], lanes);
  }

  std::size_t uses() const override { return bounds_->summed_uses().size(); }
  BlockUse use(std::size_t which) const override {
    const auto& use = bounds_->summed_uses()[which];
    return {use.tensor, use.length, use.order, use.sums.size(), use.settings};
  }
  void take_sums(std::size_t which, BlockSum* into) override {
    const auto errors = bounds_->take_sums(which);
    const auto& truths = truths_->sums[which];
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const Certified truth = lane(truths[i].total, 0);
      into[i].truth = {truth.hi, truth.lo, truth.radius};
      errors[i].of_lane(0).folded().write(into[i]);
    }
  }
  std::unique_ptr<BlockTruths> move_truths() override { return std::move(own_truths_); }
  const BlockTruths& truths() const override { return *own_truths_; }

 private:
  void evaluate_bounds(const BlockNumbers& numbers) override {
    bounds_ = std::make_unique<Bounds>(*plan_, error_arithmetic_, numbers.chosen, numbers.length);
    run(*bounds_, bounds_forward_, numbers);
  }
  void evaluate_truths(const BlockNumbers& numbers) override {
    Truths runner(*plan_, truth_arithmetic_, numbers.chosen, numbers.length);
    ForwardResults<Exact> forward;
    run(runner, forward, numbers);
    own_truths_ = truths_of<V>(runner, std::move(forward), *plan_);
    truths_ = own_truths_.get();
  }
  void take_truths(const BlockTruths& known) override {
    truths_ = static_cast<const PackedTruths<V>*>(&known);
  }

  template <class Runner, class T>
  const Field<T>& value_in(const Runner& runner, const ForwardResults<T>& forward,
                           int place) const {
    const auto found = forward.outputs.find(place);
    return found == forward.outputs.end() ? runner.value(place) : found->second;
  }

  template <class Runner, class T>
  void run(Runner& runner, ForwardResults<T>& forward, const BlockNumbers& numbers) const {
    for (std::size_t k = 0; k < numbers.tensors.size(); ++k)
      runner.tensor(k) =
          field<T>(plan_->values[k], numbers.tensors[k], at(numbers.kept_tensors, k));
    forward = {};
    if (numbers.forward) {
      runner.forward();
      for (std::size_t k = 0; k < plan_->statistics.size(); ++k)
        forward.statistics.push_back(runner.statistic(k));
    }
    if (!numbers.given.empty()) {
      for (const int output : plan_->outputs)
        if (numbers.forward && runner.is_given_again(output))
          forward.outputs[output] = runner.move_out(output);
      std::vector<Field<T>> given;
      for (std::size_t k = 0; k < numbers.given.size(); ++k)
        given.push_back(field<T>(plan_->statistics[k].value, numbers.given[k], nullptr));
      runner.use_statistics(given, !numbers.forward);
    }
    std::vector<Field<T>> cotangents;
    for (std::size_t k = 0; k < plan_->outputs.size(); ++k)
      cotangents.push_back(field<T>(plan_->values[static_cast<std::size_t>(plan_->outputs[k])],
                                    numbers.cotangents[k], at(numbers.kept_cotangents, k)));
    std::vector<Field<T>> gradients;
    for (std::size_t k = 0; k < numbers.gradients.size(); ++k)
      gradients.push_back(field<T>(plan_->values[k], nullptr, numbers.gradients[k]));
    runner.start_backward(std::move(cotangents), std::move(gradients));
    if constexpr (std::is_same_v<Runner, Bounds>) start_from(runner, numbers);
    runner.finish_backward(numbers.alone, true);
  }

  /// Counts the terms that other segments' cotangents are sums of, and those that may follow.
  void start_from(Bounds& runner, const BlockNumbers& numbers) const {
    const auto take = [&](std::size_t place, const BlockAnswers* kept) {
      if (kept == nullptr || kept->terms == 1) return;
      const PlanValue& value = plan_->values[place];
      const std::int64_t lanes = value.sliced ? kLanesOf<V> : 1;
      const double* const sizes = kept->sizes.data();
      const auto size = [&](std::int64_t i) { return in_lanes(sizes + i * lanes, lanes); };
      runner.cotangents().start_from(place, numbers_by<V>(value.count, size), kept->terms);
    };
    for (std::size_t k = 0; k < numbers.gradients.size(); ++k) {
      take(k, numbers.gradients[k]);
      if (!numbers.alone) runner.cotangents().expect_more(k);
    }
    for (std::size_t k = 0; k < plan_->outputs.size(); ++k)
      take(static_cast<std::size_t>(plan_->outputs[k]), at(numbers.kept_cotangents, k));
  }

  static const BlockAnswers* at(const std::vector<const BlockAnswers*>& all, std::size_t k) {
    return all.empty() ? nullptr : all[k];
  }

  /// The field of these numbers; empty without numbers.
  template <class T>
  static Field<T> field(const PlanValue& value, const double* from, const BlockAnswers* kept) {
    Field<T> into;
    if (from == nullptr && kept == nullptr) return into;
    into.is_given = kept == nullptr;
    const std::int64_t lanes = value.sliced ? kLanesOf<V> : 1;
    into.v = numbers_by<T>(value.count, [&](std::int64_t i) {
      if (kept == nullptr) return T(in_lanes(from + i * lanes, lanes));
      T number;
      read(number, *kept, i * lanes, lanes);
      return number;
    });
    return into;
  }

  static V in_lanes(const double* from, std::int64_t lanes) {
    return lanes > 1 ? load<V>(from) : V(*from);
  }
  static MaskOf<V> in_lanes(const unsigned char* from, std::int64_t lanes) {
    double flags[kLanesOf<V>];
    for (int k = 0; k < kLanesOf<V>; ++k) flags[k] = from[lanes > 1 ? k : 0] != 0 ? 1 : 0;
    return load<V>(flags) == V(1);
  }
  static void read(Exact& into, const BlockAnswers& kept, std::int64_t first, std::int64_t lanes) {
    into = {in_lanes(kept.hi.data() + first, lanes), in_lanes(kept.lo.data() + first, lanes),
            in_lanes(kept.radius.data() + first, lanes)};
  }
  /// Reads a number; all its error is independent of the errors of other numbers.
  static void read(Error& into, const BlockAnswers& kept, std::int64_t first, std::int64_t lanes) {
    into = Error(in_lanes(kept.estimate.data() + first, lanes));
    into.e = in_lanes(kept.error.data() + first, lanes);
    into.vacuous = in_lanes(kept.vacuous.data() + first, lanes);
    into.overflow = in_lanes(kept.overflow.data() + first, lanes);
  }

  static void write(const Field<Exact>& truths, const Field<Error>& bounds, const PlanValue& value,
                    const StoredType& type, PackedAnswers& into) {
    const std::int64_t lanes = value.sliced ? kLanesOf<V> : 1;
    BlockAnswers& a = into.answers;
    auto& t = into.truths;
    MaskOf<V> known = true;
    MaskOf<V> decided = true;
    for (std::size_t i = 0; i < truths.v.size(); ++i) {
      const std::size_t first = i * static_cast<std::size_t>(lanes);
      const Exact& truth = truths.v[i];
      const Error& bound = bounds.v[i];
      const V error = bound.total();
      if (!a.hi.empty()) {
        store(a.hi.data() + first, truth.hi, lanes);
        store(a.lo.data() + first, truth.lo, lanes);
        store(a.radius.data() + first, truth.radius, lanes);
        store(a.estimate.data() + first, bound.v, lanes);
        store(a.error.data() + first, error, lanes);
        store_flags(a.vacuous.data() + first, bound.vacuous, lanes);
        store_flags(a.overflow.data() + first, bound.overflow, lanes);
      }
      const StoredTruth<V> r =
          with_open_class(stored_truth<V>(type, truth.hi, truth.lo, truth.radius, error,
                                          bound.vacuous, bound.overflow, is_surely_infinite(bound)),
                          bound);
      store(t.hi.data() + first, r.hi, lanes);
      store(t.lo.data() + first, r.lo, lanes);
      store(t.radius.data() + first, r.radius, lanes);
      store(t.bound.data() + first, r.bound, lanes);
      store_flags(t.any_nonfinite.data() + first, r.any_nonfinite, lanes);
      known = known & is_finite(r.radius);
      decided = decided & is_decided(r.radius, r.bound);
    }
    into.are_known = all(known);
    into.are_decided = all(decided);
  }
  /// Makes any answer right where the class of the truth is open, finite or not.
  static StoredTruth<V> with_open_class(StoredTruth<V> r, const Error& allowed) {
    const MaskOf<V> open = allowed.vacuous & allowed.overflow & !is_finite(r.hi);
    if (!any(open)) [[likely]]
      return r;
    for (V* number : {&r.hi, &r.lo, &r.radius}) *number = select(open, V(0), *number);
    r.bound = select(open, V(std::numeric_limits<double>::infinity()), r.bound);
    r.any_nonfinite = r.any_nonfinite | open;
    return r;
  }
  static void store_flags(unsigned char* to, const MaskOf<V>& flags, std::int64_t lanes) {
    const bool some = any(flags);
    for (int k = 0; k < lanes; ++k) to[k] = some && lane(flags, k);
  }

  ErrorArithmetic<F, V> error_arithmetic_;
  TruthArithmetic<CertifiedFunctionsOf<V>> truth_arithmetic_;
  std::unique_ptr<Bounds> bounds_;
  ForwardResults<Error> bounds_forward_;
  const PackedTruths<V>* truths_ = nullptr;
  std::unique_ptr<PackedTruths<V>> own_truths_;
};

/// The tier in the number type that the contract accumulates in.
template <class V>
std::unique_ptr<GraphTier> graph_tier_of(const GraphSetting& setting) {
  if (setting.contract.accumulation == DType::f64)
    return std::make_unique<PackedGraph<Binary64, V>>(setting);
  if (setting.contract.flush_to_zero)
    return std::make_unique<PackedGraph<Binary32Flushed, V>>(setting);
  return std::make_unique<PackedGraph<Binary32, V>>(setting);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
