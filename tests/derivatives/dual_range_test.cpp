// SPDX-License-Identifier: Apache-2.0
// Underflow of doubles decides nothing: the witnesses ask for more digits where it happens, and
// only there.
#include <gtest/gtest.h>

#include "tests/support/audit/witness_support.h"

namespace gradproof::oracle_tests {
namespace {

Claim of_f64(const std::string& system, std::int64_t rows) {
  ClaimOptions options{.system = system, .rows = rows, .cols = 4, .divide = 1.5};
  options.vector = VectorShape::cols;
  options.contract.storage = DType::f64;
  return twice(options);
}

/// The inputs with dy times a factor.
Tensors scaled(Tensors inputs, double factor) {
  Tensor& dy = inputs.at("dy");
  for (std::int64_t i = 0; i < dy.numel(); ++i) dy.set(i, dy.at(i) * factor);
  return inputs;
}

/// The number of units in which a tensor needs no more than triple-doubles.
std::int64_t told_by_doubles(const Claim& claim, const Tensors& inputs, const std::string& name,
                             const Fault& fault = {}) {
  const TestedClaim tested(claim, inputs);
  std::int64_t resolved = 0;
  for (std::int64_t unit = 0; unit < Geometry(claim).units(); ++unit)
    if (first_meetings(tested.target, unit, fault)[tested.position_of(name)].agrees()) ++resolved;
  return resolved;
}

/// A derivative of swish too large by 1 + 2^-bits is seen, and not by doubles.
void expect_seen(int bits, const Claim& claim, const Tensors& inputs, const std::string& where) {
  const Fault fault{.swish = std::ldexp(1.0, -bits)};
  EXPECT_EQ(told_by_doubles(claim, inputs, "x", fault), 0) << where;
  const AuditWitness wrong = dual_of(claim, inputs, "x", fault);
  EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << where << ": " << wrong.text;
  EXPECT_EQ(wrong.wrong, Geometry(claim).units()) << where << ": " << wrong.text;
  const AuditWitness right = dual_of(claim, inputs, "x");
  EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << where << ": " << right.text;
  EXPECT_EQ(right.text.find("0 everywhere"), std::string::npos) << where << ": " << right.text;
}

TEST(DualRange, ASmallCotangentHidesNoFactor) {
  // The last parts of a product below 1e-270 underflow, and the first one below 1e-308.
  for (const char* system : {"bias_divide_swish", "batchnorm_bias_divide_swish"})
    for (const std::int64_t rows : {1, 2, 3})
      for (const std::uint64_t seed : {1, 2, 3}) {
        // One row of a batch is 0 after the norm: d_x is exactly 0.
        if (system == std::string("batchnorm_bias_divide_swish") && rows < 3) continue;
        const Claim claim = of_f64(system, rows);
        const Tensors inputs = make_inputs(claim, seed);
        const std::string where = system + (", " + std::to_string(rows)) + " rows, dy ";
        expect_seen(80, claim, scaled(inputs, 1e-300), where + "1e-300");
        expect_seen(50, claim, scaled(inputs, 1e-310), where + "1e-310");
        expect_seen(10, claim, scaled(inputs, 1e-320), where + "1e-320");
      }
}

TEST(DualRange, AnExponentialThatUnderflowsHidesNoFactor) {
  for (const double x : {-640.0, -689.0, -689.5}) {
    const Claim claim = of_f64("swish_bias", 1);
    expect_seen(60, claim, make_inputs(claim, 1, 0, x), "x " + std::to_string(x));
  }
}

TEST(DualRange, NoGradientIsTooSmall) {
  // e^-11000 is 2^-15870, and e^-1e6 is 2^-1442695.
  const Claim claim = of_f64("swish_bias", 1);
  for (const double x : {-11000.0, -1e6})
    expect_seen(60, claim, make_inputs(claim, 1, 0, x), "x " + std::to_string(x));
}

TEST(DualRange, UsualNumbersNeedNoMoreThanTripleDoubles) {
  // The control: nothing here is near the ends of double.
  for (const std::string& system : system_names())
    for (const double dy : {0x1p-126, 1.0, 0x1p20}) {
      const Claim claim = of_f64(system, 5);
      const Tensors inputs = scaled(make_inputs(claim, 3, 2, 0.5), dy);
      const PipelineTarget target(claim, inputs);
      for (const AuditedTensor& tensor : target.tensors())
        EXPECT_EQ(told_by_doubles(claim, inputs, tensor.name), Geometry(claim).units())
            << system << ", " << tensor.name << ", dy " << dy;
    }
}

TEST(DualRange, SecondOrderAsksForMoreDigitsWhereEveryEntryMayHaveUnderflowed) {
  const Claim claim = of_f64("swish_multiply_swish", 4);
  const auto largest = [&](const Tensors& inputs) {
    const TestedClaim tested(claim, inputs);
    return largest_of(first_entries(tested.target, {{tested.position_of("x")}}).front());
  };
  const Tensors inputs = make_inputs(claim, 3);
  EXPECT_GE(largest(inputs), kNoUnderflow);
  for (const double dy : {1e-300, 1e-310, 1e-320}) {
    const Tensors small = scaled(inputs, dy);
    EXPECT_LT(largest(small), kNoUnderflow) << dy;
    EXPECT_EQ(second_order_of(claim, small, "x").verdict, WitnessVerdict::agrees) << dy;
    const auto wrong = second_order_of(claim, small, "multiply", {.swish = 0x1p-10});
    EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << dy << ": " << wrong.text;
  }
}

TEST(DualRange, SecondOrderCallsNothingWrongThatChangesWithinTheStep) {
  // Swish(x / 1e-80) at 0, moved by 2^-200, and a norm in evaluation with rstd = 1e150.
  ClaimOptions narrow{.system = "bias_divide_swish", .rows = 2, .cols = 2, .divide = 1e-80};
  narrow.contract.storage = DType::f64;
  const Claim claim = twice(narrow);
  Tensors inputs = make_inputs(claim, 3);
  for (auto& [name, tensor] : inputs)
    for (std::int64_t i = 0; name != "dy" && i < tensor.numel(); ++i) tensor.set(i, 0);
  EXPECT_EQ(second_order_of(claim, inputs, "x").verdict, WitnessVerdict::silent);
  ClaimOptions fixed{.rows = 3, .cols = 2, .training = false, .eps = 1e-300};
  fixed.contract.storage = DType::f64;
  const Claim eval = twice(fixed);
  Tensors still = make_inputs(eval, 3);
  for (std::int64_t i = 0; i < 2; ++i) {
    still.at("running_var").set(i, 0);
    for (std::int64_t row = 0; row < 3; ++row)
      still.at("x").set(2 * row + i, still.at("running_mean").at(i));
  }
  EXPECT_EQ(second_order_of(eval, still, "x").verdict, WitnessVerdict::agrees);
}

}  // namespace
}  // namespace gradproof::oracle_tests
