// SPDX-License-Identifier: Apache-2.0
// The radius of an Answer, on Cases whose truths are hard to compute: the truth of 100 digits lies
// within the radius, or the radius is infinite and nothing is promised.
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "core/compare/comparison.h"
#include "core/compare/verdict.h"
#include "kernels/kernel.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/evaluate_unit.h"
#include "properties/calibration/subject.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>,
                                           boost::multiprecision::et_off>;
using Numbers = std::map<std::string, std::vector<Wide>, std::less<>>;

Wide& place(std::vector<Wide>& numbers, std::int64_t index) {
  const auto at = static_cast<std::size_t>(index);
  if (numbers.size() <= at) numbers.resize(at + 1, Wide(0));
  return numbers[at];
}

/// Every judged tensor of real numbers, end to end.
Numbers hundred_digits(const Claim& claim, const Tensors& inputs) {
  const Geometry geometry(claim);
  Numbers all;
  for (std::int64_t unit = 0; unit < geometry.units(); ++unit) {
    const auto found =
        evaluate_unit(claim, Plain<Wide>(), gather<Wide>(claim, inputs, unit), {}, unit);
    for (std::size_t i = 0; i < found.y.size(); ++i) {
      const auto step = static_cast<std::int64_t>(i) * geometry.stride();
      place(all["y"], geometry.first(unit) + step) = found.y[i];
      place(all["d_x"], geometry.first(unit) + step) = found.gradients.input[i];
    }
    for (const auto& [name, value] : found.side_values) place(all[name], unit) = value;
    for (const auto& [name, terms] : found.gradients.parameters)
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::int64_t column = geometry.first_column(unit) + static_cast<std::int64_t>(i);
        place(all["d_" + name], claim.tensor(name).layout.shape == Shape{1} ? 0 : column) +=
            terms[i];
      }
  }
  return all;
}

struct Radii {
  std::int64_t outside = 0;     ///< truths that are not within their radius
  std::int64_t finite = 0;      ///< radii
  std::int64_t unpromised = 0;  ///< infinite ones under an infinite bound
  std::int64_t smallest = 0;    ///< of the smallest double
};

Radii radii_of(const std::string& text) {
  const Case c = parse_case(text, schemas());
  Claim claim = kernel_of(c).claim(c);
  const Tensors inputs = make_inputs(c, claim);
  const Numbers wide = hundred_digits(claim, inputs);
  Radii radii;
  for (const auto& [name, answer] : evaluate(claim, inputs, std::nullopt)) {
    if (claim.tensor(name).dtype == DType::i64) continue;
    for (std::size_t i = 0; i < answer.hi.size(); ++i) {
      radii.smallest += answer.radius[i] == kSmallestDouble;
      radii.unpromised += std::isinf(answer.radius[i]) && std::isinf(answer.bound[i]);
      if (!std::isfinite(answer.radius[i])) continue;
      ++radii.finite;
      const Wide off = abs(wide.at(name).at(i) - Wide(answer.hi[i]) - Wide(answer.lo[i]));
      radii.outside += off > Wide(answer.radius[i]);
    }
  }
  return radii;
}

TEST(TruthRadius, HoldsOrIsInfiniteWhereTheBoundIsVacuous) {
  for (const char* text :
       {"swish_bias_groupnorm rows=1 cols=9 groups=1 bias=row dtype=f64 fill=constant:1e30 dy=ones "
        "layout=padded seed=436213",
        "scale_batchnorm rows=13 cols=12 momentum=none affine=no scale=one fill=constant:1e30 "
        "seed=711334"}) {
    const Radii radii = radii_of(text);
    EXPECT_EQ(radii.outside, 0) << text;
    EXPECT_GT(radii.finite, 0) << text;
    EXPECT_GT(radii.unpromised, 0) << text;
  }
  EXPECT_EQ(radii_of("scale_batchnorm rows=13 cols=12").unpromised, 0) << "the control";
}

TEST(TruthRadius, HoldsBetweenTheSmallestDoubles) {
  for (const char* text :
       {"groupnorm_swish_multiply_swish rows=1 dtype=f64 grads=parameters multiply=one "
        "fill=every:0.3 seed=276",
        "batchnorm_bias_divide_swish rows=6 cols=8 dtype=f64 dy=normal set=weight@3:5e-324",
        "swish_multiply_swish rows=9 cols=5 dtype=f64 fill=constant:5e-324"}) {
    const Radii radii = radii_of(text);
    EXPECT_EQ(radii.outside, 0) << text;
    EXPECT_GT(radii.smallest, 0) << text;
    const CalibrationResult result = kernel_subject(test_catalog(), parse_case(text, schemas()));
    for (const auto& [name, answer] : result.answers) {
      const Discrepancy d = compare(get(result.got, name), answer);
      EXPECT_EQ(d.bad + d.undecided, 0) << text << ": " << name;
    }
  }
}

/// The bound has a radius of the smallest double already; any other it has not.
TEST(TruthRadius, OfTheSmallestDoubleDecides) {
  const auto compared = [](double got, double radius, double bound) {
    Comparison comparison(DType::f64, {1});
    comparison.add(0, got * kSmallestDouble,
                   {0, 0, radius * kSmallestDouble, bound * kSmallestDouble, false});
    return comparison.finish();
  };
  EXPECT_EQ(compared(3, 1, 3).bad + compared(3, 1, 3).undecided, 0);
  EXPECT_EQ(compared(4, 1, 3).bad, 1);
  EXPECT_EQ(compared(3, 2, 3).undecided, 1);
}

}  // namespace
}  // namespace gradproof
