// SPDX-License-Identifier: Apache-2.0
#include "core/compare/verdict.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/core/doubles.h"

namespace gradproof {
namespace {

Tensor tensor(const Shape& shape, const std::vector<double>& values) {
  Tensor t(DType::f32, shape);
  for (std::size_t i = 0; i < values.size(); ++i) t.set(static_cast<std::int64_t>(i), values[i]);
  return t;
}

Answer answer(const std::vector<double>& values, double bound) {
  const std::vector<double> zeros(values.size(), 0.0);
  return {values, zeros, zeros, std::vector<double>(values.size(), bound), "test"};
}

Outcome outcome(const std::vector<double>& got, const Answer& want) {
  const auto n = static_cast<std::int64_t>(got.size());
  return judge(compare(tensor({n}, got), want)).outcome;
}

TEST(Verdict, WithinTheBoundPassesAndBeyondFails) {
  EXPECT_EQ(outcome({10, 20, 30}, answer({10, 20, 30}, 0.5)), Outcome::passed);
  EXPECT_EQ(outcome({10.5, 20, 30}, answer({10, 20, 30}, 0.5)), Outcome::passed);
  EXPECT_EQ(outcome({10.75, 20, 30}, answer({10, 20, 30}, 0.5)), Outcome::failed);
}

TEST(Verdict, NanIsNoWildcard) {
  EXPECT_EQ(outcome({kNan, 2, 3}, answer({1, 2, 3}, 0.5)), Outcome::failed);
  EXPECT_EQ(outcome({1, 2, 3}, answer({kNan, 2, 3}, 0.5)), Outcome::failed);
  EXPECT_EQ(outcome({kNan, 2, 3}, answer({1, 2, 3}, kInf)), Outcome::failed);
  EXPECT_EQ(outcome({kNan, 2, 30}, answer({kNan, 2, 30}, 0.5)), Outcome::passed);
  EXPECT_EQ(outcome({kInf, 2, 3}, answer({-kInf, 2, 3}, 0.5)), Outcome::failed);
}

TEST(Verdict, OutsideTheContractsRangeInfinityIsPermittedButProvesNothing) {
  Answer want = answer({1, 2, 3}, 0.5);
  want.bound[0] = kInf;
  want.any_nonfinite = {1, 0, 0};
  EXPECT_EQ(outcome({kInf, 2, 3}, want), Outcome::mistrusted);
  EXPECT_EQ(outcome({1, kInf, 3}, want), Outcome::failed);
}

TEST(Verdict, UnwrittenOutputFails) {
  const Tensor unwritten(DType::f32, Shape{3});
  EXPECT_EQ(judge(compare(unwritten, answer({1, 2, 3}, 0.5))).outcome, Outcome::failed);
}

TEST(Verdict, APassThatProvesLittleIsMistrusted) {
  EXPECT_EQ(outcome({17, 17.25}, answer({17, 17.25}, 0.5)), Outcome::mistrusted);  // one constant
  EXPECT_EQ(outcome({17, 18.25}, answer({17, 18.25}, 0.5)), Outcome::passed);
  EXPECT_EQ(outcome({7, 9}, answer({7, 9}, kInf)), Outcome::mistrusted);  // vacuous
  EXPECT_EQ(outcome({}, answer({}, 0.5)), Outcome::mistrusted);           // nothing at all
  EXPECT_EQ(outcome({17}, answer({17}, 0.5)), Outcome::passed);           // a scalar is no constant
}

/// The verdict on an exact result.
Verdict verdict(const std::vector<double>& values, const std::vector<double>& bounds) {
  Answer want = answer(values, 0);
  want.bound = bounds;
  Tensor got(DType::f64, {want.size()});
  for (std::int64_t i = 0; i < want.size(); ++i) got.set(i, values[static_cast<std::size_t>(i)]);
  return judge(compare(got, want));
}

TEST(Verdict, ZerosThatPassInMostElementsAreMistrusted) {
  std::vector<double> values(64, 1), bounds(64, 2);
  values[5] = 1000;
  const Verdict most = verdict(values, bounds);
  EXPECT_EQ(most.outcome, Outcome::mistrusted);
  EXPECT_EQ(most.reason, "zeros would pass in 63 of the 64 elements whose truth is not 0");
  for (std::size_t i = 0; i < 32; ++i) bounds[i] = 0.5;  // in 32 of 64 is not in most
  values[5] = 1;
  values[60] = 1000;
  EXPECT_EQ(verdict(values, bounds).outcome, Outcome::passed);
}

TEST(Verdict, ATruthOfZeroSaysNothingEitherWay) {
  EXPECT_EQ(verdict({0, 0, 0, 5, 6}, {0, 0, 0, 0.125, 0.125}).outcome, Outcome::passed);
  EXPECT_EQ(verdict({0, 0, 0, 500, 1}, {3, 3, 3, 3, 3}).outcome, Outcome::passed);      // 1 of 2
  EXPECT_EQ(verdict({0, 0, 500, 1, 1}, {3, 3, 3, 3, 3}).outcome, Outcome::mistrusted);  // 2 of 3
  for (const double bound : {0.0, 1.0}) {
    const Verdict zeros = verdict({0, 0}, {bound, bound});
    EXPECT_EQ(zeros.outcome, Outcome::mistrusted);
    EXPECT_EQ(zeros.reason, "zeros would pass: every truth is 0");
  }
}

TEST(Verdict, ABoundBesideWhichTheTruthIsSmallIsMistrusted) {
  for (const double unit : {1.0, 1e300, 1e-300}) {
    const auto loose = [&](double bound) {
      return verdict({unit, -2 * unit, 3 * unit}, {bound * unit, bound * unit, bound * unit});
    };
    EXPECT_EQ(loose(0.1).outcome, Outcome::passed) << unit;  // 4.63%
    EXPECT_EQ(loose(0.11).outcome, Outcome::mistrusted) << unit;
    EXPECT_EQ(loose(0.11).reason, "the bound is 5.09% of the truth, by root mean squares") << unit;
  }
  // The bounds of elements whose truth is 0 count too, beside the truths of the others.
  EXPECT_EQ(verdict({0, 0, 0, 1}, {0.2, 0.2, 0.2, 0.001}).outcome, Outcome::mistrusted);
  EXPECT_EQ(verdict({0, 0, 0, 1}, {0.02, 0.02, 0.02, 0.001}).outcome, Outcome::passed);
}

TEST(Verdict, ATruthTooCoarseToDecideIsTheInstrumentsFault) {
  Answer want = answer({10, 20, 30}, 0.5);
  want.radius[0] = 0.25;
  EXPECT_EQ(outcome({10.625, 20, 30}, want), Outcome::instrument_broken);
  EXPECT_EQ(outcome({10.875, 20, 30}, want), Outcome::failed);
  EXPECT_EQ(outcome({10.125, 20, 30}, want), Outcome::passed);
}

TEST(Verdict, ExactZeroUnderABoundOfZeroPasses) {
  EXPECT_EQ(outcome({8, 9}, answer({8, 9}, 0)), Outcome::passed);
  EXPECT_EQ(outcome({8, 10}, answer({8, 9}, 0)), Outcome::failed);
}

TEST(Discrepancy, SeesErrorsFarBelowDouble) {
  Answer want = answer({1}, 0x1p-80);
  want.lo[0] = 0x1p-70;  // the truth is 1 + 2^-70: the float 1 is wrong by 2^10 bounds
  EXPECT_EQ(compare(tensor({1}, {1}), want).max_ratio, 1024);
}

TEST(Discrepancy, UlpFollowsTheTruthsBinade) {
  EXPECT_EQ(ulp_error(0x1p-23, 1.5, DType::f32), 1);
  EXPECT_EQ(ulp_error(0x1p-23, 0.75, DType::f32), 2);
  EXPECT_EQ(ulp_error(0x1p-149, 0, DType::f32), 1);
  EXPECT_EQ(ulp_error(0x1p-149, 0x1p-140, DType::f32), 1);
  EXPECT_EQ(ulp_error(0.5, 1, DType::f32), 0x1p22) << "a digit is right";
}

/// An error is 2^precision ulps at most: of a truth that cancels to 0 it would be 1e250 and more.
TEST(Discrepancy, UlpEndsWhereNoDigitIsRight) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    const double most = std::ldexp(1.0, precision_of(dtype));
    for (const double error : {1.0, 1e-3, 0x1p1000}) EXPECT_EQ(ulp_error(error, 0, dtype), most);
    EXPECT_EQ(ulp_error(most / 2, 1, dtype), most);
    Tensor got(dtype, {3});
    got.set(0,
            0x1p-14);  // within its bound; then over it, and in range alone of those beyond 2^900
    got.set(1, 0x1p-3);
    got.set(2, 0);
    Answer want = answer({0, 0, 0}, 0x1p-10);
    want.hi[2] = -0x1p1000;
    want.bound[2] = 0x1p1001;
    const Discrepancy d = compare(got, want);
    EXPECT_EQ(d.bad, 1);
    EXPECT_EQ(d.max_ulp, most) << name_of(dtype);
    EXPECT_EQ(d.worst.ulp, most);
  }
  EXPECT_EQ(ulp_error(1e6, 1, DType::i64), 1e6) << "integers are counted";
}

TEST(Discrepancy, KeepsNeighboursOfTheFirstFault) {
  const auto d =
      compare(tensor({8}, {0, 1, 2, 3, 9, 5, 6, 9}), answer({0, 1, 2, 3, 4, 5, 6, 7}, 0.25));
  EXPECT_EQ(d.bad, 2);
  EXPECT_EQ(d.first_bad.front().index, 4);
  EXPECT_EQ(d.good_before, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(d.worst.index, 4);
  EXPECT_EQ(d.worst.ratio, 20);
}

TEST(Tensor, IndexTextKnowsEmptyTensors) {
  EXPECT_EQ(index_text({4, 6}, 9), "[1,3]");
  EXPECT_EQ(index_text({0, 6}, 0), "[]");
}

TEST(Discrepancy, RefusesTensorsOfAnotherSize) {
  EXPECT_THROW(compare(tensor({2}, {1, 2}), answer({1, 2, 3}, 1)), InstrumentError);
}

}  // namespace
}  // namespace gradproof
