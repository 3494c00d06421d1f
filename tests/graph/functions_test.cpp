// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/tensor/philox.h"
#include "oracles/graph/arithmetic.h"
#include "oracles/graph/functions/real_functions.h"
#include "oracles/graph/stages/elementwise_stage.h"

namespace gradproof {
namespace {

using Exact = PlainFunctions<Real>;

/// Calls visit(name, certified function, exact function, lowest, highest).
template <class Visit>
void each_function(const Visit& visit) {
  visit(
      "exp", [](auto f, const auto& x) { return f.exp(x); }, -80.0, 80.0);
  visit(
      "log", [](auto f, const auto& x) { return f.log(x); }, 1e-30, 1e30);
  visit(
      "log1p", [](auto f, const auto& x) { return f.log1p(x); }, -0.999, 1e20);
  visit(
      "tanh", [](auto f, const auto& x) { return f.tanh(x); }, -30.0, 30.0);
  visit(
      "erf", [](auto f, const auto& x) { return f.erf(x); }, -9.0, 9.0);
  visit(
      "sin", [](auto f, const auto& x) { return f.sin(x); }, -1e6, 1e6);
  visit(
      "cos", [](auto f, const auto& x) { return f.cos(x); }, -1e6, 1e6);
  visit(
      "logistic", [](auto f, const auto& x) { return f.logistic(x).s; }, -80.0, 80.0);
  visit(
      "1 - logistic", [](auto f, const auto& x) { return f.logistic(x).q; }, -80.0, 80.0);
  visit(
      "sqrt", [](auto f, const auto& x) { return f.sqrt(x); }, 1e-30, 1e30);
}

Certified drawn(const Stream& s, std::uint64_t i, double low, double high, double radius) {
  const double x = low + (high - low) * std::pow(s.uniform(i), i % 2 == 0 ? 1 : 20);
  return {x, 0x1p-60 * x, radius * std::abs(x)};
}

TEST(GraphFunctions, CertifiedHoldsFiftyDigitsWhateverTheArgumentIs) {
  const Stream s(1, "functions");
  each_function([&](const char* name, const auto& function, double low, double high) {
    for (std::uint64_t i = 0; i < 2000; ++i)
      for (const double radius : {0.0, 0x1p-90, 0x1p-40}) {
        const Certified x = drawn(s, i, low, high, radius);
        const Certified y = function(CertifiedFunctions(), x);
        if (!y.decided()) continue;
        for (const double side : {-1.0, 0.0, 1.0}) {
          const Real at = Real(x.hi) + Real(x.lo) + Real(side * x.radius * (1 - 0x1p-40));
          const Real want = function(Exact(), at);
          ASSERT_LE(abs(want - (Real(y.hi) + Real(y.lo))), Real(y.radius)) << name << " " << x.hi;
        }
        if (radius == 0) {
          // No function states an error of more than 2^-96.
          const double reduced = std::string(name) == "sin" || std::string(name) == "cos"
                                     ? kReductionError * (1 + 0x1p-20)
                                     : 0;
          ASSERT_LE(y.radius, 0x1.1p-96 * std::abs(y.hi) + 1e-240 + reduced) << name;
        }
      }
  });
}

TEST(GraphFunctions, TheErrorScalarHoldsWhatAnInexactArgumentMakes) {
  const Stream s(2, "errors");
  const ErrorFunctions<Binary32> f;
  each_function([&](const char* name, const auto& function, double low, double high) {
    for (std::uint64_t i = 0; i < 2000; ++i)
      for (const double relative : {0.0, 1e-7, 1e-2}) {
        const double at = drawn(s, i, low, high, 0).hi;
        ErrorScalar<Binary32> x(at);
        x.e = relative * std::abs(at);
        const auto y = function(f, x);
        if (y.vacuous || y.overflow) continue;
        for (const double side : {-1.0, -0.3, 0.7, 1.0}) {
          const double want = function(PlainFunctions<double>(), at + side * x.e);
          ASSERT_LE(std::abs(want - y.v), y.total() * (1 + 1e-9) + 1e-300) << name << " " << at;
        }
      }
  });
}

/// Far out 1 - s is tiny, and so is its error: the argument's error counts relative to 1 - s.
TEST(GraphFunctions, TheErrorOfALogisticIsRelative) {
  const ErrorFunctions<Binary32> f;
  for (const double at : {1.0, 10.0, 20.0, 40.0}) {
    ErrorScalar<Binary32> x(at);
    x.e = 0x1p-24 * at;
    const auto l = f.logistic(x);
    EXPECT_LE(l.q.total(), 0x1p-24 * (at + 8) * 1.01 * l.q.v) << at;
    EXPECT_GE(l.q.total(), 0x1p-24 * at * l.q.v * l.s.v) << at;
  }
}

/// A logarithm whose argument may be negative has no bound, and no error below 0.
TEST(GraphFunctions, NoErrorIsNegative) {
  const ErrorFunctions<Binary32> f;
  ErrorScalar<Binary32> x(1.0);
  x.e = 2;
  EXPECT_TRUE(f.log(x).vacuous);
  EXPECT_GT(f.log(x).total(), 0);
  x.v = -0.5;
  EXPECT_TRUE(f.log1p(x).vacuous);
  EXPECT_GT(f.log1p(x).total(), 0);
}

/// A small exact number stays exact beside a large number that is known to 2^-15 only.
TEST(GraphFunctions, AChoiceKeepsItsOwnRadius) {
  const Certified large(0x1p87, 0, 0x1p-15);
  const Certified small(0x1p-131);
  EXPECT_EQ(CertifiedFunctions::min(large, small).radius, 0);
  EXPECT_EQ(CertifiedFunctions::max(large, small).radius, large.radius);
  // If either may be the larger one, the choice has the larger of both radii.
  const Certified near(0x1p87, 0x1p-20, 0);
  EXPECT_EQ(CertifiedFunctions::min(large, near).radius, large.radius);
}

const std::vector<std::string>& functions_of_one() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> words;
    for (const GraphStage& s : graph_stages())
      if (s.form == StageForm::elementwise && s.operands.size() == 1 && !s.detached)
        words.emplace_back(s.word);
    return words;
  }();
  return all;
}

GraphStep step_of(const std::string& word) {
  GraphStep step;
  step.stage = word;
  if (word == "softcap") step.options["cap"] = "3";
  if (word == "pow") step.options["exponent"] = "2.5";
  return step;
}

double same(double x) { return x; }

/// True if the function has values from x - apart on.
bool has_values(const std::string& word, double x, double apart) {
  return x - apart > graph_stage(word).defined_from;
}

/// Slope, curvature and jerk on a fine grid are within what is stated, and the largest slope comes
/// near it.
TEST(GraphFunctions, SteepnessIsTheSupremumOnAGrid) {
  for (const std::string& word : functions_of_one()) {
    with_elementwise(step_of(word), same, [&](const auto& fn) {
      const PlainFunctions<double> f;
      const auto slope = [&](double x) { return fn.derivative(f, x, fn.value(f, x)); };
      const double h = 1e-3;
      double steepest = 0;
      for (int i = -8000; i <= 8000; ++i) {
        const double x = i * h + h / 3;
        if (!has_values(word, x, 2 * h)) continue;
        const Steepness<double> stated = fn.steepness(x - 2 * h, x + 2 * h);
        bool kinked = false;
        for (const double kink : stated.kinks) kinked = kinked || std::abs(x - kink) < 3 * h;
        EXPECT_LE(std::abs(slope(x)), stated.slope * (1 + 1e-6)) << word << " " << x;
        if (kinked) continue;
        const double curvature = std::abs(slope(x + h) - slope(x - h)) / (2 * h);
        const double jerk = std::abs(slope(x + h) - 2 * slope(x) + slope(x - h)) / (h * h);
        EXPECT_LE(curvature, stated.curvature * (1 + 1e-4) + 1e-9) << word << " " << x;
        EXPECT_LE(jerk, stated.jerk * (1 + 1e-3) + 1e-5) << word << " " << x;
        steepest = std::max(steepest, std::abs(slope(x)) / stated.slope);
      }
      EXPECT_GT(steepest, 0.9) << word;
    });
  }
}

/// The derivative is that of the value, by central differences at 50 digits.
TEST(GraphFunctions, TheDerivativeIsThatOfTheValue) {
  for (const std::string& word : functions_of_one()) {
    with_elementwise(step_of(word), same, [&](const auto& fn) {
      const Exact f;
      for (double x = -6.03; x < 6; x += 0.173) {
        if (!has_values(word, x, 1e-12)) continue;
        const Real h = Real(1e-12);
        const Real left = fn.value(f, Real(x) - h);
        const Real right = fn.value(f, Real(x) + h);
        const Real want = (right - left) / (2 * h);
        const Real got = fn.derivative(f, Real(x), fn.value(f, Real(x)));
        EXPECT_LE(abs(got - want), Real(1e-20) * (1 + abs(want))) << word << " at " << x;
      }
    });
  }
}

/// LibTorch's forms are the same function.
TEST(GraphFunctions, TheOtherFormsAreTheSameFunction) {
  for (const std::string& word : functions_of_one()) {
    with_elementwise(step_of(word), same, [&](const auto& fn) {
      const ErrorFunctions<Binary64> f;
      for (double x = -9.03; x < 25; x += 0.173) {
        if (!has_values(word, x, 0)) continue;
        const ErrorScalar<Binary64> at(x);
        const auto y = fn.value(f, at);
        const auto d = fn.derivative(f, at, y);
        if constexpr (requires { fn.libtorch_value(f, at); }) {
          const auto other = fn.libtorch_value(f, at);
          EXPECT_LE(std::abs(other.v - y.v), other.total() + y.total()) << word << " at " << x;
        }
        if constexpr (requires { fn.libtorch_derivative(f, at, y); }) {
          const auto other = fn.libtorch_derivative(f, at, y);
          EXPECT_LE(std::abs(other.v - d.v), other.total() + d.total()) << word << " at " << x;
        }
      }
    });
  }
}

}  // namespace
}  // namespace gradproof
