// SPDX-License-Identifier: Apache-2.0
// What underflow takes in doubles decides nothing: the witnesses ask Real there, and only there.
#include <gtest/gtest.h>

#include "tests/support/audit/witness_support.h"

namespace gradproof::oracle_tests {
namespace {

/// Swish's derivative too large by 1 + 2^-bits.
template <int bits>
struct SwishOffBy {
  template <class T>
  struct In : Plain<T> {
    T swish_adjoint(const T& dy, const T& z, const typename Plain<T>::Sigmoid& l) const {
      const T right = Plain<T>::swish_adjoint(dy, z, l);
      return right + right * T(std::ldexp(1.0, -bits));
    }
  };
};

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

/// In how many units a tensor needs no Real.
template <template <class> class Arithmetic>
std::int64_t told_by_doubles(const Claim& claim, const Tensors& inputs, const std::string& name) {
  const CompiledPipeline compiled(claim);
  const std::vector<Differentiated> tensors = differentiated(claim, compiled);
  std::int64_t resolved = 0;
  for (std::int64_t unit = 0; unit < Geometry(claim).units(); ++unit) {
    const DualQuestion q{claim, inputs, compiled, tensors, unit, 1};
    if (quick_meetings<Arithmetic>(q)[position_of(claim, name)]) ++resolved;
  }
  return resolved;
}

template <int bits>
void expect_seen(const Claim& claim, const Tensors& inputs, const std::string& where) {
  EXPECT_EQ(told_by_doubles<SwishOffBy<bits>::template In>(claim, inputs, "x"), 0) << where;
  const AuditWitness wrong = dual_of<SwishOffBy<bits>::template In>(claim, inputs, "x");
  EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << where << ": " << wrong.text;
  EXPECT_EQ(wrong.wrong, Geometry(claim).units()) << where << ": " << wrong.text;
  const AuditWitness right = dual_of<Plain>(claim, inputs, "x");
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
        expect_seen<80>(claim, scaled(inputs, 1e-300), where + "1e-300");
        expect_seen<50>(claim, scaled(inputs, 1e-310), where + "1e-310");
        expect_seen<10>(claim, scaled(inputs, 1e-320), where + "1e-320");
      }
}

TEST(DualRange, AnExponentialThatUnderflowsHidesNoFactor) {
  for (const double x : {-640.0, -689.0, -689.5}) {
    const Claim claim = of_f64("swish_bias", 1);
    expect_seen<60>(claim, make_inputs(claim, 1, 0, x), "x " + std::to_string(x));
  }
}

TEST(DualRange, UsualNumbersNeedNoReal) {
  // The control: nothing here is near the ends of double.
  for (const std::string& system : system_names())
    for (const double dy : {0x1p-126, 1.0, 0x1p20}) {
      const Claim claim = of_f64(system, 5);
      const Tensors inputs = scaled(make_inputs(claim, 3, 2, 0.5), dy);
      for (const Differentiated& tensor : differentiated(claim, CompiledPipeline(claim)))
        EXPECT_EQ(told_by_doubles<Plain>(claim, inputs, tensor.name), Geometry(claim).units())
            << system << ", " << tensor.name << ", dy " << dy;
    }
}

TEST(DualRange, WhatMayBeLostIsBelowWhatIsTold) {
  const Claim claim = of_f64("batchnorm_bias_divide_swish", 5);
  const CompiledPipeline compiled(claim);
  const Tensors inputs = make_inputs(claim, 3);
  const auto lost = [&](const Tensors& of, int order) {
    ReadUnit<Plain, Quick> read(compiled, claim, of, 0);
    read.runner().forward();
    read.runner().backward();
    return most_lost(compiled, read, order);
  };
  EXPECT_GT(lost(inputs, 1), 0x1p-995);  // e^-690, which exp takes for 0
  EXPECT_GT(lost(inputs, 2), lost(inputs, 1));
  EXPECT_LT(lost(inputs, 2), 0x1p-200);
  // A cotangent that overflows with what it meets, and one that is no number.
  EXPECT_EQ(lost(scaled(inputs, 1e200), 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(lost(scaled(inputs, std::nan("")), 1), std::numeric_limits<double>::infinity());
}

TEST(DualRange, SecondOrderAsksRealWhereAnEntryMayHaveUnderflowed) {
  const Claim claim = of_f64("swish_multiply_swish", 4);
  const Moved x{tensor_of(claim, "x")};
  const auto plain = [&](const Tensors& inputs) {
    const auto quick = second_order_readings<Plain, Rough>(claim, inputs, {x});
    return plainly_agrees(second_order_witness(claim, x, quick[0].entries), quick[0]);
  };
  const Tensors inputs = make_inputs(claim, 3);
  EXPECT_TRUE(plain(inputs));
  for (const double dy : {1e-300, 1e-310, 1e-320}) {
    const Tensors small = scaled(inputs, dy);
    EXPECT_FALSE(plain(small)) << dy;
    EXPECT_EQ(second_order_of<Plain>(claim, small, "x").verdict, WitnessVerdict::agrees) << dy;
    const auto wrong = second_order_of<SwishOffBy<10>::In>(claim, small, "multiply");
    EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << dy << ": " << wrong.text;
  }
}

}  // namespace
}  // namespace gradproof::oracle_tests
