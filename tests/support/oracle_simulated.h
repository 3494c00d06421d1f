// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "oracles/arithmetic/forms.h"
#include "oracles/arithmetic/logistic.h"
#include "oracles/pipeline/stage.h"

namespace gradproof::oracle_tests {

/// The fault of a simulated kernel.
enum class Fault { none, no_mean_of_g, no_division_by_n, no_eps, one_pass };

/// Another arithmetic for the stages' text: float32 as a correct kernel computes it, lanes and a
/// tree as the contract says, with the freedoms that a kernel has (fma, inexact exp and rsqrt).
class Simulated {
 public:
  using Scalar = float;
  using Sigmoid = Logistic<float>;

  struct Freedoms {
    bool fma = false;
    bool noisy = false;      ///< exp one, rsqrt two units in the last place off
    bool reciprocal = true;  ///< Welford multiplies with a rounded 1/n, and reads x once
    std::int64_t lanes = 32;
    std::int64_t chunk = 1 << 30;  ///< rows of one set of Welford lanes
    Fault fault = Fault::none;
  };

  Simulated(const Contract& contract, const Freedoms& freedoms)
      : contract_(contract),
        freedoms_(freedoms),
        forms_{contract.affine_folded, contract.backward, contract.running} {}

  const Forms& forms() const { return forms_; }

  void take_count(std::int64_t n) { rows_ = n; }
  double count() const { return static_cast<double>(rows_); }

  float sum(const Values<float>& values, const std::string&) const {
    return reduced(values.size(), [&](std::size_t i, float total) { return total + values[i]; });
  }
  float sum_in_unit(const Values<float>& values) const { return sum(values, kGradients); }

  float dot(const Values<float>& a, const Values<float>& b, const std::string&) const {
    return reduced(a.size(),
                   [&](std::size_t i, float total) { return mul_add(a[i], b[i], total); });
  }

  Statistics<float> statistics(const Values<float>& x, double eps) const {
    const auto n = static_cast<float>(x.size());
    const bool one_pass = contract_.variance == Variance::one_pass;
    float mean = sum(x, kStatistics) / n;
    float variance = 0;
    if (one_pass || freedoms_.fault == Fault::one_pass) {
      variance = std::max(0.0f, mul_add(-mean, mean, dot(x, x, kStatistics) / n));
    } else if (contract_.variance == Variance::welford) {
      const Moments all = welford(x);
      mean = all.mean;
      variance = all.m2 / n;
    } else {
      Values<float> d = x;
      for (float& v : d) v -= mean;
      variance = dot(d, d, kStatistics) / n;
    }
    const bool no_eps = freedoms_.fault == Fault::no_eps && variance > 0;
    return {mean, variance, rstd(variance, no_eps ? 0 : eps)};
  }

  float rstd(float variance, double eps) const {
    return jittered(1 / std::sqrt(variance + static_cast<float>(eps)), 2);
  }

  Sigmoid logistic(float z) const {
    const float t = jittered(std::exp(-std::abs(z)), 1);
    const float large = 1 / (1 + t);
    const float small = t / (1 + t);
    return z >= 0 ? Sigmoid{large, small} : Sigmoid{small, large};
  }
  float swish(float z, const Sigmoid& l) const {
    const bool quotient = contract_.swish == SwishForm::quotient && z > -80;
    return quotient ? z / (1 + jittered(std::exp(-z), 1)) : z * l.s;
  }
  float swish_adjoint(float dy, float z, const Sigmoid& l) const {
    const bool reflected = contract_.complement == SigmoidComplement::reflected;
    const float slope = mul_add(z, reflected ? l.q : 1 - l.s, 1);
    return contract_.cotangent_first ? dy * l.s * slope : dy * (l.s * slope);
  }

  /// The place where a norm takes the means of its two sums: a fault may drop one.
  float shared(float value, SharedError symbol) const {
    if (symbol == SharedError::first_sum && freedoms_.fault == Fault::no_mean_of_g) return 0;
    if (symbol == SharedError::second_sum && freedoms_.fault == Fault::no_division_by_n)
      return value * static_cast<float>(rows_);
    return value;
  }
  float folded(float value) const { return value; }

  /// This arithmetic for a unit of so many rows, which only a fault asks for.
  Simulated with_rows(std::int64_t rows) const {
    Simulated s = *this;
    s.rows_ = rows;
    return s;
  }

 private:
  struct Moments {
    float mean = 0;
    float m2 = 0;
    std::int64_t count = 0;
  };

  float mul_add(float a, float b, float c) const {
    return freedoms_.fma ? std::fma(a, b, c) : a * b + c;
  }

  /// The number y, off by up to so many units in the last place, by a hash of the bits.
  float jittered(float y, std::uint32_t places) const {
    if (!freedoms_.noisy || !(y >= 1e-37f) || !(y < 1e37f)) return y;
    const auto bits = std::bit_cast<std::uint32_t>(y);
    const std::uint32_t hash = (bits * 2654435761u) >> 16;
    return std::bit_cast<float>(bits + hash % (2 * places + 1) - places);
  }

  template <class Step>
  float reduced(std::size_t size, const Step& step) const {
    Values<float> lanes(lane_count(size), 0.0f);
    for (std::size_t i = 0; i < size; ++i) {
      float& lane = lanes[i % lanes.size()];
      lane = step(i, lane);
    }
    for (std::size_t apart = 1; apart < lanes.size(); apart *= 2)
      for (std::size_t i = 0; i + apart < lanes.size(); i += 2 * apart)
        lanes[i] += lanes[i + apart];
    return lanes[0];
  }

  std::size_t lane_count(std::size_t size) const {
    return std::max<std::size_t>(1, std::min(size, static_cast<std::size_t>(freedoms_.lanes)));
  }

  /// The moments of chunks of rows, which are joined in lanes and a tree as well.
  Moments welford(const Values<float>& x) const {
    const auto chunk = static_cast<std::size_t>(freedoms_.chunk);
    std::vector<Moments> chunks;
    for (std::size_t first = 0; first < x.size(); first += chunk)
      chunks.push_back(welford_of(x, first, std::min(x.size(), first + chunk)));
    std::vector<Moments> lanes(lane_count(chunks.size()));
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      Moments& m = lanes[i % lanes.size()];
      m = i < lanes.size() ? chunks[i] : joined(m, chunks[i]);
    }
    return tree(lanes);
  }

  Moments welford_of(const Values<float>& x, std::size_t first, std::size_t end) const {
    std::vector<Moments> lanes(lane_count(end - first));
    for (std::size_t i = first; i < end; ++i) {
      Moments& m = lanes[(i - first) % lanes.size()];
      const float d = x[i] - m.mean;
      const auto n = static_cast<float>(++m.count);
      if (freedoms_.reciprocal) {
        m.mean = mul_add(d, 1 / n, m.mean);
        m.m2 = mul_add(d, mul_add(-d, 1 / n, d), m.m2);
      } else {
        m.mean += d / n;
        m.m2 = mul_add(d, x[i] - m.mean, m.m2);
      }
    }
    return tree(lanes);
  }

  Moments tree(std::vector<Moments> lanes) const {
    for (std::size_t apart = 1; apart < lanes.size(); apart *= 2)
      for (std::size_t i = 0; i + apart < lanes.size(); i += 2 * apart)
        lanes[i] = joined(lanes[i], lanes[i + apart]);
    return lanes[0];
  }

  Moments joined(const Moments& a, const Moments& b) const {
    const std::int64_t count = a.count + b.count;
    const float share = static_cast<float>(b.count) / static_cast<float>(count);
    const float d = b.mean - a.mean;
    const float between = d * d * (static_cast<float>(a.count) * share);
    return {mul_add(d, share, a.mean), (a.m2 + b.m2) + between, count};
  }

  const Contract& contract_;
  Freedoms freedoms_;
  Forms forms_;
  std::int64_t rows_ = 1;
};

}  // namespace gradproof::oracle_tests
