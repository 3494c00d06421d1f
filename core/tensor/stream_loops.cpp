// SPDX-License-Identifier: Apache-2.0
// The loops of a stream, compiled once for each instruction set. Nothing here calls an inline
// function of a header: the linker might take another compilation's copy of it.
#include "core/tensor/stream_loops.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace gradproof {
namespace {

constexpr std::size_t kChunk = 64;
constexpr int kRounds = 10;

inline std::uint64_t bits_of(double value) { return __builtin_bit_cast(std::uint64_t, value); }
inline double from_bits(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }

#if defined(__AVX512F__)
constexpr std::size_t kLanes = 8;
#elif defined(__AVX2__)
constexpr std::size_t kLanes = 4;
#else
constexpr std::size_t kLanes = 2;
#endif
using Words [[gnu::vector_size(8 * kLanes)]] = std::uint64_t;

/// The products of the lower halves. Without intrinsics a compiler multiplies the whole words.
inline Words product(const Words& a, const Words& b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Words>(
      _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Words>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}

inline Words everywhere(std::uint64_t number) { return Words{} + number; }

/// Philox4x32-10 (philox.h) of the counters (index, name, 0): the first two words of each. Only the
/// lower half of c0 and c2 counts.
void bits_of_chunk(const StreamKey& key, std::uint64_t first, std::size_t count,
                   std::uint64_t* __restrict out) {
  std::uint64_t found[kChunk];
  for (std::size_t start = 0; start < count; start += kLanes) {
    Words index;
    for (std::size_t k = 0; k < kLanes; ++k) index[k] = first + start + k;
    Words c0 = index;
    Words c1 = index >> 32;
    Words c2 = everywhere(key.name);
    Words c3{};
    std::uint32_t k0 = key.key[0];
    std::uint32_t k1 = key.key[1];
    for (int round = 0; round < kRounds; ++round) {
      const Words p0 = product(c0, everywhere(0xD2511F53u));
      const Words p1 = product(c2, everywhere(0xCD9E8D57u));
      c0 = (p1 >> 32) ^ c1 ^ everywhere(k0);
      c2 = (p0 >> 32) ^ c3 ^ everywhere(k1);
      c1 = p1 & 0xFFFFFFFFu;
      c3 = p0 & 0xFFFFFFFFu;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    const Words both = c0 << 32 | c1;
    __builtin_memcpy(found + start, &both, sizeof both);
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = found[i];
}

/// 2k+1 over 2^53 with k of 52 bits: never 0, never 1, symmetric about 1/2. The bits of 1 + k 2^-52
/// are set directly.
inline double uniform_of(std::uint64_t bits) {
  return (from_bits(bits >> 12 | 0x3FF0000000000000u) - 1) + 0x1p-53;
}

void uniforms_of_chunk(const StreamKey& key, std::uint64_t first, std::size_t count,
                       double* __restrict out) {
  std::uint64_t bits[kChunk];
  bits_of_chunk(key, first, count, bits);
  for (std::size_t i = 0; i < count; ++i) out[i] = uniform_of(bits[i]);
}

/// The natural logarithm by integers and + - * / alone (libm's bits vary by machine): x = m 2^e,
/// m in [1/sqrt 2, sqrt 2), log m = 2 atanh((m-1)/(m+1)) by its series. Relative error below 1e-15.
/// x must be a normal number below 1.
inline double logarithm(double x) {
  constexpr double kWhole = 0x1p52;  // its last place is 1
  const std::uint64_t bits = bits_of(x);
  const double significand = from_bits((bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
  const double field = from_bits((bits >> 52) | bits_of(kWhole)) - kWhole;
  const bool large = significand > 1.4142135623730951;
  const double m = large ? significand * 0.5 : significand;
  const double exponent = (field - 1023) + (large ? 1 : 0);
  const double t = (m - 1) / (m + 1);
  const double square = t * t;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * 0.69314718055994530942 + 2 * t * sum;
}

template <std::size_t N>
inline double polynomial(const double (&coefficients)[N], double x) {
  double sum = 0;
  for (std::size_t i = N; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// Wichura's coefficients: central (a/b), intermediate (c/d) and far tails (e/f).
constexpr double kA[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                         1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                         3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double kB[] = {1.0,
                         4.2313330701600911252e1,
                         6.8718700749205790830e2,
                         5.3941960214247511077e3,
                         2.1213794301586595867e4,
                         3.9307895800092710610e4,
                         2.8729085735721942674e4,
                         5.2264952788528545610e3};
constexpr double kC[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                         5.76949722146069140550e0,  3.64784832476320460504e0,
                         1.27045825245236838258e0,  2.41780725177450611770e-1,
                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double kD[] = {1.0,
                         2.05319162663775882187e0,
                         1.67638483018380384940e0,
                         6.89767334985100004550e-1,
                         1.48103976427480074590e-1,
                         1.51986665636164571966e-2,
                         5.47593808499534494600e-4,
                         1.05075007164441684324e-9};
constexpr double kE[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                         1.78482653991729133580e0,  2.96560571828504891230e-1,
                         2.65321895265761230930e-2, 1.24266094738807843860e-3,
                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double kF[] = {1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15};

/// Standard normal by inversion (Wichura 1988, AS 241, PPND16) of p, |p - 1/2| <= 0.425.
inline double central(double p) {
  const double q = p - 0.5;
  const double r = 0.180625 - q * q;
  return q * polynomial(kA, r) / polynomial(kB, r);
}

/// Standard normal by inversion of all other p.
inline double in_tail(double p) {
  const bool negative = p - 0.5 < 0;
  const double r = __builtin_sqrt(-logarithm(negative ? p : 1 - p));
  const double near = polynomial(kC, r - 1.6) / polynomial(kD, r - 1.6);
  const double far = polynomial(kE, r - 5) / polynomial(kF, r - 5);
  const double z = r <= 5 ? near : far;
  return negative ? -z : z;
}

/// The numbers in the tails, one in seven, are first gathered into one array.
void normals_of_chunk(const StreamKey& key, std::uint64_t first, std::size_t count,
                      double* __restrict out) {
  double p[kChunk];
  double z[kChunk];
  double tails[kChunk];
  std::size_t places[kChunk];
  uniforms_of_chunk(key, first, count, p);
  for (std::size_t i = 0; i < count; ++i) z[i] = central(p[i]);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    tails[found] = p[i];
    places[found] = i;
    found += __builtin_fabs(p[i] - 0.5) <= 0.425 ? 0 : 1;
  }
  for (std::size_t k = 0; k < found; ++k) tails[k] = in_tail(tails[k]);
  for (std::size_t k = 0; k < found; ++k) z[places[k]] = tails[k];
  for (std::size_t i = 0; i < count; ++i) out[i] = z[i];
}

template <class Number, void (*of_chunk)(const StreamKey&, std::uint64_t, std::size_t, Number*)>
void in_chunks(const StreamKey& key, std::uint64_t first, std::size_t count, Number* out) {
  for (std::size_t start = 0; start < count; start += kChunk) {
    const std::size_t rest = count - start;
    of_chunk(key, first + start, rest < kChunk ? rest : kChunk, out + start);
  }
}

}  // namespace

template <>
StreamLoops stream_loops_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>() {
  return {in_chunks<std::uint64_t, bits_of_chunk>, in_chunks<double, uniforms_of_chunk>,
          in_chunks<double, normals_of_chunk>};
}

}  // namespace gradproof
