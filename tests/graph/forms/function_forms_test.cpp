// SPDX-License-Identifier: Apache-2.0
// Each form of an elementwise function is simulated under the contract that declares it.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

template <class R>
R branched_of(R x) {
  const R t = std::exp(-std::abs(x));
  return x > 0 ? 1 / (1 + t) : t / (1 + t);
}
template <class R>
R quotient_of(R x) {
  return 1 / (1 + std::exp(-x));
}
template <class R>
R softplus_of(R x, int form) {
  if (form == 0) return std::max(x, R(0)) + std::log1p(std::exp(-std::abs(x)));
  return x > 20 ? x : std::log1p(std::exp(x));
}

/// A function f, with dy f' computed from the two factors whose product f' is.
template <class R>
struct Stage {
  std::string call;
  std::map<FormPart, int> forms;
  std::function<R(R)> value;
  std::function<std::pair<R, R>(R)> factors;  ///< of x

  std::map<std::string, Numbers<R>> computed(const Simulated<R>& s) const {
    std::map<std::string, Numbers<R>> out;
    const Numbers<R> x = s.numbers("x");
    const Numbers<R> dy = s.numbers("dy");
    const auto cotangent = forms.find(FormPart::cotangent);
    const bool first = cotangent != forms.end() && cotangent->second == 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto [a, b] = factors(x[i]);
      out["y"].push_back(value(x[i]));
      out["d_x"].push_back(first ? (dy[i] * a) * b : dy[i] * (a * b));
    }
    return out;
  }
};

template <class R>
using Stages = std::vector<Stage<R>>;

template <class R>
void add_sigmoid(Stages<R>& all, int form, int complement, int cotangent) {
  const auto s = [form](R x) { return form == 0 ? branched_of(x) : quotient_of(x); };
  const std::map<FormPart, int> forms{{FormPart::sigmoid, form},
                                      {FormPart::complement, complement},
                                      {FormPart::cotangent, cotangent}};
  const auto rest = [s, complement](R x) { return complement == 0 ? branched_of(-x) : 1 - s(x); };
  all.push_back({"sigmoid(x)", forms, s, [s, rest](R x) { return std::pair(rest(x), s(x)); }});
  const auto of_silu = [complement](R x) {
    return complement == 0 ? branched_of(x) : quotient_of(x);
  };
  all.push_back({"silu(x)", forms, [s](R x) { return x * s(x); },
                 [=](R x) {
                   const R one_less = complement == 0 ? branched_of(-x) : 1 - quotient_of(x);
                   return std::pair(of_silu(x), 1 + x * one_less);
                 }});
}

template <class R>
void add_tanh(Stages<R>& all, int complement, int cotangent) {
  const std::map<FormPart, int> forms{{FormPart::complement, complement},
                                      {FormPart::cotangent, cotangent}};
  const auto slope = [complement](R x) {
    const R t = std::tanh(x);
    return complement == 0 ? 4 * (branched_of(2 * x) * branched_of(-2 * x)) : 1 - t * t;
  };
  all.push_back({"tanh(x)", forms, [](R x) { return std::tanh(x); },
                 [slope](R x) { return std::pair(slope(x), R(1)); }});
  all.push_back({"softcap(x, cap=3)", forms, [](R x) { return std::tanh(x / 3) * 3; },
                 [slope](R x) { return std::pair(R(3), slope(x / 3) / 3); }});
}

template <class R>
void add_softplus(Stages<R>& all, int form) {
  all.push_back({"softplus(x)",
                 {{FormPart::softplus, form}},
                 [form](R x) { return softplus_of(x, form); },
                 [form](R x) {
                   const R z = std::exp(x);
                   const R direct = x > 20 ? 1 : z / (z + 1);
                   return std::pair(form == 0 ? branched_of(x) : direct, R(1));
                 }});
}

/// Adds mish by its own text: tanh of the softplus, and 1 - t^2.
template <class R>
void add_mish(Stages<R>& all, int form, int complement) {
  const auto inner = [](R x, int of) {
    return of == 0 ? softplus_of(x, 0) : std::log1p(std::exp(x));
  };
  all.push_back({"mish(x)",
                 {{FormPart::softplus, form}, {FormPart::complement, complement}},
                 [=](R x) { return x * std::tanh(inner(x, form)); },
                 [=](R x) {
                   const R s = inner(x, complement);
                   const R t = std::tanh(s);
                   const R slope =
                       complement == 0 ? 4 * (branched_of(2 * s) * branched_of(-2 * s)) : 1 - t * t;
                   const R sigmoid = complement == 0 ? branched_of(x) : quotient_of(x);
                   return std::pair(t + x * slope * sigmoid, R(1));
                 }});
}

template <class R>
Stages<R> stages() {
  Stages<R> all;
  for (int form : {0, 1})
    for (int complement : {0, 1}) {
      for (int cotangent : {0, 1}) add_sigmoid(all, form, complement, cotangent);
      add_mish(all, form, complement);
    }
  for (int complement : {0, 1})
    for (int cotangent : {0, 1}) add_tanh(all, complement, cotangent);
  for (int form : {0, 1}) add_softplus(all, form);
  return all;
}

/// A Case with x from -110 to 85, where the forms part, and cotangents of all sizes.
template <class R>
Simulated<R> swept(const std::string& call) {
  Simulated<R> s("{y = " + call + "} rows=64 cols=61");
  Numbers<R> x, dy;
  for (int k = 0; k < 64 * 61; ++k) {
    x.push_back(R(-110) + R(195) * static_cast<R>(k) / R(64 * 61));
    dy.push_back(std::ldexp(R(1) + static_cast<R>(k % 7) / 8, -(k % 140)));
  }
  s.set("x", x);
  s.set("dy", dy);
  return s;
}

template <class R>
void each_is_within() {
  for (const Stage<R>& stage : stages<R>()) {
    const Simulated<R> s = swept<R>(stage.call);
    const std::string contract = contract_of(stage.forms);
    for (const auto& [name, bad] : s.bad(contract, stage.computed(s)))
      EXPECT_EQ(bad, 0) << stage.call << " " << name << " " << contract;
  }
}

TEST(FunctionForms, EachIsWithinTheBoundOfItsContract) { each_is_within<float>(); }
TEST(FunctionForms, InFloat64Too) { each_is_within<double>(); }

/// The number of a stage's results by some forms that are over the bound of others.
template <class R>
std::int64_t convicted(const std::string& call, const std::map<FormPart, int>& forms,
                       const std::string& contract, const std::string& tensor) {
  for (const Stage<R>& stage : stages<R>()) {
    if (stage.call != call || stage.forms != forms) continue;
    const Simulated<R> s = swept<R>(call);
    EXPECT_EQ(s.bad("", stage.computed(s)).at(tensor), 0) << call << ": the union holds all";
    return s.bad(contract, stage.computed(s)).at(tensor);
  }
  ADD_FAILURE() << "no such stage: " << call;
  return 0;
}

using enum FormPart;

/// exp(-x) overflows below -88.7, so the quotient is 0 there; 1 - s is 0 where s rounds to 1.
TEST(FunctionForms, AFormThatErrsMoreIsConvicted) {
  const std::map<FormPart, int> by_quotient{{sigmoid, 1}, {complement, 0}, {cotangent, 0}};
  EXPECT_GT(convicted<float>("silu(x)", by_quotient, "sigmoid=branched", "y"), 0);
  EXPECT_GT(convicted<float>("sigmoid(x)", by_quotient, "sigmoid=branched", "y"), 0);
  EXPECT_GT(convicted<float>("sigmoid(x)", {{sigmoid, 0}, {complement, 1}, {cotangent, 0}},
                             "complement=reflected", "d_x"),
            0);
  EXPECT_GT(
      convicted<float>("tanh(x)", {{complement, 1}, {cotangent, 0}}, "complement=reflected", "d_x"),
      0);
  EXPECT_GT(convicted<float>("softcap(x, cap=3)", {{complement, 1}, {cotangent, 0}},
                             "complement=reflected", "d_x"),
            0);
}

/// dy s underflows, and the other factor is up to 110.
TEST(FunctionForms, AFactorBeforeTheOtherIsConvicted) {
  EXPECT_GT(convicted<float>("silu(x)", {{sigmoid, 0}, {complement, 0}, {cotangent, 1}},
                             "sigmoid=branched complement=reflected cotangent=last", "d_x"),
            0);
}

/// From 20 on LibTorch's softplus is x: off by e^-20, which float64 shows.
TEST(FunctionForms, AThresholdIsConvicted) {
  EXPECT_GT(convicted<double>("softplus(x)", {{FormPart::softplus, 1}}, "softplus=branched", "y"),
            0);
  EXPECT_GT(convicted<double>("softplus(x)", {{FormPart::softplus, 1}}, "softplus=branched", "d_x"),
            0);
}

/// x/3 is off by half an ulp at most, x (1/3) by more.
TEST(FunctionForms, AReciprocalIsConvicted) {
  Simulated<float> s("{y = divide(x, 3)} rows=64 cols=61");
  std::map<std::string, Numbers<float>> divided, reciprocal;
  for (const float x : s.numbers("x")) {
    divided["y"].push_back(x / 3.0F);
    reciprocal["y"].push_back(x * (1.0F / 3.0F));
  }
  EXPECT_EQ(s.bad("division=divided", divided).at("y"), 0);
  EXPECT_EQ(s.bad("division=reciprocal", reciprocal).at("y"), 0);
  EXPECT_EQ(s.bad("", reciprocal).at("y"), 0);
  EXPECT_GT(s.bad("division=divided functions=rounded", reciprocal).at("y"), 0);
}

}  // namespace
}  // namespace gradproof
