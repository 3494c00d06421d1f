// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <ostream>
#include <random>
#include <string>

#include "tests/support/oracle_simulated_kernel.h"

namespace gradproof {

inline void PrintTo(Variance variance, std::ostream* out) {
  *out << (variance == Variance::two_pass  ? "two_pass"
           : variance == Variance::welford ? "welford"
                                           : "one_pass");
}

}  // namespace gradproof

namespace gradproof::oracle_tests {

/// A small claim for a simulated kernel: claim, numbers, and what the kernel is free to do.
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

inline void note(Ratios& ratios, const std::map<std::string, Judged, std::less<>>& judged) {
  for (const auto& [name, tensor] : judged) {
    const Discrepancy& d = tensor.discrepancy;
    ratios.elements += d.elements;
    ratios.vacuous += d.vacuous;
    double& most = ratios.largest[name];
    most = std::max(most, d.max_ratio);
  }
}

/// Runs the float32 text and holds it against truth and bound: end to end, and the backward pass
/// from the statistics that the forward pass saved.
inline Ratios run(const Trial& r) {
  const Claim claim = make_claim(r.options);
  const SimulatedKernel kernel(claim, r.freedoms);
  Ratios ratios;
  const Tensors got = kernel.run(r.inputs, std::nullopt);
  note(ratios, compare_with_truth(claim, r.inputs, std::nullopt, got));
  if (!claim.has("mean")) return ratios;
  const GivenStatistics given{get(got, "mean"), get(got, "rstd")};
  note(ratios, compare_with_truth(claim, r.inputs, given, kernel.run(r.inputs, given)));
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
  /// A number between a and b, evenly drawn on a logarithmic scale.
  double log_uniform(double a, double b) { return a * std::pow(b / a, uniform()); }

 private:
  std::mt19937_64 engine_;
};

inline constexpr std::int64_t kFills = 11;

/// Units that expose faults and badly conditioned ones, by number.
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

/// Extents: one column or a few; with groups a few rows of a few groups.
inline void draw_extents(Draw& draw, ClaimOptions& o, std::int64_t most) {
  const auto unit = static_cast<std::int64_t>(draw.log_uniform(2, static_cast<double>(most)));
  o.vector = draw.below(3) == 0 ? VectorShape::one : VectorShape::cols;
  if (has_group_norm(o)) {
    o.groups = 1 + draw.below(3);
    o.cols = o.groups * (draw.below(20) ? unit : 1);
    o.rows = 1 + draw.below(4);
  } else {
    o.rows = unit;
    o.cols = 1 + (draw.below(3) == 0 ? draw.below(3) : 0);
  }
}

/// Freedoms and forms that every correct kernel has.
inline Trial drawn_forms(Draw& draw, const std::string& system, Variance variance,
                         std::int64_t most) {
  Trial r;
  r.options.system = system;
  draw_extents(draw, r.options, most);
  r.options.eps = static_cast<float>(draw.one_of({1e-12, 1e-5, 1e-3, 1}));
  r.options.divide = static_cast<float>(draw.one_of({-3, -0.5, 0.3, 2}));
  r.options.momentum = static_cast<float>(draw.one_of({0.1, 0.9, 1}));
  Contract& c = r.options.contract;
  c.variance = variance;
  c.affine_folded = draw.below(4) == 0;
  c.swish = draw.below(2) ? SwishForm::product : SwishForm::quotient;
  c.complement = draw.below(2) ? SigmoidComplement::reflected : SigmoidComplement::subtracted;
  c.backward = draw.below(2) ? NormBackward::standardized : NormBackward::centered;
  if (has_group_norm(r.options) && draw.below(3) == 0) c.backward = NormBackward::uncentered;
  if (system == "scale_batchnorm") r.options.closed = draw.below(2);
  c.running = draw.below(2) ? RunningUpdate::weighted : RunningUpdate::lerp;
  if (draw.below(4) == 0) {
    c.storage = draw.below(2) ? DType::f16 : DType::bf16;
    if (draw.below(2)) r.options.parameters = DType::f32;
  }
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

/// float16 holds numbers up to 65504.
inline double within_range(const Trial& r, double value) {
  const double most = r.options.contract.storage == DType::f16 ? 6e4 : 1e30;
  return std::clamp(value, -most, most);
}

/// New numbers for x, dy and the parameters; fill -1 draws one of all for each unit.
inline void draw_inputs(Draw& draw, Trial& r, std::int64_t fill) {
  const Claim claim = make_claim(r.options);
  const Geometry geometry(claim);
  r.inputs = make_inputs(claim, static_cast<std::uint64_t>(draw.below(1 << 30)));
  for (std::int64_t unit = 0; unit < geometry.units(); ++unit) {
    const std::int64_t chosen = fill < 0 ? draw.below(kFills) : fill;
    const double scale = std::exp2(draw.uniform() * 20 - 10);
    const double offset = (draw.below(2) ? 1 : -1) * std::pow(10, draw.uniform() * 5);
    const double cotangent = draw.below(4) ? 1 : std::exp2(draw.uniform() * 24 - 12);
    for (std::int64_t i = 0; i < geometry.unit_size(); ++i) {
      const std::int64_t index = geometry.first(unit) + i * geometry.stride();
      r.inputs.at("x").set(index, within_range(r, drawn_x(draw, chosen, i, scale, offset)));
      const double normal = draw.normal();
      r.inputs.at("dy").set(index,
                            within_range(r, cotangent * (draw.below(2) ? 1 + normal : normal)));
    }
  }
  const double extreme = draw.below(4) ? 1 : std::exp2(draw.uniform() * 12 - 6);
  const auto redraw = [&](const char* name, double mean, double spread) {
    const auto found = r.inputs.find(name);
    if (found == r.inputs.end()) return;
    for (std::int64_t i = 0; i < found->second.numel(); ++i)
      found->second.set(i, draw.below(10) ? mean + spread * draw.normal() : 0);
  };
  redraw("weight", extreme, 0.3 * extreme);
  redraw("beta", 0, 0.5);
  redraw("bias", 0, 1);
  redraw("scale", extreme, 0.3 * extreme);
  redraw("multiply", 1, 0.5);
}

/// A random run; fill -1 draws one of all.
inline Trial drawn_trial(Draw& draw, const std::string& system, Variance variance,
                         std::int64_t most, std::int64_t fill = -1) {
  Trial r = drawn_forms(draw, system, variance, most);
  draw_inputs(draw, r, fill);
  return r;
}

}  // namespace gradproof::oracle_tests
