// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "oracles/arithmetic/bounding.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/evaluate_unit.h"
#include "oracles/real.h"
#include "tests/oracle_simulated.h"
#include "tests/oracle_support.h"

namespace gradproof::oracle_tests {

/// One column for a simulated kernel: claim, numbers, and what the kernel is free to do.
struct Trial {
  ClaimOptions options;
  Tensors inputs;
  Simulated::Freedoms freedoms;
};

/// Largest error/bound by tensor; vacuous elements (and their tensors' count) apart.
struct Ratios {
  std::map<std::string, double> largest;
  std::int64_t elements = 0;
  std::int64_t vacuous = 0;

  double worst() const {
    double most = 0;
    for (const auto& [name, ratio] : largest) most = std::max(most, ratio);
    return most;
  }
};

template <class F>
void note(Ratios& ratios, const std::string& name, const Real& truth, const ErrorScalar<F>& bound,
          float got) {
  ++ratios.elements;
  if (bound.vacuous || !std::isfinite(bound.total())) {
    ++ratios.vacuous;
    return;
  }
  const double error = Real(abs(truth - Real(got))).convert_to<double>();
  // The bookkeeping is double, as in Answering.
  const double ratio = error == 0 ? 0 : error / (bound.total() * (1 + 0x1p-20));
  double& most = ratios.largest[name];
  most = std::max(most, std::isnan(ratio) ? 1e300 : ratio);
}

/// Runs the float32 text and holds it against truth and bound in number type F.
template <class F>
Ratios run(const Trial& r) {
  const Claim claim = make_claim(r.options);
  const auto truth = evaluate_unit(claim, Plain<Real>(), gather<Real>(claim, r.inputs, 0), {}, 0);
  const auto bound =
      evaluate_unit(claim, Bounding<F>(claim), gather<ErrorScalar<F>>(claim, r.inputs, 0), {}, 0);
  const auto kernel = Simulated(claim.contract, r.freedoms).with_rows(claim.rows);
  const auto got = evaluate_unit(claim, kernel, gather<float>(claim, r.inputs, 0), {}, 0);
  Ratios ratios;
  for (std::size_t i = 0; i < got.y.size(); ++i) {
    note(ratios, "y", truth.y[i], bound.y[i], got.y[i]);
    note(ratios, "d_x", truth.gradients.input[i], bound.gradients.input[i], got.gradients.input[i]);
  }
  for (const auto& [name, value] : got.side_values)
    note(ratios, name, truth.side_values.at(name), bound.side_values.at(name), value);
  for (const auto& [name, value] : got.gradients.parameters)
    note(ratios, "d_" + name, truth.gradients.parameters.at(name),
         bound.gradients.parameters.at(name), value);
  return ratios;
}

/// Draws numbers for random runs. The standard engine's bits are the same everywhere, and only bits
/// are taken from it.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform());
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }
  double one_of(std::initializer_list<double> values) {
    return *(values.begin() + below(static_cast<std::int64_t>(values.size())));
  }
  /// Between a and b, evenly on a logarithmic scale.
  double log_uniform(double a, double b) { return a * std::pow(b / a, uniform()); }

 private:
  std::mt19937_64 engine_;
};

inline constexpr std::int64_t kFills = 11;

/// Columns that expose faults and badly conditioned ones, by number.
inline double drawn_x(Draw& draw, std::int64_t fill, std::int64_t row, double scale,
                      double offset) {
  const double z = draw.normal();
  switch (fill) {
    case 0:
      return z;
    case 1:
      return scale * z;
    case 2:
      return scale * (offset + z);
    case 3:
      return row == 0 ? 1e5 * z : z;
    case 4:
      return scale * offset;
    case 5:
      return (row & 1 ? -offset : offset) + z;
    case 6:
      return std::ldexp(z < 0 ? -1 - draw.uniform() : 1 + draw.uniform(),
                        static_cast<int>(draw.below(40)) - 20);
    case 7:
      return 1e-20 * z;
    case 8:
      return 1e-39 * z;
    case 9:
      return scale * (offset + (row == 0 ? 1 : 0));
    default:
      return std::ldexp(z < 0 ? -1.0 : 1.0, static_cast<int>(draw.below(20)) - 10);
  }
}

/// Freedoms and forms that every correct kernel has.
inline Trial drawn_forms(Draw& draw, Variance variance, std::int64_t most_rows) {
  Trial r;
  r.options.rows = static_cast<std::int64_t>(draw.log_uniform(2, static_cast<double>(most_rows)));
  r.options.cols = 1;
  r.options.eps = static_cast<float>(draw.one_of({1e-12, 1e-5, 1e-3, 1}));
  r.options.divide = static_cast<float>(draw.one_of({-3, -0.5, 0.3, 2}));
  r.options.momentum = static_cast<float>(draw.one_of({0.1, 0.9, 1}));
  Contract& c = r.options.contract;
  c.variance = variance;
  c.affine_folded = draw.below(4) == 0;
  c.swish = draw.below(2) ? SwishForm::product : SwishForm::quotient;
  c.complement = draw.below(2) ? SigmoidComplement::reflected : SigmoidComplement::subtracted;
  c.backward = draw.below(2) ? NormBackward::standardized : NormBackward::centered;
  c.running = draw.below(2) ? RunningUpdate::weighted : RunningUpdate::lerp;
  r.freedoms.fma = draw.below(2);
  r.freedoms.noisy = draw.below(3) == 0;
  r.freedoms.reciprocal = draw.below(2);
  r.freedoms.lanes = r.options.lanes = draw.below(2) ? 32 : draw.below(2) ? 4 : 1;
  if (variance == Variance::welford && draw.below(2))
    r.freedoms.chunk = r.options.chunk = draw.below(2) ? 16 : 3;
  // libm's expf is within 0.51, 1/sqrtf within 2; the noise adds whole units in the last place, 2u.
  c.exp_error = r.freedoms.noisy ? 3.02 : 1.02;
  c.rsqrt_error = r.freedoms.noisy ? 6.01 : 2;
  return r;
}

/// A random run; fill -1 draws one of all.
inline Trial drawn_trial(Draw& draw, Variance variance, std::int64_t most_rows = 700,
                         std::int64_t fill = -1) {
  Trial r = drawn_forms(draw, variance, most_rows);
  const Claim claim = make_claim(r.options);
  r.inputs = make_inputs(claim, static_cast<std::uint64_t>(draw.below(1 << 30)));
  const std::int64_t chosen = fill < 0 ? draw.below(kFills) : fill;
  const double scale = std::exp2(draw.uniform() * 20 - 10);
  const double offset = (draw.below(2) ? 1 : -1) * std::pow(10, draw.uniform() * 5);
  const double cotangent = draw.below(4) ? 1 : std::exp2(draw.uniform() * 24 - 12);
  const double extreme = draw.below(4) ? 1 : std::exp2(draw.uniform() * 12 - 6);
  for (std::int64_t row = 0; row < r.options.rows; ++row) {
    r.inputs.at("x").set(row, drawn_x(draw, chosen, row, scale, offset));
    r.inputs.at("dy").set(row, cotangent * (draw.below(2) ? 1 + draw.normal() : draw.normal()));
  }
  r.inputs.at("weight").set(0, draw.below(10) ? extreme * (1 + 0.3 * draw.normal()) : 0);
  r.inputs.at("beta").set(0, draw.below(10) ? 0.5 * draw.normal() : 0);
  r.inputs.at("bias").set(0, draw.below(10) ? draw.normal() : 0);
  return r;
}

}  // namespace gradproof::oracle_tests
