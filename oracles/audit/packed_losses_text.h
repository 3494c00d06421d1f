// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/audit/packed_losses.h"
#include "oracles/audit/unit_losses.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline Wide wide_of(const DoubledOf<double>& v) { return {v.hi, v.lo, 0}; }
inline Wide wide_of(const TripledOf<double>& v) { return {v.hi, v.mid, v.lo}; }

/// The text of every compilation: as for FastTier, no code of it may be shared between two.
template <class T>
class PackedLossesOf final : public PackedLosses {
 public:
  static constexpr int kWidth = kLanesOf<T>;

  explicit PackedLossesOf(const Script& script) : losses_(script) {}

  void take_numbers(const Unit<double>& from) override {
    for (std::size_t slot = 0; slot < from.numbers.size(); ++slot)
      fill(losses_.unit().numbers[slot], from.numbers[slot].data(),
           static_cast<std::int64_t>(from.numbers[slot].size()));
    losses_.unit().batches = from.batches;
  }

  void take_unit(const double* x, const double* dy, std::int64_t count) override {
    fill(losses_.unit().x, x, count);
    fill(losses_.unit().dy, dy, count);
    take_widths(x, count);
    losses_.rest(count);
  }

  Wide change(const Movable& tensor, std::int64_t place, double move) override {
    return wide_of(lane(losses_.change(tensor, place, move), 0));
  }

  std::int64_t terms(const Movable& tensor) const override {
    return tensor.input || losses_.script().channels ? losses_.count() : 1;
  }

  void changes_together(const Movable& tensor, double move, Wide* into) override {
    spread(losses_.changes_together(tensor, move), losses_.count(), into);
  }

  bool changes_through_statistics(const Movable& tensor, double move, Wide* into) override {
    if (!losses_.has_statistics(tensor)) return false;
    spread(losses_.changes_through_statistics(tensor, move), losses_.count(), into);
    return true;
  }

  void adjoint(const Movable& tensor, Wide* into) override {
    spread(losses_.adjoint(tensor), terms(tensor), into);
  }

  double rstd() override { return wide_of(lane(losses_.rstd(), 0)).hi; }

  double magnitude() override {
    double sum = 0;
    for (std::int64_t i = 0; i < losses_.count(); ++i) sum += product_at(i);
    return sum;
  }

  double magnitude_of(std::int64_t place) override {
    const auto at = static_cast<std::size_t>(place / kWidth);
    return product_at(place) *
           wide_of(lane(losses_.per_width()[at], static_cast<int>(place % kWidth))).hi;
  }

  double felt(const Movable& tensor, std::int64_t place, double move) override {
    return wide_of(lane(losses_.felt(tensor, place, move), 0)).hi;
  }

 private:
  using V = Pack;

  /// One step's unit at each x and its inverse, block by block: a list of doubles would be code that all
  /// compilations share.
  void take_widths(const double* x, std::int64_t count) {
    const std::size_t size = losses_.unit().x.size();
    losses_.widths().resize(size);
    losses_.per_width().resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto first = static_cast<std::int64_t>(i * kWidth);
      const std::int64_t here = count - first < kWidth ? count - first : kWidth;
      double widths[kWidth] = {}, inverses[kWidth] = {};
      for (std::int64_t k = 0; k < here; ++k) {
        widths[k] = __builtin_ldexp(1, log2_width(x[first + k]));
        inverses[k] = 1 / widths[k];
      }
      losses_.widths()[i] = T(load<V>(widths, kWidth));
      losses_.per_width()[i] = T(load<V>(inverses, kWidth));
    }
  }

  /// |dy y|
  double product_at(std::int64_t place) {
    const auto at = static_cast<std::size_t>(place / kWidth);
    const int k = static_cast<int>(place % kWidth);
    return __builtin_fabs(wide_of(lane(losses_.value()[at], k)).hi *
                          wide_of(lane(losses_.unit().dy[at], k)).hi);
  }

  static void fill(Values<T>& into, const double* from, std::int64_t count) {
    const std::size_t size = (static_cast<std::size_t>(count) + kWidth - 1) / kWidth;
    into.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto first = static_cast<std::int64_t>(i * kWidth);
      into[i] = T(load<V>(from + first, count - first));
    }
  }

  static void spread(const Values<T>& from, std::int64_t count, Wide* into) {
    for (std::int64_t i = 0; i < count; ++i)
      into[i] =
          wide_of(lane(from[static_cast<std::size_t>(i / kWidth)], static_cast<int>(i % kWidth)));
  }

  UnitLosses<T> losses_;
};

inline std::unique_ptr<PackedLosses> make_packed_losses(const Script& script,
                                                        AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::double_double)
    return std::unique_ptr<PackedLosses>(new PackedLossesOf<DoubledOf<Pack>>(script));
  if (arithmetic == AuditArithmetic::triple_double)
    return std::unique_ptr<PackedLosses>(new PackedLossesOf<TripledOf<Pack>>(script));
  return nullptr;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
