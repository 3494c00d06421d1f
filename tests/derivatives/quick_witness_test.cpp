// SPDX-License-Identifier: Apache-2.0
// The witnesses' quick arithmetic beside 50 digits: the same word on the same unit, nothing let
// through that is wrong, and what lies beyond it is left to 50 digits. Roundings are within their
// bounds.
#include <gtest/gtest.h>

#include "tests/support/audit/witness_support.h"

namespace gradproof::oracle_tests {
namespace {

const double kAllowed = std::pow(10.0, -kDualDigits);

ClaimOptions of_f64(const std::string& system) {
  ClaimOptions options{.system = system, .rows = 5, .cols = 6, .groups = 2};
  options.vector = VectorShape::cols;
  options.contract.storage = DType::f64;
  return options;
}

TestedClaim tested_claim(const ClaimOptions& options, double scale = 1, double offset = 0) {
  const Claim claim = twice(options);
  return TestedClaim(claim, make_inputs(claim, 7, scale, offset));
}

/// Every tensor that has a gradient, and dy.
std::vector<Moved> all_moved(const PipelineTarget& target) {
  std::vector<Moved> result;
  for (std::size_t t = 0; t < target.tensors().size(); ++t) result.push_back({t, false});
  result.push_back({0, true});
  return result;
}

TEST(QuickWitness, SaysOfTheSameUnitWhatFiftyDigitsSay) {
  for (const std::string& system : system_names()) {
    const TestedClaim tested = tested_claim(of_f64(system), 2, 0.5);
    for (std::int64_t unit = 0; unit < Geometry(tested.claim).units(); ++unit) {
      const auto quick = quick_meetings(tested.target, unit);
      const auto sure = sure_meetings(tested.target, unit);
      for (std::size_t t = 0; t < sure.size(); ++t) {
        const std::string where = system + ", " + tested.target.tensors()[t].name;
        EXPECT_TRUE(quick[t].agrees()) << where;
        EXPECT_LE(quick[t].error, kAllowed) << where;
        EXPECT_TRUE(sure[t].agrees()) << where;
        EXPECT_LE(sure[t].error, kAllowed) << where;
      }
    }
  }
}

TEST(QuickWitness, SecondOrderOfTheSameEntriesIsTheSame) {
  const Real permitted = pow(Real(10), -Real(kSecondOrderDigits));
  for (const std::string& system : system_names()) {
    const TestedClaim tested = tested_claim(of_f64(system), 2, 0.5);
    const auto moved = all_moved(tested.target);
    const Entries rough = rough_entries(tested.target, moved);
    const Entries sure = sure_entries(tested.target, moved);
    std::size_t plain = 0;
    for (std::size_t m = 0; m < moved.size(); ++m) {
      if (!plainly_agrees(second_order_witness(tested.target, moved[m], rough[m]), rough[m]))
        continue;
      ++plain;
      ASSERT_EQ(rough[m].size(), sure[m].size());
      Real largest(0);
      for (const SecondOrderEntry& e : sure[m]) largest = std::max(largest, Real(abs(e.product)));
      for (std::size_t k = 0; k < sure[m].size(); ++k) {
        const SecondOrderEntry& a = rough[m][k];
        const SecondOrderEntry& b = sure[m][k];
        EXPECT_EQ(a.entry, b.entry);
        EXPECT_LE(abs(a.product - b.product), largest * permitted) << system << m;
        // Each difference is as near to its product.
        EXPECT_LE(abs(a.difference - b.difference), 3 * largest * permitted) << system << m;
      }
    }
    EXPECT_GE(plain, moved.size() - 1) << system;
  }
}

TEST(QuickWitness, LetsNoSmallFactorThrough) {
  const TestedClaim tested = tested_claim(of_f64("batchnorm_bias_divide_swish"));
  for (const DualMeeting& meeting : quick_meetings(tested.target, 0, kSwishBarelyOff))
    EXPECT_FALSE(meeting.agrees());
  for (const AuditedTensor& tensor : tested.target.tensors()) {
    const AuditWitness w = dual_of(tested.claim, tested.inputs, tensor.name, kSwishBarelyOff);
    EXPECT_EQ(w.verdict, WitnessVerdict::wrong) << tensor.name << ": " << w.text;
    EXPECT_GT(w.digits, 26) << tensor.name;  // 2^-90
  }
}

TEST(QuickWitness, ASmallTensorIsNotHiddenByALargeOne) {
  // d_x and what belongs to it are 2^-66 of d_multiply.
  TestedClaim tested = tested_claim(of_f64("swish_multiply_swish"));
  for (std::int64_t i = 0; i < 6; ++i) tested.inputs.at("multiply").set(i, 0x1p-66);
  const auto right = dual_of(tested.claim, tested.inputs, "x");
  EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << right.text;
  const auto wrong = dual_of(tested.claim, tested.inputs, "x", kSwishBarelyOff);
  EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << wrong.text;
}

TEST(QuickWitness, BeyondTheRangeOfDoubleFiftyDigitsTell) {
  const TestedClaim tested = tested_claim(of_f64("batchnorm_bias_divide_swish"), 1e200);
  for (const DualMeeting& meeting : quick_meetings(tested.target, 0))
    EXPECT_FALSE(meeting.agrees());
  const AuditWitness right = dual_of(tested.claim, tested.inputs, "weight");
  EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << right.text;
  EXPECT_EQ(dual_of(tested.claim, tested.inputs, "weight", kSwishBarelyOff).verdict,
            WitnessVerdict::wrong);
}

TEST(QuickWitness, AZeroThatMayHaveUnderflowedIsAskedInFiftyDigits) {
  // At -800 the exponential is below double's range: the quick second derivatives are exactly 0.
  const TestedClaim far = tested_claim(of_f64("swish_bias"), 1e-3, -800);
  const std::vector<SecondOrderEntry> zero = rough_entries(far.target, {{0, false}}).front();
  ASSERT_FALSE(zero.empty());
  EXPECT_EQ(zero.front().product, 0);
  EXPECT_GT(zero.front().bound, 0);
  const AuditWitness w = second_order_of(far.claim, far.inputs, "x");
  EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
  EXPECT_EQ(w.text.find("0 everywhere"), std::string::npos) << w.text;
  EXPECT_EQ(second_order_of(far.claim, far.inputs, "x", kSwishBarelyOff).verdict,
            WitnessVerdict::agrees);
  // The bias is only added: exactly 0, and said without 50 digits.
  const TestedClaim near = tested_claim(of_f64("swish_bias"));
  const SecondOrderEntry bias = rough_entries(near.target, {{1, false}}).front().front();
  EXPECT_EQ(bias.product, 0);
  EXPECT_EQ(bias.bound, 0);
}

using Finest = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<100, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

Finest finest(const Real& v) { return Finest(v); }
Finest finest(const TripledOf<double>& v) { return Finest(v.hi) + Finest(v.mid) + Finest(v.lo); }

/// The rounding error of a number over its bound; at most 1 if the bound holds.
template <class N>
double spent(const N& number, const Finest& truth) {
  const Finest error = abs(finest(number.value) - truth);
  return error == 0 ? 0 : Finest(error / Finest(number.error)).template convert_to<double>();
}

/// The largest spent() of the gradients and of J v of a unit, v in one tensor.
template <class N>
double spent_in(const PipelineTarget& target, std::int64_t unit, std::size_t tensor) {
  const Values<double> v = random_direction(target, tensor, unit, 1);
  ReadUnit<Plain, N> plain(target, unit);
  ReadUnit<Plain, Finest> true_plain(target, unit);
  plain.value();
  true_plain.value();
  double worst = 0;
  const Values<N> gradient = plain.adjoint()[tensor];
  const Values<Finest> truth = true_plain.adjoint()[tensor];
  for (std::size_t i = 0; i < gradient.size(); ++i)
    worst = std::max(worst, spent(gradient[i], truth[i]));
  ReadUnit<Plain, Dual<N>> dual(target, unit);
  ReadUnit<Plain, Dual<Finest>> true_dual(target, unit);
  dual.move_along(tensor, v);
  true_dual.move_along(tensor, v);
  const Values<Dual<N>>& y = dual.value();
  const Values<Dual<Finest>>& true_y = true_dual.value();
  for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, spent(y[i].d, true_y[i].d));
  return worst;
}

TEST(QuickWitness, RoundingsStayBelowTheirBounds) {
  double quick = 0;
  double sure = 0;
  for (const std::string& system : system_names())
    for (const std::int64_t size : {1, 2, 3, 16})
      for (const double scale : {1e-6, 1.0, 30.0})
        for (const double offset : {0.0, 1e3})
          for (const bool training : {true, false}) {
            ClaimOptions options = of_f64(system);
            options.rows = size;
            options.training = training;
            const TestedClaim tested = tested_claim(options, scale, offset);
            for (std::int64_t unit = 0; unit < Geometry(tested.claim).units(); ++unit)
              for (std::size_t t = 0; t < tested.target.tensors().size(); ++t) {
                quick = std::max(quick, spent_in<Quick>(tested.target, unit, t));
                sure = std::max(sure, spent_in<Sure>(tested.target, unit, t));
              }
          }
  RecordProperty("quick", std::to_string(quick));
  RecordProperty("sure", std::to_string(sure));
  EXPECT_LE(quick, 1);
  EXPECT_LE(sure, 1);
  // The control: the bounds are not so wide that any error would be below them.
  EXPECT_GT(quick, 1e-4);
  EXPECT_GT(sure, 1e-4);
}

}  // namespace
}  // namespace gradproof::oracle_tests
