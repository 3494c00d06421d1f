// SPDX-License-Identifier: Apache-2.0
// The derivative of a gradient by two ways: they agree where the gradient is one, and not where it
// is that of no function.
#include "oracles/functions/second_order.h"

#include <limits>

#include <gtest/gtest.h>

#include "oracles/functions/audit_function.h"

namespace gradproof {
namespace {

/// y = x[i] sum_k x[k]^2, whose gradient is dy[i] s + 2 x[i] sum_k dy[k] x[k]. `missing` of the
/// second term is left out in the first entry: then no function has this gradient.
struct Cubic {
  double missing = 0;

  template <class T>
  T squares(const std::vector<T>& x) const {
    T s(0);
    for (const T& each : x) s += each * each;
    return s;
  }
  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    std::vector<T> y;
    for (const T& each : in[0]) y.push_back(each * squares(in[0]));
    return y;
  }
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    T along(0);
    for (std::size_t k = 0; k < dy.size(); ++k) along += dy[k] * in[0][k];
    Arrays<T> result(1);
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const T second = T(2) * in[0][i] * along;
      result[0].push_back(dy[i] * squares(in[0]) +
                          (i == 0 ? second * (T(1) - T(missing)) : second));
    }
    return result;
  }
};

/// y = max(x, 0), whose second derivative is 0 but at the kink.
struct Relu {
  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    std::vector<T> y;
    for (const T& each : in[0]) y.push_back(max(each, T(0)));
    return y;
  }
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    Arrays<T> result(1);
    for (std::size_t i = 0; i < dy.size(); ++i) result[0].push_back(T(0) < in[0][i] ? dy[i] : T(0));
    return result;
  }
};

FunctionFacts facts_of(const std::vector<double>& numbers) {
  FunctionFacts facts;
  facts.inputs = {{"x", {std::ssize(numbers)}, numbers}};
  facts.widths = {widths_of(numbers)};
  for (std::size_t i = 0; i < numbers.size(); ++i) facts.dy.push_back(i % 2 == 0 ? 1.5 : -0.75);
  return facts;
}

template <class F>
AuditWitness witness_of(const F& function, const std::vector<double>& numbers,
                        bool cotangent = false) {
  const FunctionFacts facts = facts_of(numbers);
  SecondOrder<F> second(function, facts, 1);
  std::vector<SecondOrderEntry> entries;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    entries.push_back(second.entry({0, i, cotangent}));
    entries.back().entry = static_cast<std::int64_t>(i);
  }
  return second_order_witness(cotangent ? Witness::second_order_dy : Witness::second_order, entries,
                              std::ssize(numbers));
}

const std::vector<double> kNumbers{0.5, -1.25, 2, 0.375};

TEST(SecondOrder, AgreesWithDifferencesOfTheGradient) {
  for (const bool cotangent : {false, true}) {
    const AuditWitness witness = witness_of(Cubic(), kNumbers, cotangent);
    EXPECT_EQ(witness.verdict, WitnessVerdict::agrees) << witness.text;
    EXPECT_EQ(witness.digits, 50);
  }
}

TEST(SecondOrder, AGradientOfNoFunctionIsNotSymmetric) {
  for (const double missing : {1.0, 0x1p-40, 0x1p-60}) {
    const AuditWitness witness = witness_of(Cubic{missing}, kNumbers);
    EXPECT_EQ(witness.verdict, WitnessVerdict::wrong) << missing;
    EXPECT_GE(witness.wrong, 3) << missing;
    EXPECT_EQ(witness_of(Cubic{missing}, kNumbers, true).verdict, WitnessVerdict::wrong) << missing;
  }
}

/// Twenty digits are asked for: less is not seen.
TEST(SecondOrder, AnErrorBelowTwentyDigitsPasses) {
  EXPECT_EQ(witness_of(Cubic{0x1p-80}, kNumbers).verdict, WitnessVerdict::agrees);
}

/// y = x - mean(x), with the slope of a cube: where dy is one number, what is left of the gradient
/// is rounding, whatever x is, and differences of it are more of that.
struct Centred {
  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    T mean(0);
    for (const T& x : in[0]) mean += x * x * x / T(static_cast<double>(in[0].size()));
    std::vector<T> y;
    for (const T& x : in[0]) y.push_back(x * x * x - mean);
    return y;
  }
  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    T mean(0);
    for (const T& each : dy) mean += each / T(static_cast<double>(dy.size()));
    Arrays<T> result(1);
    for (std::size_t i = 0; i < dy.size(); ++i)
      result[0].push_back((dy[i] - mean) * T(3) * in[0][i] * in[0][i]);
    return result;
  }
};

TEST(SecondOrder, TheRoundingOfAZeroIsNotWrong) {
  FunctionFacts facts = facts_of({0.5, -1.25, 2});
  facts.dy = {0.1, 0.1, 0.1};
  const Centred centred;
  SecondOrder<Centred> second(centred, facts, 1);
  std::vector<SecondOrderEntry> entries;
  for (std::size_t i = 0; i < 3; ++i) entries.push_back(second.entry({0, i, false}));
  const AuditWitness witness = second_order_witness(Witness::second_order, entries, 3);
  EXPECT_EQ(witness.verdict, WitnessVerdict::agrees) << witness.text;
  EXPECT_NE(witness.text.find("0 everywhere"), std::string::npos) << witness.text;
}

TEST(SecondOrder, AKinkBetweenTheMovesSaysNothing) {
  EXPECT_EQ(witness_of(Relu(), {1, -2}).verdict, WitnessVerdict::agrees);
  const AuditWitness on_it = witness_of(Relu(), {0});
  EXPECT_EQ(on_it.verdict, WitnessVerdict::silent);
  EXPECT_EQ(on_it.text, "not finite, or not smooth");
  EXPECT_EQ(witness_of(Relu(), {0, 1}, true).verdict, WitnessVerdict::silent)
      << "the value along c has one side, and the adjoint another";
}

TEST(SecondOrder, ANumberThatIsNotFiniteSaysNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(witness_of(Cubic(), {infinity, 1}).verdict, WitnessVerdict::silent);
}

TEST(SecondOrder, NoEntriesSaySo) {
  EXPECT_EQ(second_order_witness(Witness::second_order, {}, 0).text, "no elements");
}

}  // namespace
}  // namespace gradproof
