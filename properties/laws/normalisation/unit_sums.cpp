// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/unit_sums.h"

#include <cmath>

#include "oracles/oracle.h"
#include "properties/laws/normalisation/moments.h"
#include "properties/laws/normalisation/normalised_tensor.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

/// The units of x, each of which the catalog's norm takes together.
class Units {
 public:
  explicit Units(const Claim& claim)
      : claim_(claim), spec_(claim.tensor("x")), norm_(norm_of(claim)) {}

  std::size_t of(std::size_t index) const {
    return static_cast<std::size_t>(
        unit_of(claim_, norm_, spec_, static_cast<std::int64_t>(index)));
  }
  Shape shape() const {
    const std::int64_t units = units_of(claim_, norm_, spec_);
    return claim_.groups() > 0 ? Shape{claim_.rows(), claim_.groups()} : Shape{units};
  }

 private:
  const Claim& claim_;
  const TensorSpec& spec_;
  GraphStep norm_;
};

}  // namespace

UnitSums sums_of_dx(const LawRun& run) {
  const Claim& claim = run.claim();
  const DType dtype = claim.tensor("d_x").dtype;
  const double u = dtype == claim.contract.accumulation ? 0 : unit_roundoff(dtype);
  const Estimate& d_x = run.near("d_x");
  const Answer bounds = unit_sums_of_dx(claim, run.inputs());
  const Units of_claim(claim);
  UnitSums all{{of_claim.shape(), {}, {}}, {}};
  const auto units = static_cast<std::size_t>(numel(all.sum.shape));
  all.sum.value.resize(units);
  all.size.resize(units);
  for (std::size_t i = 0; i < d_x.size(); ++i) {
    const std::size_t unit = of_claim.of(i);
    all.sum.value[unit] += d_x.value[i];
    all.size[unit] += std::abs(d_x.value[i]);
  }
  const auto terms = static_cast<long double>(d_x.size());
  const long double stored = static_cast<long double>(u / (1 - u)) + std::ldexp(terms, -64);
  for (std::size_t unit = 0; unit < units; ++unit)
    all.sum.bound.push_back(static_cast<long double>(bounds.bound.at(unit)) +
                            all.size[unit] * stored +
                            terms * static_cast<long double>(underflow_unit(dtype)));
  for (std::size_t i = 0; i < d_x.size(); ++i)
    if (std::isinf(d_x.bound[i])) all.sum.bound[of_claim.of(i)] = d_x.bound[i];
  return all;
}

UnitSums sums_of_gradient(const LawRun& run) {
  const Claim& claim = run.claim();
  const NormalisedTensor found = *shifted_tensor(claim);
  const TensorSpec& spec = claim.tensor("d_" + found.tensor);
  const Estimate& gradient = run.near(spec.name);
  const std::int64_t count = units_of(claim, found.norm, spec);
  const auto units = static_cast<std::size_t>(count);
  const std::vector<long double> none(units, 0);
  UnitSums all{{{count}, none, none}, none};
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const auto unit =
        static_cast<std::size_t>(unit_of(claim, found.norm, spec, static_cast<std::int64_t>(i)));
    all.sum.value[unit] += gradient.value[i];
    all.sum.bound[unit] += gradient.bound[i];
    all.size[unit] += std::abs(gradient.value[i]);
  }
  for (std::size_t unit = 0; unit < units; ++unit)
    all.sum.bound[unit] +=
        all.size[unit] * std::ldexp(static_cast<long double>(gradient.size()), -64);
  return all;
}

UnitSums sums_of_dx_along_x(const LawRun& run) {
  const std::int64_t cols = run.claim().cols();
  const Tensor& x = run.given("x");
  const Estimate& d_x = run.near("d_x");
  UnitSums all{{{cols}, {}, {}}, {}};
  for (std::int64_t col = 0; col < cols; ++col) {
    const long double mean = moments_of(column_of(x, run.claim(), col)).mean;
    std::vector<long double> along_x(d_x.size(), 0);
    long double size = 0;
    for (std::int64_t i = col; i < x.numel(); i += cols) {
      const auto at = static_cast<std::size_t>(i);
      along_x[at] = static_cast<long double>(x.at(i)) - mean;
      size += std::abs(along_x[at] * d_x.value[at]);
    }
    const Estimate sum = weighted_sum(d_x, along_x);
    all.sum.value.push_back(sum.value[0]);
    all.sum.bound.push_back(sum.bound[0]);
    all.size.push_back(size);
  }
  return all;
}

}  // namespace gradproof
