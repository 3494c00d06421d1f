// SPDX-License-Identifier: Apache-2.0
// What underflow takes in doubles decides nothing: the witnesses ask for 50 digits there, and only
// there.
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

/// dy times a factor.
Tensors scaled(Tensors inputs, double factor) {
  Tensor& dy = inputs.at("dy");
  for (std::int64_t i = 0; i < dy.numel(); ++i) dy.set(i, dy.at(i) * factor);
  return inputs;
}

/// In how many units a tensor needs no 50 digits.
std::int64_t told_by_doubles(const Claim& claim, const Tensors& inputs, const std::string& name,
                             const Fault& fault = {}) {
  const TestedClaim tested(claim, inputs);
  std::int64_t resolved = 0;
  for (std::int64_t unit = 0; unit < Geometry(claim).units(); ++unit)
    if (quick_meetings(tested.target, unit, fault)[tested.position_of(name)].agrees()) ++resolved;
  return resolved;
}

/// A derivative of swish too large by 1 + 2^-bits is seen, and by 50 digits alone.
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
  // Of a product below 1e-270 the last parts underflow, below 1e-308 the first one.
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

TEST(DualRange, BelowTheRangeOfABoundAGradientIsZero) {
  // e^-11000 is 2^-15870, which a Bound holds; of 2^-17312 it says no more than that it is small.
  const Claim claim = of_f64("swish_bias", 1);
  const Tensors held = make_inputs(claim, 1, 0, -11000);
  expect_seen(60, claim, held, "x -11000");
  const AuditWitness small = dual_of(claim, make_inputs(claim, 1, 0, -12000), "x");
  EXPECT_EQ(small.verdict, WitnessVerdict::agrees) << small.text;
  EXPECT_NE(small.text.find("0 everywhere"), std::string::npos) << small.text;
}

TEST(DualRange, UsualNumbersNeedNoFiftyDigits) {
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

/// The bound on the rounding of d_x of the first unit in N, of its first and of its last entry.
template <class N>
double bound_of_gradient(const Claim& claim, const Tensors& inputs) {
  const TestedClaim tested(claim, inputs);
  ReadUnit<Plain, N> read(tested.target, 0);
  read.value();
  const std::vector<Values<N>> gradients = read.adjoint();
  double largest = 0;
  for (const N& entry : gradients[0]) {
    if (std::isnan(entry.error)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, entry.error);
  }
  return largest;
}

TEST(DualRange, WhatUnderflowTakesIsInTheBound) {
  const Claim claim = of_f64("batchnorm_bias_divide_swish", 5);
  const Tensors inputs = make_inputs(claim, 3);
  EXPECT_EQ(bound_of_gradient<Rough>(claim, inputs), 0);
  EXPECT_GT(bound_of_gradient<Rough>(claim, scaled(inputs, 1e-300)), 0);
  EXPECT_LT(bound_of_gradient<Rough>(claim, scaled(inputs, 1e-300)), 0x1p-1000);
  EXPECT_LT(bound_of_gradient<Quick>(claim, inputs), 1e-40);
  EXPECT_GE(bound_of_gradient<Quick>(claim, scaled(inputs, 1e-310)), 0x1p-1060);
  // e^-690, which exp takes for 0.
  const Claim chain = of_f64("swish_bias", 1);
  EXPECT_GT(bound_of_gradient<Rough>(chain, make_inputs(chain, 1, 0, -700)), 0x1p-996);
  // A cotangent that is no number.
  EXPECT_EQ(bound_of_gradient<Quick>(claim, scaled(inputs, std::nan(""))),
            std::numeric_limits<double>::infinity());
}

TEST(DualRange, SecondOrderAsksFiftyDigitsWhereAnEntryMayHaveUnderflowed) {
  const Claim claim = of_f64("swish_multiply_swish", 4);
  const auto plain = [&](const Tensors& inputs) {
    const TestedClaim tested(claim, inputs);
    const Moved x{tested.position_of("x")};
    const auto rough = rough_entries(tested.target, {x}).front();
    return plainly_agrees(second_order_witness(tested.target, x, rough), rough);
  };
  const Tensors inputs = make_inputs(claim, 3);
  EXPECT_TRUE(plain(inputs));
  for (const double dy : {1e-300, 1e-310, 1e-320}) {
    const Tensors small = scaled(inputs, dy);
    EXPECT_FALSE(plain(small)) << dy;
    EXPECT_EQ(second_order_of(claim, small, "x").verdict, WitnessVerdict::agrees) << dy;
    const auto wrong = second_order_of(claim, small, "multiply", {.swish = 0x1p-10});
    EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << dy << ": " << wrong.text;
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
