// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/philox.h"

#include <bit>
#include <cmath>

namespace gradproof {
namespace {

constexpr int kRounds = 10;

std::uint32_t high(std::uint64_t product) { return static_cast<std::uint32_t>(product >> 32); }
std::uint32_t low(std::uint64_t product) { return static_cast<std::uint32_t>(product); }

/// FNV-1a.
std::uint32_t hash(std::string_view text) {
  std::uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h;
}

/// Natural logarithm from integers and + - * / alone (libm's bits vary by machine): x = m 2^e with
/// m in [1/sqrt 2, sqrt 2), log m = 2 atanh((m-1)/(m+1)) by its series. Relative error below 1e-15.
double logarithm(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  const double t = (m - 1) / (m + 1);
  const double square = t * t;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * 0.69314718055994530942 + 2 * t * sum;
}

template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = 0;
  for (std::size_t i = N; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// Wichura's coefficients: central (a/b), intermediate (c/d) and far tails (e/f).
constexpr std::array kA{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                        1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                        3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr std::array kB{1.0,
                        4.2313330701600911252e1,
                        6.8718700749205790830e2,
                        5.3941960214247511077e3,
                        2.1213794301586595867e4,
                        3.9307895800092710610e4,
                        2.8729085735721942674e4,
                        5.2264952788528545610e3};
constexpr std::array kC{1.42343711074968357734e0,  4.63033784615654529590e0,
                        5.76949722146069140550e0,  3.64784832476320460504e0,
                        1.27045825245236838258e0,  2.41780725177450611770e-1,
                        2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array kD{1.0,
                        2.05319162663775882187e0,
                        1.67638483018380384940e0,
                        6.89767334985100004550e-1,
                        1.48103976427480074590e-1,
                        1.51986665636164571966e-2,
                        5.47593808499534494600e-4,
                        1.05075007164441684324e-9};
constexpr std::array kE{6.65790464350110377720e0,  5.46378491116411436990e0,
                        1.78482653991729133580e0,  2.96560571828504891230e-1,
                        2.65321895265761230930e-2, 1.24266094738807843860e-3,
                        2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array kF{1.0,
                        5.99832206555887937690e-1,
                        1.36929880922735805310e-1,
                        1.48753612908506148525e-2,
                        7.86869131145613259100e-4,
                        1.84631831751005468180e-5,
                        1.42151175831644588870e-7,
                        2.04426310338993978564e-15};

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = 0xD2511F53ull * c[0];
    const std::uint64_t p1 = 0xCD9E8D57ull * c[2];
    c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  return c;
}

Stream::Stream(std::uint64_t seed, std::string_view name)
    : key_{low(seed), high(seed)}, name_(hash(name)) {}

std::uint64_t Stream::bits(std::uint64_t index) const {
  const auto r = philox({low(index), high(index), name_, 0}, key_);
  return (static_cast<std::uint64_t>(r[0]) << 32) | r[1];
}

double Stream::uniform(std::uint64_t index) const {
  // 2k+1 over 2^53 with k of 52 bits: never 0, never 1, symmetric about 1/2.
  return static_cast<double>(((bits(index) >> 12) << 1) | 1u) * 0x1p-53;
}

double Stream::normal(std::uint64_t index) const {
  const double p = uniform(index);
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  const double tail = q < 0 ? p : 1 - p;
  const double r = std::sqrt(-logarithm(tail));
  const double z = r <= 5 ? polynomial(kC, r - 1.6) / polynomial(kD, r - 1.6)
                          : polynomial(kE, r - 5) / polynomial(kF, r - 5);
  return q < 0 ? -z : z;
}

}  // namespace gradproof
