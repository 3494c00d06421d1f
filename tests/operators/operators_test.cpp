// SPDX-License-Identifier: Apache-2.0
// The operators give what the kernels give, bit for bit; the kernels themselves are judged by the
// oracle elsewhere.
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/torch_ops_support.h"

namespace gradproof::ops {
namespace {

DType dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return DType::f64;
    case at::kHalf:
      return DType::f16;
    case at::kBFloat16:
      return DType::bf16;
    case at::kLong:
      return DType::i64;
    default:
      return DType::f32;
  }
}

View view_of(const at::Tensor& t) {
  return {t.data_ptr(), dtype_of(t), t.sizes().vec(), t.strides().vec()};
}

/// The kernel's entry points on the same memory, without LibTorch's dispatcher.
class Direct {
 public:
  Direct(const Operator& op, const NamedTensors& given, const Setting& s)
      : op_(op), all_(copy_of(given, op, false)) {
    call_.extents = {{"rows", s.rows}, {"cols", s.cols}};
    if (op.group_norm) call_.extents["groups"] = s.groups;
    constexpr double kCumulative = std::numeric_limits<double>::quiet_NaN();
    call_.scalars = {
        {"eps", s.eps}, {"divide", s.divide}, {"momentum", s.momentum.value_or(kCumulative)}};
    call_.flags = {{"training", s.training}, {"batch_statistics", s.training || !s.tracked}};
    call_.operands = op.operands;
    call_.dtype = dtype_of(all_.at("x"));
    call_.parameters = s.parameters == s.dtype ? call_.dtype : DType::f32;
  }

  NamedTensors results(const Setting& s) {
    const at::ScalarType accumulation = s.dtype == at::kDouble ? at::kDouble : at::kFloat;
    out("y", at::empty({s.rows, s.cols}, s.dtype));
    if (op_.has_norm())
      for (const char* name : {"mean", "rstd"})
        out(name, op_.batch_norm ? at::empty({s.cols}, accumulation)
                                 : at::empty({s.rows, s.groups}, accumulation));
    for (const std::string& name : op_.differentiable())
      if (all_.contains(name))
        out("d_" + name, at::empty(all_.at(name).sizes(), all_.at(name).scalar_type()));
    pass(op_.kernel->entry.forward);
    pass(op_.kernel->entry.backward);
    for (const char* name : {"running_mean", "running_var", "num_batches_tracked"})
      if (all_.contains(name)) results_.emplace(name, all_.at(name));
    return results_;
  }

 private:
  void out(const std::string& name, const at::Tensor& tensor) {
    results_.emplace(name, tensor);
    call_.views.emplace(name, view_of(tensor));
  }

  void pass(const EntryPoints::Function& entry) {
    for (const auto& [name, tensor] : all_) call_.views.insert_or_assign(name, view_of(tensor));
    const auto floats = static_cast<std::int64_t>(op_.kernel->workspace(call_) / sizeof(float)) + 1;
    const at::Tensor workspace = at::empty({floats}, at::kFloat);
    call_.views.insert_or_assign("workspace", view_of(workspace));
    entry(call_);
  }

  const Operator& op_;
  NamedTensors all_, results_;
  Call call_;
};

std::vector<Setting> dtypes() {
  std::vector<Setting> all;
  for (const auto& [dtype, parameters] :
       {std::pair(at::kFloat, at::kFloat), std::pair(at::kDouble, at::kDouble),
        std::pair(at::kHalf, at::kHalf), std::pair(at::kHalf, at::kFloat),
        std::pair(at::kBFloat16, at::kBFloat16), std::pair(at::kBFloat16, at::kFloat)})
    all.push_back({.dtype = dtype, .parameters = parameters});
  return all;
}

std::vector<Setting> options() {
  return {{.training = false}, {.tracked = false},         {.training = false, .tracked = false},
          {.affine = false},   {.momentum = std::nullopt}, {.shape = {1}},
          {.shape = {1, 12}}};
}

TEST(TorchOperators, GiveTheKernelsBits) {
  std::vector<Setting> settings = dtypes();
  for (const Setting& s : options()) settings.push_back(s);
  ASSERT_EQ(operators().size(), catalog().kernels().size());
  for (const Operator& op : operators()) {
    for (std::size_t i = 0; i < settings.size(); ++i) {
      SCOPED_TRACE(op.word + ", setting " + std::to_string(i));
      const Setting& s = settings[i];
      const NamedTensors given = tensors_of(op, s);
      const NamedTensors want = Direct(op, given, s).results(s);
      EXPECT_EQ(differing(through_operator(op, given, s), want), "");
      // The control has another x and dy.
      NamedTensors other = given;
      other["x"] = given.at("x").square() + 1;
      other["dy"] = given.at("dy") + 1;
      const std::string seen = differing(through_operator(op, other, s), want);
      EXPECT_NE(seen.find("y "), std::string::npos);
      EXPECT_NE(seen.find("d_x "), std::string::npos);
    }
  }
}

/// Matrices for x and dy whose memory is not row after row.
std::vector<std::pair<const char*, at::Tensor>> strided(const Setting& s) {
  at::manual_seed(5);
  return {{"transposed", at::randn({s.cols, s.rows}).t()},
          {"every other column", at::randn({s.rows, 2 * s.cols}).slice(1, 0, 2 * s.cols, 2)},
          {"one row for all", at::randn({1, s.cols}).expand({s.rows, s.cols})},
          {"one number", at::full({1, 1}, 0.75).expand({s.rows, s.cols})},
          {"offset",
           at::randn({s.rows * s.cols + 1}).narrow(0, 1, s.rows * s.cols).view({s.rows, s.cols})}};
}

TEST(TorchOperators, TakeTensorsOfAnyStrides) {
  const Setting s;
  for (const Operator& op : operators()) {
    for (const auto& [what, tensor] : strided(s)) {
      for (const char* name : {"x", "dy"}) {
        SCOPED_TRACE(op.word + ", " + name + " is " + what);
        NamedTensors given = tensors_of(op, s);
        given[name] = tensor;
        const NamedTensors got = through_operator(op, given, s);
        EXPECT_EQ(differing(got, Direct(op, given, s).results(s)), "");
        EXPECT_TRUE(got.at("y").is_contiguous());
        EXPECT_TRUE(got.at("d_x").is_contiguous());
      }
    }
  }
}

TEST(TorchOperators, TakeParametersWithGaps) {
  const Setting s;
  for (const Operator& op : operators()) {
    SCOPED_TRACE(op.word);
    NamedTensors given = tensors_of(op, s);
    const NamedTensors want = Direct(op, given, s).results(s);
    for (const std::string& name : op.parameters) {
      at::Tensor wide = at::zeros({2 * s.cols}, given[name].options());
      wide.slice(0, 0, 2 * s.cols, 2).copy_(given[name]);
      given[name] = wide.slice(0, 0, 2 * s.cols, 2);
      ASSERT_FALSE(given[name].is_contiguous());
    }
    // The test does not use through_operator, whose copies have no gaps.
    for (const std::string& name : op.parameters) given[name].requires_grad_(true);
    const Normalized got = apply(op, given, s);
    EXPECT_TRUE(at::equal(got.y, want.at("y")));
    if (op.parameters.empty()) continue;
    got.y.backward(given.at("dy"));
    for (const std::string& name : op.parameters)
      EXPECT_TRUE(at::equal(given[name].grad(), want.at("d_" + name))) << name;
  }
}

/// Without rows there are no statistics of the batch, gradients are 0, and the count alone is kept.
TEST(TorchOperators, TakeNoRows) {
  for (const Operator& op : operators()) {
    for (const bool training : {true, false}) {
      SCOPED_TRACE(op.word + (training ? ", training" : ", eval"));
      const Setting s{.rows = 0, .training = training};
      const NamedTensors got = through_operator(op, tensors_of(op, s), s);
      EXPECT_EQ(got.at("y").sizes(), at::IntArrayRef({0, s.cols}));
      EXPECT_EQ(got.at("d_x").sizes(), at::IntArrayRef({0, s.cols}));
      for (const std::string& name : op.parameters)
        EXPECT_TRUE(at::equal(got.at("d_" + name), at::zeros_like(got.at("d_" + name)))) << name;
      if (op.group_norm) {
        EXPECT_EQ(got.at("mean").sizes(), at::IntArrayRef({0, s.groups}));
      } else if (op.batch_norm) {
        EXPECT_EQ(got.at("mean").isnan().all().item<bool>(), training);
      }
    }
  }
}

/// The results are those of LibTorch's division.
TEST(TorchOperators, DivideByZeroAsIeeeSays) {
  const at::Tensor x = at::full({2, 3}, 1.5);
  const at::Tensor bias = at::full({1}, 1.0);
  EXPECT_TRUE(bias_divide_swish(x, bias, 0.0).isinf().all().item<bool>());
  EXPECT_TRUE(bias_divide_swish(-x, bias, 0.0).isnan().all().item<bool>()) << "-inf * sigmoid";
  EXPECT_TRUE(bias_divide_swish(x, bias, 1.0).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace gradproof::ops
