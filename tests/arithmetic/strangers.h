// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_table.h"
#include "oracles/arithmetic/lanes.h"

namespace gradproof::oracle_tests {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Counts lanes of packs that are not what double gives.
class Strangers {
 public:
  explicit Strangers(bool control) : control_(control) {}

  void compare(const Pack& got, const double* expected) {
    for (int i = 0; i < kPackLanes; ++i) {
      std::uint64_t bits = bits_of(lane(got, i));
      if (control_ && i == kPackLanes - 1) bits ^= 1;
      const bool both_nan = is_nan(lane(got, i)) && is_nan(expected[i]);
      count_ += !both_nan && bits != bits_of(expected[i]);
    }
  }
  void compare(const Mask& got, const bool* expected) {
    bool some = false;
    bool every = true;
    for (int i = 0; i < kPackLanes; ++i) {
      count_ += lane(got, i) != (expected[i] != (control_ && i == 0));
      some = some || expected[i];
      every = every && expected[i];
    }
    count_ += (any(got) != some) + (all(got) != every);
  }

  /// Compares operation(a, b) on packs with the same lane by lane.
  template <class Each>
  void numbers(const double* a, const double* b, const Each& operation) {
    double expected[kPackLanes];
    for (int i = 0; i < kPackLanes; ++i) expected[i] = operation(a[i], b[i]);
    compare(operation(load<Pack>(a), load<Pack>(b)), expected);
  }
  template <class Each>
  void masks(const double* a, const double* b, const Each& operation) {
    bool expected[kPackLanes];
    for (int i = 0; i < kPackLanes; ++i) expected[i] = operation(a[i], b[i]);
    compare(operation(load<Pack>(a), load<Pack>(b)), expected);
  }

  std::int64_t count() const { return count_; }

 private:
  bool control_;
  std::int64_t count_ = 0;
};

inline void compare_numbers(Strangers& s, const double* a, const double* b) {
  s.numbers(a, b, [](const auto& x, const auto& y) { return x + y; });
  s.numbers(a, b, [](const auto& x, const auto& y) { return x - y; });
  s.numbers(a, b, [](const auto& x, const auto& y) { return x * y; });
  s.numbers(a, b, [](const auto& x, const auto& y) { return x / y; });
  s.numbers(a, b, [](const auto& x, const auto&) { return -x; });
  s.numbers(a, b, [](const auto& x, const auto&) { return abs(x); });
  s.numbers(a, b, [](const auto& x, const auto&) { return sqrt(x); });
  s.numbers(a, b, [](const auto& x, const auto& y) { return min(x, y); });
  s.numbers(a, b, [](const auto& x, const auto& y) { return max(x, y); });
  s.numbers(a, b, [](const auto& x, const auto& y) { return select(x < y, x, y); });
  s.numbers(a, b,
            [](const auto& x, const auto&) { return looked_up(kTwoToFraction, bits_of(x) & 127); });
  s.numbers(a, b,
            [](const auto& x, const auto&) { return doubles_of(((bits_of(x) + 5) - 9) << 3); });
#ifdef __FMA__
  s.numbers(a, b, [](const auto& x, const auto& y) { return fused(x, y, x); });
#endif
}

inline void compare_masks(Strangers& s, const double* a, const double* b) {
  s.masks(a, b, [](const auto& x, const auto& y) { return x < y; });
  s.masks(a, b, [](const auto& x, const auto& y) { return x <= y; });
  s.masks(a, b, [](const auto& x, const auto& y) { return x > y; });
  s.masks(a, b, [](const auto& x, const auto& y) { return x >= y; });
  s.masks(a, b, [](const auto& x, const auto& y) { return x == y; });
  s.masks(a, b, [](const auto& x, const auto&) { return is_finite(x); });
  s.masks(a, b, [](const auto& x, const auto&) { return is_inf(x); });
  s.masks(a, b, [](const auto& x, const auto&) { return is_nan(x); });
  s.masks(a, b, [](const auto& x, const auto& y) { return !((x < y) & is_finite(x)); });
  s.masks(a, b, [](const auto& x, const auto& y) { return (x < y) | is_nan(x); });
}

/// Moving numbers between memory and lanes, and lanes among themselves.
inline void compare_places(Strangers& s, const double* a) {
  for (int n = 1; n <= kPackLanes; ++n) {
    double padded[kPackLanes], cut[kPackLanes], stored[kPackLanes];
    for (int i = 0; i < kPackLanes; ++i) {
      padded[i] = a[i < n ? i : n - 1];
      cut[i] = stored[i] = i < n ? a[i] : 0;
    }
    s.compare(load<Pack>(a, n), padded);
    s.compare(kept(load<Pack>(a), n), cut);
    double to[kPackLanes] = {};
    store(to, load<Pack>(a), n);
    s.compare(load<Pack>(to), stored);
  }
  double same[kPackLanes], turned[kPackLanes];
  const Pack sum = sum_of_lanes(load<Pack>(a));
  for (int i = 0; i < kPackLanes; ++i) {
    same[i] = lane(sum, 0);
    turned[i] = a[i ^ 1];
  }
  s.compare(sum, same);
  s.compare(exchanged<1>(load<Pack>(a)), turned);
}

inline std::int64_t strangers_of(const double* a, const double* b, bool control) {
  Strangers s(control);
  compare_numbers(s, a, b);
  compare_masks(s, a, b);
  compare_places(s, a);
  return s.count();
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof::oracle_tests
