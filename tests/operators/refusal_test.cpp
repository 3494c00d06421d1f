// SPDX-License-Identifier: Apache-2.0
// Bad input: the class of the error is LibTorch's, the text names the argument, what it is and what
// it should be.
#include <functional>

#include <gtest/gtest.h>

#include "tests/support/torch_ops_support.h"

namespace gradproof::ops {
namespace {

enum class Class { none, runtime, value, not_implemented };

struct Refused {
  Class of = Class::none;
  std::string text;
};

Refused refused(const Operator& op, const NamedTensors& tensors, const Setting& setting) {
  try {
    apply(op, tensors, setting);
  } catch (const c10::ValueError& error) {
    return {Class::value, error.what_without_backtrace()};
  } catch (const c10::NotImplementedError& error) {
    return {Class::not_implemented, error.what_without_backtrace()};
  } catch (const c10::Error& error) {
    return {Class::runtime, error.what_without_backtrace()};
  }
  return {};
}

struct Mistake {
  std::string argument;  ///< operators without it are left out; "" is in all
  std::function<void(NamedTensors&, Setting&)> make;
  Class of;
  std::string says;
};

using T = NamedTensors;

std::vector<Mistake> of_x() {
  return {
      {"", [](T& t, Setting&) { t["x"] = t["x"].to(at::kLong); }, Class::not_implemented,
       "x is Long; expected Float, Double, Half or BFloat16"},
      {"", [](T& t, Setting&) { t["x"] = t["x"].to(at::kComplexFloat); }, Class::not_implemented,
       "x is ComplexFloat; expected"},
      {"", [](T& t, Setting&) { t["x"] = t["x"].flatten(); }, Class::runtime,
       "x has shape [84]; expected (rows, cols)"},
      {"", [](T& t, Setting&) { t["x"] = t["x"].unsqueeze(2); }, Class::runtime,
       "x has shape [7, 12, 1]; expected (rows, cols)"},
      {"", [](T& t, Setting&) { t["x"] = t["x"].narrow(1, 0, 0); }, Class::runtime,
       "x has shape [7, 0]; expected at least one column"},
      {"", [](T& t, Setting&) { t["x"] = t["x"].to_sparse(); }, Class::not_implemented,
       "x is Sparse; expected a dense tensor"},
      {"", [](T& t, Setting&) { t["x"] = at::quantize_per_tensor(t["x"], 0.1, 0, at::kQInt8); },
       Class::not_implemented, "x is quantized; expected a dense tensor"},
      {"", [](T& t, Setting&) { t["x"] = at::Tensor(); }, Class::runtime,
       "x is undefined; expected a tensor"},
      {"running_mean", [](T& t, Setting&) { t["x"] = t["x"].narrow(0, 0, 1); }, Class::value,
       "Expected more than 1 value per channel when training, got input size [1, 12]"},
  };
}

/// A vector of the operator: bias, scale or multiply.
std::vector<Mistake> of_vector(const std::string& name) {
  const auto with = [name](const std::function<at::Tensor(const at::Tensor&)>& change) {
    return [name, change](T& t, Setting&) { t[name] = change(t[name]); };
  };
  return {
      {name, with([](const at::Tensor& v) { return v.narrow(0, 0, 11); }), Class::runtime,
       name + " has shape [11]; expected [1], [12] or [1, 12]"},
      {name, with([](const at::Tensor& v) { return v.unsqueeze(1); }), Class::runtime,
       name + " has shape [12, 1]; expected [1], [12] or [1, 12]"},
      {name, with([](const at::Tensor& v) { return v[0]; }), Class::runtime,
       name + " has shape []; expected"},
      {name, with([](const at::Tensor& v) { return v.to(at::kDouble); }), Class::runtime,
       name + " is Double; expected Float, as x"},
      {name, with([](const at::Tensor& v) { return v.to(at::kHalf); }), Class::runtime,
       name + " is Half; expected Float, as x"},
      {name, with([](const at::Tensor& v) { return v.to(at::kMeta); }), Class::runtime,
       "is on "},  // which of the two is named depends on the order of the arguments
      {name, with([](const at::Tensor&) { return at::Tensor(); }), Class::runtime,
       name + " is undefined; expected a tensor"},
      {name, with([](const at::Tensor& v) { return v.to_sparse(); }), Class::not_implemented,
       name + " is Sparse; expected a dense tensor"},
  };
}

std::vector<Mistake> of_norms() {
  const auto eps = [](double value) { return [value](T&, Setting& s) { s.eps = value; }; };
  const std::string positive = "; expected a positive and finite number";
  return {
      {"weight", eps(0), Class::value, "eps is 0" + positive},
      {"weight", eps(-1e-5), Class::value, "eps is -1e-05" + positive},
      {"weight", eps(NAN), Class::value, "eps is nan" + positive},
      {"weight", eps(INFINITY), Class::value, "eps is inf" + positive},
      {"weight", [](T& t, Setting&) { t["beta"] = at::Tensor(); }, Class::runtime,
       "beta is absent and weight is given; expected both or neither"},
      {"weight", [](T& t, Setting&) { t["weight"] = at::Tensor(); }, Class::runtime,
       "weight is absent and beta is given; expected both or neither"},
      {"weight",
       [](T& t, Setting&) {
         t["weight"] = t["weight"].view({1, 12});
       },
       Class::runtime, "weight has shape [1, 12]; expected [12]"},
      {"weight", [](T& t, Setting&) { t["beta"] = t["beta"].narrow(0, 0, 1); }, Class::runtime,
       "beta has shape [1]; expected [12]"},
  };
}

std::vector<Mistake> of_batch_norms() {
  const auto momentum = [](double value) {
    return [value](T&, Setting& s) { s.momentum = value; };
  };
  const std::string range = "; expected a number from 0 to 1, or None";
  return {
      {"running_mean", momentum(-0.1), Class::value, "momentum is -0.1" + range},
      {"running_mean", momentum(1.5), Class::value, "momentum is 1.5" + range},
      {"running_mean", momentum(NAN), Class::value, "momentum is nan" + range},
      {"running_mean", [](T& t, Setting&) { t["running_var"] = at::Tensor(); }, Class::runtime,
       "2 of running_mean, running_var and num_batches_tracked are given; expected all three"},
      {"running_mean", [](T& t, Setting&) { t["running_var"] = at::ones({11}); }, Class::runtime,
       "running_var has shape [11]; expected [12]"},
      {"running_mean", [](T& t, Setting&) { t["running_mean"] = at::ones({12}, at::kDouble); },
       Class::runtime, "running_mean is Double; expected Float, as x"},
      {"running_mean",
       [](T& t, Setting&) { t["running_mean"] = at::ones({24}).slice(0, 0, 24, 2); },
       Class::runtime, "running_mean is not contiguous"},
      {"running_mean", [](T& t, Setting&) { t["running_mean"].requires_grad_(true); },
       Class::runtime, "running_mean requires a gradient; expected a buffer, which has none"},
      {"running_mean", [](T& t, Setting&) { t["num_batches_tracked"] = at::ones({}); },
       Class::runtime, "num_batches_tracked is Float of shape []; expected one element of Long"},
  };
}

std::vector<Mistake> of_group_norms() {
  const auto groups = [](std::int64_t value) {
    return [value](T&, Setting& s) { s.groups = value; };
  };
  return {
      {"num_groups", groups(5), Class::runtime,
       "Expected number of channels in input to be divisible by num_groups, but got input of shape "
       "[7, 12] and num_groups=5"},
      {"num_groups", groups(0), Class::runtime,
       "num_groups is 0; expected num groups to be greater"},
      {"num_groups", groups(-3), Class::runtime, "num_groups is -3; expected num groups to be"},
  };
}

std::vector<Mistake> mistakes() {
  std::vector<Mistake> all = of_x();
  for (const auto& more : {of_vector("bias"), of_vector("scale"), of_vector("multiply"), of_norms(),
                           of_batch_norms(), of_group_norms()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(TorchOperatorsRefuse, BadInputByNameGotAndExpected) {
  const std::vector<Mistake> all = mistakes();
  for (const Operator& op : operators()) {
    const std::string schema = op.forward_schema();
    int refusals = 0;
    for (const Mistake& mistake : all) {
      if (schema.find(" " + mistake.argument) == std::string::npos) continue;
      Setting s;
      NamedTensors t = tensors_of(op, s);
      EXPECT_EQ(refused(op, copy_of(t, op, false), s).of, Class::none) << op.word << ": control";
      mistake.make(t, s);
      const Refused got = refused(op, t, s);
      EXPECT_EQ(got.of, mistake.of) << op.word << ": " << got.text;
      EXPECT_NE(got.text.find(mistake.says), std::string::npos)
          << op.word << " says: " << got.text << "\nexpected: " << mistake.says;
      EXPECT_EQ(got.text.find("gradproof::" + op.word + ": "), 0u) << got.text;
      ++refusals;
    }
    EXPECT_GT(refusals, 8) << op.word;
  }
}

/// float16 with one parameter in float32 and another in its own type.
TEST(TorchOperatorsRefuse, ParametersOfTwoTypes) {
  for (const Operator& op : operators()) {
    const Setting s{.dtype = at::kHalf, .parameters = at::kHalf};
    NamedTensors t = tensors_of(op, s);
    if (op.parameters.size() < 2) continue;
    t[op.parameters.back()] = t[op.parameters.back()].to(at::kFloat);
    const Refused got = refused(op, t, s);
    EXPECT_EQ(got.of, Class::runtime) << op.word;
    EXPECT_NE(got.text.find(op.parameters.back() + " is Float; expected Half, as the other"),
              std::string::npos)
        << got.text;
  }
}

TEST(TorchOperatorsRefuse, OneRowIsFineWhereNoBatchIsMeasured) {
  for (const Operator& op : operators()) {
    Setting s{.rows = 1, .training = false};
    EXPECT_EQ(refused(op, tensors_of(op, s), s).of, Class::none) << op.word;
    s.tracked = false;
    EXPECT_EQ(refused(op, tensors_of(op, s), s).of, op.batch_norm ? Class::value : Class::none)
        << op.word;
  }
}

}  // namespace
}  // namespace gradproof::ops
