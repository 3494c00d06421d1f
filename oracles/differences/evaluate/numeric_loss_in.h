// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/differences/evaluate/numeric_loss.h"
#include "oracles/differences/evaluate/unit_loss.h"
#include "oracles/differences/steps/tableau.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline TripledOf<Pack> times_power(const TripledOf<Pack>& a, int exponent) {
  const Pack power(__builtin_ldexp(1, exponent));
  return {a.hi * power, a.mid * power, a.lo * power};
}
inline TripledOf<Pack> divided(const TripledOf<Pack>& a, int b) { return a / Pack(b); }

inline TripledOf<Pack> tripled(const DoubledOf<Pack>& v) { return {v.hi, v.lo, Pack(0)}; }
inline TripledOf<Pack> tripled(const TripledOf<Pack>& v) { return v; }

/// The triple-double, in which leading parts may have cancelled, rounded to a double.
inline Pack rounded(const TripledOf<Pack>& v) { return v.hi + (v.mid + v.lo); }

inline Wide wide_of(const DoubledOf<double>& v) { return {v.hi, v.lo, 0}; }
inline Wide wide_of(const TripledOf<double>& v) { return {v.hi, v.mid, v.lo}; }

/// NumericLoss<R> in T's: R is Wide for packs, otherwise a type that is constructed from T. As it
/// is compiled for several instruction sets, no two compilations may share code: an array of
/// doubles is on the stack or in T's, for std::vector<double> would be shared.
template <class T, class R>
class NumericLossIn final : public NumericLoss<R> {
 public:
  explicit NumericLossIn(const CompiledPipeline& compiled) : losses_(compiled) {}

  void take_unit(const Unit<double>& unit) override { losses_.take(unit); }

  bool allows(const Movable& tensor, Method method) const override {
    return losses_.allows(tensor, method);
  }

  R change(const Movable& tensor, Method method, std::int64_t place, double move) override {
    if (method == Method::direct || !allows(tensor, method))
      return result(losses_.change(tensor, place, move), 0);
    const auto at = static_cast<std::size_t>(place / kWidth);
    return result(losses_.changes(tensor, method, {at, at + 1}, move)[0],
                  static_cast<int>(place % kWidth));
  }

  void changes(const Movable& tensor, Method method, double move, R* into) override {
    const std::int64_t count = losses_.places(tensor);
    const bool otherwise = method == Method::statistics && !allows(tensor, method);
    spread(losses_.changes(tensor, otherwise ? Method::direct : method, all_of(count), move), count,
           into);
  }

  bool differences(const Movable& tensor, Method method, const DifferenceFormula& formula,
                   const DifferencesInto& into) override {
    // Few entries are looked at in the numbers of MPFR, and doubles lack their range.
    if constexpr (kWidth == 1)
      return false;
    else {
      const std::int64_t count = losses_.places(tensor);
      if (!allows(tensor, method) || terms(tensor) != count) return false;
      claimed_ = losses_.adjoint(tensor);
      const std::size_t all = all_of(count).last;
      for (std::size_t first = 0; first < all; first += kSlice) {
        const PackRange range{first, first + kSlice < all ? first + kSlice : all};
        for (int k = 0; k < formula.order_index + 2; ++k) {
          const double step = __builtin_ldexp(1, formula.log2_h + k);
          above_[k] = losses_.changes(tensor, method, range, step);
          below_[k] = losses_.changes(tensor, method, range, -step);
        }
        store_slice(formula, range, count, into);
      }
      return true;
    }
  }

  std::int64_t terms(const Movable& tensor) const override {
    return tensor.input || losses_.compiled().channels ? losses_.count() : 1;
  }

  void adjoint(const Movable& tensor, R* into) override {
    spread(losses_.adjoint(tensor), terms(tensor), into);
  }

  double rstd() override { return leading(losses_.rstd(), 0); }

  double condition() override {
    double most = 0;
    for (int k = 0; k < kWidth; ++k) {
      const double here = leading(losses_.condition(), k);
      most = here > most ? here : most;
    }
    return most;
  }

  double magnitude() override {
    double sum = 0;
    for (std::int64_t i = 0; i < losses_.count(); ++i) sum += product_at(i);
    return sum;
  }

  double magnitude_of(std::int64_t place) override {
    const auto at = static_cast<std::size_t>(place / kWidth);
    return product_at(place) *
           leading(losses_.widths().inverse[at], static_cast<int>(place % kWidth));
  }

  double absolute_change(const Movable& tensor, std::int64_t place, double move) override {
    return leading(losses_.absolute_change(tensor, place, move), 0);
  }

  bool moves(const Movable& tensor, std::int64_t place, double move) override {
    return losses_.moves(tensor, place, move);
  }

 private:
  static constexpr int kWidth = kLanesOf<T>;

  /// T's of one slice: as many as fit into the first-level cache with their differences.
  static constexpr std::size_t kSlice = 32;

  static PackRange all_of(std::int64_t count) {
    return {0, (static_cast<std::size_t>(count) + kWidth - 1) / kWidth};
  }

  static R result(const T& v, int at) {
    if constexpr (kWidth == 1)
      return R(v);
    else
      return wide_of(lane(v, at));
  }

  static double leading(const T& v, int at) {
    if constexpr (kWidth == 1)
      return v.template convert_to<double>();
    else
      return lane(v, at).hi;
  }

  static void spread(const Values<T>& from, std::int64_t count, R* into) {
    for (std::int64_t i = 0; i < count; ++i)
      into[i] = result(from[static_cast<std::size_t>(i / kWidth)], static_cast<int>(i % kWidth));
  }

  /// |dy y|
  double product_at(std::int64_t place) {
    const auto at = static_cast<std::size_t>(place / kWidth);
    const T& dy = losses_.unit().dy[at];
    const int k = static_cast<int>(place % kWidth);
    if constexpr (kWidth == 1)
      return leading(size_of_number(T(losses_.value()[at] * dy)), k);
    else
      return __builtin_fabs(leading(losses_.value()[at], k) * leading(dy, k));
  }

  /// The tableau in triple-doubles. Its rounding error is below 2^8 u |D(h)|, u their round-off;
  /// that of the changes, u |L| / h, is far larger.
  void store_slice(const DifferenceFormula& formula, const PackRange& range, std::int64_t count,
                   const DifferencesInto& into) const {
    const auto& [order_index, log2_h] = formula;
    for (std::size_t i = range.first; i < range.last; ++i) {
      TripledOf<Pack> odd[kOrders + 1];
      TripledOf<Pack> even[kOrders + 1];
      for (int k = 0; k < order_index + 2; ++k) {
        const auto above = tripled(above_[k][i - range.first]);
        const auto below = tripled(below_[k][i - range.first]);
        odd[k] = above - below;
        even[k] = above + below;
      }
      const auto place = static_cast<std::int64_t>(i * kWidth);
      const std::int64_t here = count - place < kWidth ? count - place : kWidth;
      const auto fine = central(odd, order_index, log2_h);
      store(into.error + place, rounded(fine - tripled(claimed_[i])), here);
      store(into.self_error + place, rounded(fine - central(odd + 1, order_index, log2_h + 1)),
            here);
      store(into.jump + place, rounded(jump(even, order_index + 2, log2_h)), here);
      for (int k = 0; k < here; ++k) into.claimed[place + k] = wide_of(lane(claimed_[i], k));
    }
  }

  UnitLoss<T> losses_;
  Values<T> claimed_;
  Values<T> above_[kOrders + 1];  ///< changes of a slice, by step
  Values<T> below_[kOrders + 1];
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
