// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>

#include "oracles/arithmetic/real.h"
#include "oracles/differences/evaluate/statistics_pipeline.h"
#include "oracles/differences/evaluate/unit_loss.h"
#include "oracles/pipeline/gather.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {

inline constexpr double kSwishSlope = 1.1;
inline const Movable kX{true, 0};

struct Data {
  std::string name;
  double offset = 0;
  double outlier = 0;  ///< added to one element
  bool mixed = false;  ///< scales from 1e-3 to 1e3
  bool constant = false;
  double eps = 1e-5;
};

inline void PrintTo(const Data& data, std::ostream* out) { *out << data.name; }

inline const std::vector<Data>& data_sets() {
  static const std::vector<Data> sets{{.name = "normal"},
                                      {.name = "offset", .offset = 1e3},
                                      {.name = "outlier", .outlier = 1e5},
                                      {.name = "mixed", .mixed = true},
                                      {.name = "constant", .offset = 3, .constant = true},
                                      {.name = "eps", .eps = 1e4}};
  return sets;
}

inline const std::vector<std::string>& norm_systems() {
  static const std::vector<std::string> names{
      "batchnorm_bias_divide_swish",    "scale_batchnorm",
      "swish_bias_groupnorm",           "groupnorm",
      "groupnorm_swish_multiply_swish", "scale_bias_swish_groupnorm_multiply_swish"};
  return names;
}

/// One unit of n elements, of a claim.
struct NormUnit {
  Claim claim;
  CompiledPipeline compiled;
  Unit<double> unit;

  NormUnit(const std::string& system, std::int64_t n, const Data& data)
      : claim(claim_of(system, n, data.eps)), compiled(claim) {
    Tensors inputs = make_inputs(claim, 11, 1, data.offset);
    Tensor& x = inputs.at("x");
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      if (data.mixed) x.set(i, std::pow(10.0, static_cast<double>(i % 7 - 3)) * x.at(i));
      if (data.constant) x.set(i, data.offset);
      if (i == x.numel() / 2) x.set(i, x.at(i) + data.outlier);
    }
    unit = gather<double>(claim, inputs, 0);
  }

  static Claim claim_of(const std::string& system, std::int64_t n, double eps) {
    const bool group = system.find("groupnorm") != std::string::npos;
    return make_claim({.system = system,
                       .rows = group ? 1 : n,
                       .cols = group ? n : 1,
                       .vector = VectorShape::cols,
                       .eps = eps});
  }

  /// The tensors that can be moved: x, and those before a GroupNorm by channel.
  std::vector<Movable> movables() const {
    std::vector<Movable> result{kX};
    const StatisticsPipeline parts(compiled);
    for (std::size_t k = 0; k < compiled.numbers.size(); ++k)
      if (parts.allows({false, k})) result.push_back({false, k});
    return result;
  }
};

/// The losses of a NormUnit in 50 digits.
struct Exact {
  Unit<double> unit;
  UnitLoss<Real, Real> losses;

  explicit Exact(const NormUnit& norm_unit) : unit(norm_unit.unit), losses(norm_unit.compiled) {
    losses.take_unit(unit);
  }

  Real change(const Movable& tensor, std::int64_t place, double move) {
    return losses.change(tensor, Method::direct, place, move);
  }

  Values<Real> through_statistics(const Movable& tensor, double move) {
    Values<Real> changes(unit.x.size());
    losses.changes(tensor, Method::statistics, move, changes.data());
    return changes;
  }

  /// The factor by which a scale before the norm moves what the norm takes.
  double largest_x() const {
    double most = 1;
    for (const double x : unit.x) most = std::max(most, std::abs(x));
    return most;
  }

  double scale() const { return std::ldexp(1, -std::ilogb(losses.rstd())); }

  /// The most that rounding does to a change with unit roundoff u. A summand meets N additions
  /// for the mean, N for the variance, N for L and fewer than 40 operations of its own, in each of
  /// two evaluations; errors of z - mean are relative to the largest |z|, and reach y by at most
  /// the slope of all that comes behind xhat.
  Real rounding(const NormUnit& norm_unit, double u) {
    Real slope(1);
    for (const CompiledStep& line : norm_unit.compiled.lines) {
      if (line.formula == StageFormula::swish) slope *= kSwishSlope;
      if (line.formula == StageFormula::divide) slope /= std::abs(line.scalars[0]);
      if (line.formula == StageFormula::bias || line.numbers[0] == CompiledStep::kAbsent) continue;
      Real largest(0);
      for (const double p : unit.numbers[static_cast<std::size_t>(line.numbers[0])])
        largest = std::max(largest, Real(std::abs(p)));
      slope *= std::max(Real(1), largest);
    }
    slope *= 1 + (1 + largest_x()) * std::max(1.0, losses.rstd());
    Real sum(losses.magnitude());
    for (const double dy : unit.dy) sum += std::abs(dy) * slope;
    return sum * (2 * (3 * static_cast<double>(unit.x.size()) + 40) * u);
  }
};

/// Some places of n; all of them if n is small.
inline std::vector<std::int64_t> places(std::int64_t n) {
  std::vector<std::int64_t> result;
  const std::int64_t step = std::max<std::int64_t>(1, n / 12);
  for (std::int64_t i = 0; i < n; i += step) result.push_back(i);
  result.push_back(n - 1);
  result.push_back(n / 2);
  return result;
}

}  // namespace gradproof::oracle_tests
