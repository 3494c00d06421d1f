// SPDX-License-Identifier: Apache-2.0
// The witnesses' quick arithmetic beside Real: the same word on the same unit, nothing let through
// that is wrong, and what lies beyond it is left to Real. How far roundings are from what is
// allowed.
#include <gtest/gtest.h>

#include "tests/support/audit/witness_support.h"

namespace gradproof::oracle_tests {
namespace {

/// Swish's derivative too large by 1 + 2^-90.
template <class T>
struct SwishBarelyOff : Plain<T> {
  T swish_adjoint(const T& dy, const T& z, const typename Plain<T>::Sigmoid& l) const {
    return Plain<T>::swish_adjoint(dy, z, l) * (T(1) + T(0x1p-90));
  }
};

const double kAllowed = std::pow(10.0, -kDualDigits);

/// All systems on small units of inputs like these.
struct TestedClaim {
  Claim claim;
  Tensors inputs;
  CompiledPipeline compiled;
  std::vector<Differentiated> tensors;

  TestedClaim(const ClaimOptions& options, double scale = 1, double offset = 0)
      : claim(twice(options)),
        inputs(make_inputs(claim, 7, scale, offset)),
        compiled(claim),
        tensors(differentiated(claim, compiled)) {}

  DualQuestion question(std::int64_t unit = 0) const {
    return {claim, inputs, compiled, tensors, unit, 1};
  }
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> result;
    for (std::size_t t = 0; t < tensors.size(); ++t) result.push_back(t);
    return result;
  }
  std::vector<Moved> moved() const {
    std::vector<Moved> result;
    for (const Differentiated& tensor : tensors) result.push_back({tensor, false});
    result.push_back({tensors.front(), true});
    return result;
  }
};

ClaimOptions of_f64(const std::string& system) {
  ClaimOptions options{.system = system, .rows = 5, .cols = 6, .groups = 2};
  options.vector = VectorShape::cols;
  options.contract.storage = DType::f64;
  return options;
}

TEST(QuickWitness, SaysOfTheSameUnitWhatRealSays) {
  for (const std::string& system : system_names()) {
    const TestedClaim tested(of_f64(system), 2, 0.5);
    for (std::int64_t unit = 0; unit < Geometry(tested.claim).units(); ++unit) {
      const DualQuestion q = tested.question(unit);
      const auto quick = quick_meetings<Plain>(q);
      const auto real = real_meetings<Plain>(q, tested.all());
      for (std::size_t t = 0; t < real.size(); ++t) {
        const std::string where = system + ", " + tested.tensors[t].name;
        ASSERT_TRUE(quick[t]) << where;
        EXPECT_LE(quick[t]->error, kAllowed) << where;
        EXPECT_TRUE(real[t].finite && real[t].resolved && !real[t].zero) << where;
        EXPECT_LE(real[t].error, kAllowed) << where;
      }
    }
  }
}

TEST(QuickWitness, SecondOrderOfTheSameEntriesIsTheSame) {
  const Real permitted = pow(Real(10), -Real(kSecondOrderDigits));
  for (const std::string& system : system_names()) {
    const TestedClaim tested(of_f64(system), 2, 0.5);
    const auto moved = tested.moved();
    const auto quick = second_order_readings<Plain, Rough>(tested.claim, tested.inputs, moved);
    const auto real = second_order_readings<Plain, Real>(tested.claim, tested.inputs, moved);
    std::size_t plain = 0;
    for (std::size_t m = 0; m < moved.size(); ++m) {
      if (!plainly_agrees(second_order_witness(tested.claim, moved[m], quick[m].entries), quick[m]))
        continue;
      ++plain;
      ASSERT_EQ(quick[m].entries.size(), real[m].entries.size());
      Real largest(0);
      for (const SecondOrderEntry& e : real[m].entries)
        largest = std::max(largest, Real(abs(e.product)));
      for (std::size_t k = 0; k < real[m].entries.size(); ++k) {
        const SecondOrderEntry& a = quick[m].entries[k];
        const SecondOrderEntry& b = real[m].entries[k];
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
  const TestedClaim tested(of_f64("batchnorm_bias_divide_swish"));
  for (const std::optional<DualMeeting>& meeting :
       quick_meetings<SwishBarelyOff>(tested.question()))
    EXPECT_FALSE(meeting);
  for (const Differentiated& tensor : tested.tensors) {
    const AuditWitness w = dual_of<SwishBarelyOff>(tested.claim, tested.inputs, tensor.name);
    EXPECT_EQ(w.verdict, WitnessVerdict::wrong) << tensor.name << ": " << w.text;
    EXPECT_GT(w.digits, 26) << tensor.name;  // 2^-90
  }
}

TEST(QuickWitness, ASmallTensorIsNotHiddenByALargeOne) {
  // d_x and what belongs to it are 2^-66 of d_multiply.
  TestedClaim tested(of_f64("swish_multiply_swish"));
  for (std::int64_t i = 0; i < 6; ++i) tested.inputs.at("multiply").set(i, 0x1p-66);
  const auto right = dual_of<Plain>(tested.claim, tested.inputs, "x");
  EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << right.text;
  const auto wrong = dual_of<SwishBarelyOff>(tested.claim, tested.inputs, "x");
  EXPECT_EQ(wrong.verdict, WitnessVerdict::wrong) << wrong.text;
}

TEST(QuickWitness, BeyondTheRangeOfDoubleRealTells) {
  const TestedClaim tested(of_f64("batchnorm_bias_divide_swish"), 1e200);
  for (const std::optional<DualMeeting>& meeting : quick_meetings<Plain>(tested.question()))
    EXPECT_FALSE(meeting);
  const AuditWitness right = dual_of<Plain>(tested.claim, tested.inputs, "weight");
  EXPECT_EQ(right.verdict, WitnessVerdict::agrees) << right.text;
  EXPECT_EQ(dual_of<SwishBarelyOff>(tested.claim, tested.inputs, "weight").verdict,
            WitnessVerdict::wrong);
}

TEST(QuickWitness, AZeroThatMayHaveUnderflowedIsAskedInReal) {
  // At -800 the exponential is below double's range: the quick second derivatives are exactly 0.
  const TestedClaim far(of_f64("swish_bias"), 1e-3, -800);
  for (const SecondOrderReading& reading :
       second_order_readings<Plain, Rough>(far.claim, far.inputs, {{far.tensors[0], false}})) {
    ASSERT_FALSE(reading.entries.empty());
    EXPECT_EQ(reading.entries.front().product, 0);
    EXPECT_FALSE(reading.moderate);
  }
  const AuditWitness w = second_order_of<Plain>(far.claim, far.inputs, "x");
  EXPECT_EQ(w.verdict, WitnessVerdict::agrees) << w.text;
  EXPECT_EQ(w.text.find("0 everywhere"), std::string::npos) << w.text;
  EXPECT_EQ(second_order_of<SwishBarelyOff>(far.claim, far.inputs, "x").verdict,
            WitnessVerdict::agrees);
  // The bias is only added: exactly 0, and said without Real.
  const TestedClaim near(of_f64("swish_bias"));
  const auto bias =
      second_order_readings<Plain, Rough>(near.claim, near.inputs, {{near.tensors[1], false}});
  EXPECT_TRUE(bias[0].moderate);
  EXPECT_EQ(bias[0].entries.front().product, 0);
}

using Finest = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<100, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

Finest finest(const Finest& v) { return v; }
Finest finest(const Real& v) { return Finest(v); }
Finest finest(const Coarse& v) { return Finest(v); }
Finest finest(const Quick& v) { return Finest(v.hi) + Finest(v.mid) + Finest(v.lo); }
Finest finest(const Rough& v) { return Finest(v.hi) + Finest(v.lo); }

/// sum |v| |gradient - gradient'| + sum |J v - (J v)'| |dy|, v in one tensor, in two arithmetics.
template <class A, class B>
double apart_in(const DualQuestion& q, const Differentiated& tensor) {
  DualReading<Plain, A> a(q);
  DualReading<Plain, B> b(q);
  const Values<double> v = q.direction(tensor, 0);
  a.take(tensor, v);
  b.take(tensor, v);
  const Values<A> gradient = a.plain.gradient(tensor);
  const Values<B> other = b.plain.gradient(tensor);
  Finest sum(0);
  for (std::size_t i = 0; i < v.size(); ++i)
    sum += std::abs(v[i]) * abs(finest(gradient[i]) - finest(other[i]));
  const Values<Dual<A>>& y = a.dual.runner().forward();
  const Values<Dual<B>>& other_y = b.dual.runner().forward();
  for (std::size_t i = 0; i < y.size(); ++i)
    sum += abs((finest(y[i].d) - finest(other_y[i].d)) * finest(a.plain.unit().dy[i]));
  return sum.template convert_to<double>();
}

/// What Quick and Rough both call 0 is in no difference of the two: exp below -690, in products
/// with numbers up to 1e4 each. 300 digits below what the witness asks for.
const double kLostInExp = std::exp(-kExpRange) * 1e12;

/// log2 of a true rounding over what is allowed for it; below 0 it is covered.
struct Spent {
  double quick = -1e9;
  double real = -1e9;
};

Spent spent(const TestedClaim& tested) {
  Spent worst;
  for (std::int64_t unit = 0; unit < Geometry(tested.claim).units(); ++unit)
    for (const Differentiated& tensor : tested.tensors) {
      const DualQuestion q = tested.question(unit);
      const double quick = apart_in<Quick, Finest>(q, tensor);
      const double real = apart_in<Real, Finest>(q, tensor);
      const double quick_allowed = quick_rounding(apart_in<Quick, Rough>(q, tensor));
      const double real_allowed = nearest(rounding(Real(apart_in<Real, Coarse>(q, tensor))));
      if (quick > kLostInExp) worst.quick = std::max(worst.quick, std::log2(quick / quick_allowed));
      if (real > 0) worst.real = std::max(worst.real, std::log2(real / real_allowed));
    }
  return worst;
}

TEST(QuickWitness, RoundingsStayFarBelowWhatIsAllowedForThem) {
  Spent worst;
  for (const std::string& system : system_names())
    for (const std::int64_t size : {1, 2, 3, 16})
      for (const double scale : {1e-6, 1.0, 30.0})
        for (const double offset : {0.0, 1e3})
          for (const bool training : {true, false}) {
            ClaimOptions options = of_f64(system);
            options.rows = size;
            options.training = training;
            const Spent s = spent(TestedClaim(options, scale, offset));
            worst.quick = std::max(worst.quick, s.quick);
            worst.real = std::max(worst.real, s.real);
          }
  RecordProperty("log2_quick", std::to_string(worst.quick));
  RecordProperty("log2_real", std::to_string(worst.real));
  EXPECT_LT(worst.quick, 0);
  EXPECT_LT(worst.real, 0);
}

}  // namespace
}  // namespace gradproof::oracle_tests
