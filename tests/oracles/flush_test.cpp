// SPDX-License-Identifier: Apache-2.0
// Kernels that flush to zero, in the CPU's own modes: within the bound of a contract that says so,
// over the bound of one that does not.
#include <gtest/gtest.h>

#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/bounds/bounding.h"
#include "tests/support/oracle_trials.h"
#include "tests/support/parameter_name.h"

#ifdef __SSE2__
#include <immintrin.h>

namespace gradproof::oracle_tests {
namespace {

constexpr unsigned kResults = 1u << 15;  ///< of MXCSR: a subnormal result becomes 0
constexpr unsigned kOperands = 1u << 6;  ///< a subnormal operand counts as 0

/// The CPU's mode while it lives.
class Flushing {
 public:
  explicit Flushing(unsigned bits) : before_(_mm_getcsr()) { _mm_setcsr(before_ | bits); }
  ~Flushing() { _mm_setcsr(before_); }
  Flushing(const Flushing&) = delete;
  Flushing& operator=(const Flushing&) = delete;

 private:
  unsigned before_;
};

/// Largest error/bound of one unit.
template <class F>
class Worst {
 public:
  void note(float got, const Real& truth, const ErrorScalar<F>& bound) {
    if (bound.vacuous || bound.overflow || !std::isfinite(bound.v)) return;
    ++numbers_;
    const double error = abs(Real(got) - truth).convert_to<double>();
    // The bookkeeping is double: the slack that StoredRounding adds.
    const double permitted = bound.total() * (1 + 0x1p-20);
    if (error > 0) worst_ = std::max(worst_, permitted > 0 ? error / permitted : INFINITY);
  }
  void note(const Values<float>& got, const Values<Real>& truth,
            const Values<ErrorScalar<F>>& bound) {
    for (std::size_t i = 0; i < got.size(); ++i) note(got[i], truth[i], bound[i]);
  }
  double worst() const { return worst_; }
  std::int64_t numbers() const { return numbers_; }

 private:
  double worst_ = 0;
  std::int64_t numbers_ = 0;
};

template <class F>
Worst<F> judged(const Claim& claim, const Tensors& inputs, const Evaluation<float>& got) {
  const auto truth = evaluate_unit(claim, Plain<Real>(), gather<Real>(claim, inputs, 0), {}, 0);
  const auto bound =
      evaluate_unit(claim, Bounding<F>(claim), gather<ErrorScalar<F>>(claim, inputs, 0), {}, 0);
  Worst<F> worst;
  worst.note(got.y, truth.y, bound.y);
  worst.note(got.gradients.input, truth.gradients.input, bound.gradients.input);
  for (const auto& [name, value] : got.side_values)
    worst.note(value, truth.side_values.at(name), bound.side_values.at(name));
  for (const auto& [name, values] : got.gradients.parameters)
    worst.note(values, truth.gradients.parameters.at(name), bound.gradients.parameters.at(name));
  return worst;
}

/// One unit of numbers around the smallest normal one, in x, dy or both; parameters of any size.
Trial drawn_flushing(Draw& draw, const std::string& system, Variance variance) {
  Trial r = drawn_forms(draw, system, variance, 100);
  r.options.contract.storage = DType::f32;
  r.options.vector = VectorShape::cols;
  if (has_group_norm(r.options)) {
    r.options.cols /= r.options.groups;
    r.options.groups = 1;
    r.options.rows = 1;
  } else {
    r.options.cols = 1;
  }
  r.options.contract.flush_to_zero = true;
  draw_inputs(draw, r, 0);
  const std::int64_t kind = draw.below(5);
  const double x = kind == 3 ? 100 : kind == 4 ? 1e-18 : kind < 2 ? 0x1p-126 : 1;
  const double dy = kind == 1 || kind == 2 ? 0x1p-126 : kind == 4 ? 1e-20 : 1;
  const auto scale = [&](const char* name, double by) {
    const auto found = r.inputs.find(name);
    if (found == r.inputs.end()) return;
    for (std::int64_t i = 0; i < found->second.numel(); ++i)
      found->second.set(i, found->second.at(i) * by * std::exp2(4 * draw.normal()));
  };
  scale("x", x);
  scale("dy", dy);
  for (const char* name : {"bias", "beta", "weight", "multiply", "scale", "running_mean"})
    if (draw.below(2)) scale(name, draw.below(2) ? 0x1p-126 : 0);
  return r;
}

using Flushed = std::tuple<std::string, Variance>;
class FlushingKernel : public testing::TestWithParam<Flushed> {};

TEST_P(FlushingKernel, IsWithinTheBoundThatSaysSoAndOverTheOther) {
  const auto& [system, variance] = GetParam();
  Draw draw(31);
  double worst = 0;
  std::int64_t numbers = 0;
  int convicted = 0;
  for (int k = 0; k < 400; ++k) {
    const Trial r = drawn_flushing(draw, system, variance);
    const Claim claim = make_claim(r.options);
    const Simulated kernel(claim.contract, r.freedoms);
    const auto numbers_of_unit = gather<float>(claim, r.inputs, 0);
    const unsigned modes[] = {kResults, kOperands, kResults | kOperands};
    const auto got = [&] {
      const Flushing flushing(modes[k % 3]);
      return evaluate_unit(claim, kernel, numbers_of_unit, {}, 0);
    }();
    const Worst<Binary32Flushed> declared = judged<Binary32Flushed>(claim, r.inputs, got);
    ASSERT_LE(declared.worst(), 1) << system << " run " << k;
    worst = std::max(worst, declared.worst());
    numbers += declared.numbers();
    convicted += judged<Binary32>(claim, r.inputs, got).worst() > 1;
  }
  EXPECT_GT(numbers, 10000);
  EXPECT_GT(worst, 0.05) << "a bound that nothing comes near proves nothing";
  EXPECT_GT(convicted, 40) << "the control: without the flag the same kernel is convicted";
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("convicted", convicted);
}

INSTANTIATE_TEST_SUITE_P(Systems, FlushingKernel,
                         testing::Combine(testing::ValuesIn(system_names()),
                                          testing::Values(Variance::two_pass, Variance::welford,
                                                          Variance::one_pass)),
                         parameter_name<Flushed>);

/// Zeros stay what they are: there is nothing to flush.
TEST(FlushingContract, DoesNotWidenZeros) {
  using Scalar = ErrorScalar<Binary32Flushed>;
  ErrorSum<Binary32Flushed> sum;
  for (int i = 0; i < 9; ++i) sum.add(Scalar(0.0));
  EXPECT_EQ(sum.sum(3).total(), 0);
  sum.add(Scalar(0x1p-130));
  EXPECT_GT(sum.sum(3).total(), 0x1p-130) << "the control";
  EXPECT_EQ(Scalar(0.0).read().total(), 0);
  EXPECT_EQ(Scalar(1.0).read().total(), 0);
  EXPECT_EQ(Scalar(0x1p-140).read().total(), 0x1p-140);
}

}  // namespace
}  // namespace gradproof::oracle_tests
#endif
