// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/evaluate/packed_loss.h"

#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/differences/evaluate/unit_loss.h"
#include "oracles/differences/steps/packed_tableau.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline Wide wide_of(const DoubledOf<double>& v) { return {v.hi, v.lo, 0}; }
inline Wide wide_of(const TripledOf<double>& v) { return {v.hi, v.mid, v.lo}; }

/// Compiled once for each instruction set; as for the fast tier, no two compilations may share code.
template <class T>
class PackedLossOf final : public PackedLoss {
 public:
  static constexpr int kWidth = kLanesOf<T>;

  explicit PackedLossOf(const CompiledPipeline& compiled) : losses_(compiled) {}

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
    losses_.evaluate(count);
  }

  Wide change(const Movable& tensor, std::int64_t place, double move) override {
    return wide_of(lane(losses_.change(tensor, place, move), 0));
  }

  std::int64_t terms(const Movable& tensor) const override {
    return tensor.input || losses_.compiled().channels ? losses_.count() : 1;
  }

  bool by_element(const Movable& tensor, bool through_statistics) const override {
    return losses_.by_element(tensor, through_statistics);
  }

  Wide change_of_element(const Movable& tensor, bool through_statistics, std::int64_t place,
                         double move) override {
    const auto at = static_cast<std::size_t>(place / kWidth);
    const Values<T>& change = losses_.changes(tensor, through_statistics, at, at + 1, move);
    return wide_of(lane(change[0], static_cast<int>(place % kWidth)));
  }

  void changes_of_elements(const Movable& tensor, bool through_statistics, double move,
                           Wide* into) override {
    const std::size_t all = losses_.value().size();
    spread(losses_.changes(tensor, through_statistics, 0, all, move), losses_.count(), into);
  }

  void differences(const Movable& tensor, bool through_statistics, int order_index, int log2_h,
                   const DifferencesInto& into) override {
    claimed_ = losses_.adjoint(tensor);
    const std::size_t all = losses_.value().size();
    for (std::size_t first = 0; first < all; first += kSlice) {
      const std::size_t last = first + kSlice < all ? first + kSlice : all;
      for (int k = 0; k < order_index + 2; ++k) {
        const double step = __builtin_ldexp(1, log2_h + k);
        above_[k] = losses_.changes(tensor, through_statistics, first, last, step);
        below_[k] = losses_.changes(tensor, through_statistics, first, last, -step);
      }
      store_slice(PackedTableau(order_index, log2_h), first, last, into);
    }
  }

  void tabled(const Wide* changes, std::int64_t count, int order_index, int log2_h,
              const DifferencesInto& into) const override {
    PackedTableau tableau(order_index, log2_h);
    for (std::int64_t first = 0; first < count; first += kWidth) {
      const std::int64_t here = count - first < kWidth ? count - first : kWidth;
      for (int k = 0; k < tableau.steps(); ++k)
        tableau.take(k, gathered(changes + 2 * k * count + first, here),
                     gathered(changes + (2 * k + 1) * count + first, here));
      store_differences(tableau, gathered(into.claimed + first, here), here, into.from(first));
    }
  }

  void changes_together(const Movable& tensor, double move, Wide* into) override {
    spread(losses_.changes_together(tensor, move), losses_.count(), into);
  }

  void adjoint(const Movable& tensor, Wide* into) override {
    spread(losses_.adjoint(tensor), terms(tensor), into);
  }

  double condition() override {
    double most = 0;
    for (int k = 0; k < kWidth; ++k) {
      const double here = wide_of(lane(losses_.condition(), k)).hi;
      most = here > most ? here : most;
    }
    return most;
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

  double absolute_change(const Movable& tensor, std::int64_t place, double move) override {
    return wide_of(lane(losses_.absolute_change(tensor, place, move), 0)).hi;
  }

 private:
  using V = Pack;

  /// T's of one slice: as many as fit into the first-level cache with their differences.
  static constexpr std::size_t kSlice = 32;

  void store_slice(PackedTableau tableau, std::size_t first, std::size_t last,
                   const DifferencesInto& into) const {
    for (std::size_t i = first; i < last; ++i) {
      for (int k = 0; k < tableau.steps(); ++k)
        tableau.take(k, tripled(above_[k][i - first]), tripled(below_[k][i - first]));
      const auto place = static_cast<std::int64_t>(i * kWidth);
      const std::int64_t left = losses_.count() - place;
      store_differences(tableau, tripled(claimed_[i]), left < kWidth ? left : kWidth,
                        into.from(place));
    }
  }

  static TripledOf<V> gathered(const Wide* from, std::int64_t count) {
    double hi[kWidth] = {}, mid[kWidth] = {}, lo[kWidth] = {};
    for (std::int64_t i = 0; i < count; ++i) {
      hi[i] = from[i].hi;
      mid[i] = from[i].mid;
      lo[i] = from[i].lo;
    }
    return {load<V>(hi, kWidth), load<V>(mid, kWidth), load<V>(lo, kWidth)};
  }

  /// The width of each x and its inverse, pack by pack; std::vector<double> would be code that all
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

  UnitLoss<T> losses_;
  Values<T> claimed_;
  Values<T> above_[PackedTableau::kMost];  ///< changes of a slice, by step
  Values<T> below_[PackedTableau::kMost];
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT

template <>
std::unique_ptr<PackedLoss> packed_loss_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>(
    const CompiledPipeline& compiled, AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::double_double)
    return std::unique_ptr<PackedLoss>(new PackedLossOf<DoubledOf<Pack>>(compiled));
  if (arithmetic == AuditArithmetic::triple_double)
    return std::unique_ptr<PackedLoss>(new PackedLossOf<TripledOf<Pack>>(compiled));
  return nullptr;
}

}  // namespace gradproof
