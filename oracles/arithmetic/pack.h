// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>
#include <utility>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include "oracles/arithmetic/pack_avx512.h"
#else
#include "oracles/arithmetic/pack_vector.h"
#endif

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Numbers in one pack: 8, 4 or 2, by the instruction set of the compilation.
inline constexpr int kPackLanes = raw::kLanes;

/// A truth value for each lane of a pack.
struct Mask {
  raw::Mask raw;

  Mask() : raw(raw::every(false)) {}
  Mask(bool every) : raw(raw::every(every)) {}  // NOLINT: a bool is a mask of equal lanes
  explicit Mask(raw::Mask lanes, int) : raw(lanes) {}
};

[[gnu::always_inline]] inline Mask operator&(const Mask& a, const Mask& b) {
  return Mask(raw::both(a.raw, b.raw), 0);
}
[[gnu::always_inline]] inline Mask operator|(const Mask& a, const Mask& b) {
  return Mask(raw::either(a.raw, b.raw), 0);
}
[[gnu::always_inline]] inline Mask operator!(const Mask& a) { return Mask(raw::inverse(a.raw), 0); }
[[gnu::always_inline]] inline bool any(const Mask& a) { return raw::bits_of(a.raw) != 0; }
[[gnu::always_inline]] inline bool all(const Mask& a) {
  return raw::bits_of(a.raw) == (1u << kPackLanes) - 1;
}
[[gnu::always_inline]] inline bool lane(const Mask& a, int i) {
  return (raw::bits_of(a.raw) >> i & 1) != 0;
}

/// kPackLanes doubles. Every operation has the same result, bit by bit, as on each double alone.
struct Pack {
  raw::Doubles raw;

  Pack() : raw{} {}
  Pack(double every) : raw(every - raw::Doubles{}) {}  // NOLINT: a double is a pack of equal lanes
  explicit Pack(raw::Doubles lanes, int) : raw(lanes) {}

  Pack& operator+=(const Pack& o) {
    raw += o.raw;
    return *this;
  }
};

[[gnu::always_inline]] inline Pack operator-(const Pack& a) { return Pack(-a.raw, 0); }
[[gnu::always_inline]] inline Pack operator+(const Pack& a, const Pack& b) {
  return Pack(a.raw + b.raw, 0);
}
[[gnu::always_inline]] inline Pack operator-(const Pack& a, const Pack& b) {
  return Pack(a.raw - b.raw, 0);
}
[[gnu::always_inline]] inline Pack operator*(const Pack& a, const Pack& b) {
  return Pack(a.raw * b.raw, 0);
}
[[gnu::always_inline]] inline Pack operator/(const Pack& a, const Pack& b) {
  return Pack(a.raw / b.raw, 0);
}
[[gnu::always_inline]] inline Mask operator<(const Pack& a, const Pack& b) {
  return Mask(raw::less(a.raw, b.raw), 0);
}
[[gnu::always_inline]] inline Mask operator<=(const Pack& a, const Pack& b) {
  return Mask(raw::less_equal(a.raw, b.raw), 0);
}
[[gnu::always_inline]] inline Mask operator>(const Pack& a, const Pack& b) { return b < a; }
[[gnu::always_inline]] inline Mask operator>=(const Pack& a, const Pack& b) { return b <= a; }
[[gnu::always_inline]] inline Mask operator==(const Pack& a, const Pack& b) {
  return Mask(raw::equal(a.raw, b.raw), 0);
}

[[gnu::always_inline]] inline Pack select(const Mask& m, const Pack& a, const Pack& b) {
  return Pack(raw::blend(m.raw, a.raw, b.raw), 0);
}
[[gnu::always_inline]] inline Mask select(const Mask& m, const Mask& a, const Mask& b) {
  return (m & a) | (b & !m);
}
[[gnu::always_inline]] inline Pack min(const Pack& a, const Pack& b) {
  return Pack(raw::minimum(a.raw, b.raw), 0);
}
[[gnu::always_inline]] inline Pack max(const Pack& a, const Pack& b) {
  return Pack(raw::maximum(a.raw, b.raw), 0);
}
[[gnu::always_inline]] inline Pack sqrt(const Pack& a) { return Pack(raw::root(a.raw), 0); }
#ifdef __FMA__
[[gnu::always_inline]] inline Pack fused(const Pack& a, const Pack& b, const Pack& c) {
  return Pack(raw::fused(a.raw, b.raw, c.raw), 0);
}
#endif

/// The bits of doubles as integers modulo 2^64.
struct PackBits {
  raw::Bits raw;
};

[[gnu::always_inline]] inline PackBits bits_of(const Pack& a) { return {(raw::Bits)a.raw}; }
[[gnu::always_inline]] inline Pack doubles_of(const PackBits& a) {
  return Pack((raw::Doubles)a.raw, 0);
}
[[gnu::always_inline]] inline PackBits operator+(const PackBits& a, std::uint64_t b) {
  return {a.raw + b};
}
[[gnu::always_inline]] inline PackBits operator-(const PackBits& a, std::uint64_t b) {
  return {a.raw - b};
}
[[gnu::always_inline]] inline PackBits operator&(const PackBits& a, std::uint64_t b) {
  return {a.raw & b};
}
[[gnu::always_inline]] inline PackBits operator<<(const PackBits& a, int places) {
  return {a.raw << places};
}

[[gnu::always_inline]] inline Pack abs(const Pack& a) {
  return doubles_of(bits_of(a) & ~(std::uint64_t{1} << 63));
}

/// table[index], lane by lane.
[[gnu::always_inline]] inline Pack looked_up(const double* table, const PackBits& index) {
  return Pack(raw::gathered(table, index.raw), 0);
}

[[gnu::always_inline]] inline double lane(const Pack& a, int i) { return a.raw[i]; }

template <int kApart, int... kLane>
[[gnu::always_inline]] inline Pack exchanged(const Pack& a, std::integer_sequence<int, kLane...>) {
  return Pack(__builtin_shufflevector(a.raw, a.raw, (kLane ^ kApart)...), 0);
}
/// Lane i of the result is lane i ^ kApart of the argument.
template <int kApart>
[[gnu::always_inline]] inline Pack exchanged(const Pack& a) {
  return exchanged<kApart>(a, std::make_integer_sequence<int, kPackLanes>{});
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
