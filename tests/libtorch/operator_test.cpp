// SPDX-License-Identifier: Apache-2.0
// LibTorch's own operators in float32, float16 and bfloat16 under the contracts that its sources
// promise: within their bounds, and beyond those of a contract that promises more.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/error.h"
#include "kernels/kernel.h"
#include "oracles/libtorch/autograd.h"
#include "properties/calibration/draw.h"
#include "properties/calibration/subject.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

std::string disagreements(const CalibrationResult& subject, double widened = 1) {
  std::string text;
  for (const auto& [name, answer] : subject.answers) {
    const Discrepancy d =
        judged(get(subject.got, name), answer, {.catalog = test_catalog(), .widened = widened});
    if (d.bad > 0)
      text += name + " " + std::to_string(d.max_ratio) + " in " + to_string(subject.c) + "; ";
  }
  return text;
}

Case read(const std::string& text) { return parse_case(text, schemas()); }

TEST(LibTorchOperator, KeepsTheContractOfEachTypeOnRandomCases) {
  CalibrationPlan plan{.catalog = test_catalog()};
  std::map<std::string, int> seen;
  for (std::int64_t number = 0; number < 200; ++number) {
    const RandomBits next = random_bits(7, std::to_string(number));
    const auto subject = libtorch_subject(test_catalog(), draw_fairly(plan, number, next), next());
    if (!subject) continue;
    EXPECT_EQ(disagreements(*subject), "") << subject->who;
    ++seen[subject->who];
  }
  for (const char* who :
       {"LibTorch", "LibTorch batch_norm", "LibTorch batch_norm_eval", "LibTorch group_norm",
        "LibTorch silu", "LibTorch bias", "LibTorch scale", "LibTorch divide"})
    EXPECT_GT(seen[who], 0) << who;
}

/// An intermediate of d_x leaves the range, or is rounded to a multiple of the smallest number,
/// while the result does not: (S2 rstd) rstd before it is divided by N, dy rstd before the
/// weight.
TEST(LibTorchOperator, KeepsItsContractAtTheEndsOfTheRange) {
  for (const char* text :
       {"scale_batchnorm cols=2 track=no layout=transposed out_layout=padded fill=uniform "
        "dy=scaled:1.2691348923160366e+37 seed=1270",
        "scale_batchnorm rows=127 cols=3 mode=eval grads=input layout=padded schedule=reverse "
        "fill=scaled:1000 dy=constant:1.401298464324817e-45 seed=31546",
        "batchnorm_bias_divide_swish rows=32 cols=2 dtype=f64 momentum=0.25 fill=uniform "
        "dy=constant:1.530920127320265e+307 seed=50358",
        "scale_batchnorm cols=2 dtype=bf16 params=f32 mode=eval scale=row "
        "dy=constant:3.3895313892515355e+38 seed=51514",
        "batchnorm_bias_divide_swish cols=3 dtype=f64 bias=one schedule=reverse fill=uniform "
        "dy=scaled:5.264761148230023e+307 seed=51210"}) {
    const Case c = read(text);
    const bool batch_norm_second = c.is("dtype", "bf16");
    const auto subject = libtorch_subject(test_catalog(), c, batch_norm_second ? 1 : 0);
    ASSERT_TRUE(subject) << text;
    EXPECT_EQ(disagreements(*subject), "");
  }
}

/// Half a last place is all that one rounding to 16 bits may take.
TEST(LibTorchOperator, IsRoundedOnceIn16Bits) {
  for (const char* dtype : {"f16", "bf16"}) {
    const Case c = read(std::string("swish_bias rows=64 dtype=") + dtype);
    const auto swish = libtorch_subject(test_catalog(), c, 0);
    ASSERT_TRUE(swish);
    EXPECT_EQ(disagreements(*swish), "");
    CalibrationResult off = *swish;
    const double u = unit_roundoff(parse_dtype(dtype));
    for (std::int64_t i = 0; i < off.got.at("y").numel(); ++i)
      off.got.at("y").set(i, off.got.at("y").at(i) * (1 + 2.5 * u));
    EXPECT_NE(disagreements(off), "");
  }
}

/// The subject judged end to end under another contract.
std::string disagreements_under(const CalibrationResult& subject, const Contract& contract) {
  CalibrationResult other = subject;
  other.claim.contract = contract;
  other.answers = evaluate(other.claim, other.inputs, std::nullopt);
  return disagreements(other);
}

/// A contract that promises less error than LibTorch's form makes is refuted. Groups of one channel
/// have a mean without error, before which the other forms' errors show.
TEST(LibTorchOperator, NeedsTheArithmeticThatItsContractDeclares) {
  const auto groups = libtorch_subject(
      test_catalog(), read("groupnorm rows=128 cols=8 groups=8 fill=offset:1e6"), 0);
  ASSERT_TRUE(groups);
  EXPECT_EQ(disagreements_under(*groups, groups->claim.contract), "");
  Contract other = groups->claim.contract;
  other.affine_folded = false;
  EXPECT_NE(disagreements_under(*groups, other), "");
  other = groups->claim.contract;
  other.backward = NormBackward::standardized;
  EXPECT_NE(disagreements_under(*groups, other), "");
  const auto columns =
      libtorch_subject(test_catalog(), read("scale_batchnorm rows=129 fill=offset:1e4"), 0);
  ASSERT_TRUE(columns);
  EXPECT_EQ(disagreements_under(*columns, columns->claim.contract), "");
  other = columns->claim.contract;
  for (Reduction& reduction : other.reductions) reduction.chain = 0;
  EXPECT_NE(disagreements_under(*columns, other), "");
}

TEST(LibTorchOperator, HasNoContractWhereLibTorchRoundsInBetween) {
  const auto claim = [](const std::string& text) {
    const Case c = read(text);
    return kernel_of(c).claim(c);
  };
  EXPECT_FALSE(as_libtorch_operator(claim("batchnorm_bias_divide_swish dtype=bf16"), 0));
  EXPECT_TRUE(as_libtorch_operator(claim("batchnorm_bias_divide_swish dtype=bf16 params=f32"), 0));
  EXPECT_FALSE(as_libtorch_operator(claim("swish_bias dtype=f16 params=f32"), 1));
  EXPECT_THROW(as_libtorch(claim("swish_bias dtype=f16"), DType::f16), InstrumentError);
  const auto scale = as_libtorch_operator(claim("scale_batchnorm dtype=bf16"), 0);
  ASSERT_TRUE(scale);
  EXPECT_FALSE(scale->has("d_scale"));
  EXPECT_TRUE(scale->has("d_x"));
  EXPECT_FALSE(scale->has("mean"));
}

/// rstd beyond float16's range is saved as infinity, from which gradients follow no contract.
TEST(LibTorchOperator, HasNoGradientsFromAnInfiniteStatistic) {
  const std::string keys = "groupnorm dtype=f16 eps=1e-12 fill=scaled:1e-05";
  const auto subject = libtorch_subject(test_catalog(), read(keys), 0);
  ASSERT_TRUE(subject);
  EXPECT_TRUE(std::isinf(get(subject->got, "rstd").at(0)));
  EXPECT_FALSE(subject->answers.contains("d_x"));
  EXPECT_TRUE(subject->answers.contains("y"));
  EXPECT_EQ(disagreements(*subject), "");
  EXPECT_TRUE(
      libtorch_subject(test_catalog(), read(keys + " params=f32"), 0)->answers.contains("d_x"));
}

/// The types are LibTorch's own: statistics in the type of the parameters.
TEST(LibTorchOperator, AnswersInItsOwnTypes) {
  const auto type_of_mean = [](const std::string& text) {
    const auto subject = libtorch_subject(test_catalog(), read(text), 0);
    return get(subject->got, "mean").dtype();
  };
  EXPECT_EQ(type_of_mean("groupnorm dtype=bf16"), DType::bf16);
  EXPECT_EQ(type_of_mean("groupnorm dtype=bf16 params=f32"), DType::f32);
  EXPECT_EQ(type_of_mean("batchnorm_bias_divide_swish dtype=f16"), DType::f32);
}

}  // namespace
}  // namespace gradproof
