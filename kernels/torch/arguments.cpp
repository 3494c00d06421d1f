// SPDX-License-Identifier: Apache-2.0
#include "kernels/torch/arguments.h"

#include <cfloat>

#include <ATen/core/Tensor.h>

namespace gradproof::ops {
namespace {

/// Takes a value by its type; an absent one is None.
void take(Arguments& to, const std::string& name, const c10::IValue& value) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) to.tensors.emplace(name, value.toTensor());
  } else if (value.isBool()) {
    to.flags.emplace(name, value.toBool());
  } else if (value.isDouble()) {
    to.scalars.emplace(name, value.toDouble());
  } else if (value.isInt()) {
    to.extents.emplace(name, value.toInt());
  } else if (value.isBoolList()) {
    for (const bool wanted : value.toBoolList()) to.output_mask.push_back(wanted);
  } else {
    TORCH_INTERNAL_ASSERT(value.isNone(), to.name, ": ", name, " is ", value.tagKind());
  }
}

bool is_half(at::ScalarType dtype) { return dtype == at::kHalf || dtype == at::kBFloat16; }

class Checks {
 public:
  explicit Checks(const Arguments& a) : a_(a), cols_(a.x().dim() == 2 ? a.x().sym_size(1) : 0) {}

  void input() const {
    const at::Tensor& x = a_.x();
    const at::ScalarType dtype = x.scalar_type();
    TORCH_CHECK_NOT_IMPLEMENTED(dtype == at::kFloat || dtype == at::kDouble || is_half(dtype),
                                a_.name, ": x is ", dtype,
                                "; expected Float, Double, Half or BFloat16");
    TORCH_CHECK(x.dim() == 2, a_.name, ": x has shape ", x.sym_sizes(), "; expected (rows, cols)");
    TORCH_CHECK(cols_ > 0, a_.name, ": x has shape ", x.sym_sizes(),
                "; expected at least one column");
    for (const auto& [name, tensor] : a_.tensors)
      TORCH_CHECK(tensor.device() == x.device(), a_.name, ": ", name, " is on ", tensor.device(),
                  "; expected ", x.device(), ", where x is");
  }

  void parameters() const {
    for (const std::string& name : a_.op->parameters) {
      if (!a_.has(name)) continue;
      parameter_type(name);
      is_affine(name) ? columns(name) : vector(name);
    }
    TORCH_CHECK(a_.has("weight") == a_.has("beta"), a_.name, ": ",
                a_.has("weight") ? "beta is absent and weight is given"
                                 : "weight is absent and beta is given",
                "; expected both or neither");
  }

  void buffers() const {
    const int given = a_.has("running_mean") + a_.has("running_var") +
                      static_cast<int>(a_.has("num_batches_tracked"));
    TORCH_CHECK(given == 0 || given == 3, a_.name, ": ", given,
                " of running_mean, running_var and num_batches_tracked are given; expected all "
                "three or none");
    if (given == 0) return;
    for (const char* name : {"running_mean", "running_var"}) {
      parameter_type(name);
      columns(name);
      in_place(name);
    }
    const at::Tensor& count = in_place("num_batches_tracked");
    TORCH_CHECK(count.scalar_type() == at::kLong && count.sym_numel() == 1, a_.name,
                ": num_batches_tracked is ", count.scalar_type(), " of shape ", count.sym_sizes(),
                "; expected one element of Long");
  }

  /// Checks eps. A GroupNorm's backward has no eps, because it takes rstd.
  void eps() const {
    const auto eps = a_.scalars.find("eps");
    TORCH_CHECK_VALUE(eps == a_.scalars.end() || (eps->second >= FLT_MIN && eps->second <= FLT_MAX),
                      a_.name, ": eps is ", eps->second,
                      "; expected a positive and finite number that float32 has as a normal one");
  }

  void numbers() const {
    eps();
    if (const auto momentum = a_.scalars.find("momentum"); momentum != a_.scalars.end())
      TORCH_CHECK_VALUE(momentum->second >= 0 && momentum->second <= 1, a_.name, ": momentum is ",
                        momentum->second, "; expected a number from 0 to 1, or None");
    groups();
    const bool of_the_batch = a_.op->batch_norm && a_.batch_statistics();
    TORCH_CHECK_VALUE(!of_the_batch || a_.x().sym_size(0) != 1, a_.name,
                      ": Expected more than 1 value per channel when training, got input size ",
                      a_.x().sym_sizes());
  }

  void groups() const {
    if (!a_.op->group_norm) return;
    const std::int64_t groups = a_.extents.at("num_groups");
    TORCH_CHECK(groups > 0, a_.name, ": num_groups is ", groups,
                "; expected num groups to be greater than 0");
    TORCH_CHECK(cols_ % groups == 0, a_.name,
                ": Expected number of channels in input to be divisible by num_groups, but got "
                "input of shape ",
                a_.x().sym_sizes(), " and num_groups=", groups);
  }

  void cotangent() const {
    const at::Tensor& dy = a_.tensors.at("dy");
    TORCH_CHECK(dy.scalar_type() == a_.x().scalar_type(), a_.name, ": dy is ", dy.scalar_type(),
                "; expected ", a_.x().scalar_type(), ", as x");
    TORCH_CHECK(dy.sym_sizes().equals(a_.x().sym_sizes()), a_.name, ": dy has shape ",
                dy.sym_sizes(), "; expected ", a_.x().sym_sizes(), ", as x");
    const std::size_t gradients = a_.op->parameters.size() + 1;
    TORCH_CHECK(a_.output_mask.size() == gradients, a_.name, ": output_mask has ",
                a_.output_mask.size(), " elements; expected ", gradients);
    for (std::size_t i = 1; i < gradients; ++i)
      TORCH_CHECK(!a_.output_mask[i] || a_.has(a_.op->parameters[i - 1]), a_.name,
                  ": output_mask wants the gradient of ", a_.op->parameters[i - 1],
                  ", which is absent");
  }

  void statistics() const {
    if (!a_.op->has_norm()) return;
    for (const char* name : {"mean", "rstd"}) {
      TORCH_CHECK(a_.has(name), a_.name, ": ", name, " is absent; expected what forward gave");
      const at::Tensor& tensor = a_.tensors.at(name);
      TORCH_CHECK(tensor.scalar_type() == a_.accumulation_dtype(), a_.name, ": ", name, " is ",
                  tensor.scalar_type(), "; expected ", a_.accumulation_dtype());
      if (a_.op->batch_norm) {
        columns(name);
        continue;
      }
      const std::int64_t groups = a_.extents.at("num_groups");
      TORCH_CHECK(tensor.dim() == 2 && tensor.sym_size(0) == a_.x().sym_size(0) &&
                      tensor.sym_size(1) == groups,
                  a_.name, ": ", name, " has shape ", tensor.sym_sizes(),
                  "; expected one for each row and group, [", a_.x().sym_size(0), ", ", groups,
                  "]");
    }
  }

 private:
  /// All parameters have one type: that of x, or float32 beside float16 and bfloat16.
  void parameter_type(const std::string& name) const {
    const at::ScalarType got = a_.tensors.at(name).scalar_type();
    const at::ScalarType x = a_.x().scalar_type();
    const at::ScalarType all = a_.parameter_dtype();
    TORCH_CHECK(got == x || (is_half(x) && got == at::kFloat), a_.name, ": ", name, " is ", got,
                "; expected ", x, ", as x", is_half(x) ? ", or Float" : "");
    TORCH_CHECK(got == all, a_.name, ": ", name, " is ", got, "; expected ", all,
                ", as the other parameters and running statistics");
  }

  void columns(const std::string& name) const {
    const at::Tensor& tensor = a_.tensors.at(name);
    TORCH_CHECK(tensor.dim() == 1 && tensor.sym_size(0) == cols_, a_.name, ": ", name,
                " has shape ", tensor.sym_sizes(), "; expected [", cols_, "]");
  }

  void vector(const std::string& name) const {
    const at::Tensor& tensor = a_.tensors.at(name);
    const bool one = tensor.dim() == 1 && tensor.sym_size(0) == 1;
    const bool row = tensor.dim() == 2 && tensor.sym_size(0) == 1 && tensor.sym_size(1) == cols_;
    TORCH_CHECK(one || row || (tensor.dim() == 1 && tensor.sym_size(0) == cols_), a_.name, ": ",
                name, " has shape ", tensor.sym_sizes(), "; expected [1], [", cols_, "] or [1, ",
                cols_, "]");
  }

  const at::Tensor& in_place(const std::string& name) const {
    const at::Tensor& tensor = a_.tensors.at(name);
    TORCH_CHECK(tensor.is_contiguous(), a_.name, ": ", name,
                " is not contiguous; expected so, it is updated in place");
    return tensor;
  }

  const Arguments& a_;
  c10::SymInt cols_;
};

}  // namespace

at::ScalarType Arguments::accumulation_dtype() const {
  return x().scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

bool Arguments::batch_statistics() const {
  const auto said = flags.find("batch_statistics");
  return said != flags.end() ? said->second : training() || !tracked();
}

at::ScalarType Arguments::parameter_dtype() const {
  for (const std::string& parameter : op->parameters)
    if (has(parameter)) return tensors.at(parameter).scalar_type();
  return tracked() ? tensors.at("running_mean").scalar_type() : x().scalar_type();
}

Arguments read(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
  Arguments arguments;
  arguments.name = schema.name();
  arguments.op = &operator_named(schema.name());
  const std::vector<c10::Argument>& declared = schema.arguments();
  const auto values = torch::jit::last(stack, declared.size());
  for (std::size_t i = 0; i < declared.size(); ++i) take(arguments, declared[i].name(), values[i]);
  return arguments;
}

void check_dense(const Arguments& arguments) {
  for (const std::string& name : arguments.op->differentiable())
    TORCH_CHECK(is_affine(name) || arguments.has(name), arguments.name, ": ", name,
                " is undefined; expected a tensor");
  for (const auto& [name, tensor] : arguments.tensors)
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided && !tensor.is_quantized(),
                                arguments.name, ": ", name, " is ",
                                tensor.is_quantized() ? "quantized" : c10::str(tensor.layout()),
                                "; expected a dense tensor");
}

void check_forward(const Arguments& arguments) {
  check_dense(arguments);
  const Checks checks(arguments);
  checks.input();
  checks.parameters();
  checks.buffers();
  checks.numbers();
}

void check_backward(const Arguments& arguments) {
  check_dense(arguments);
  const Checks checks(arguments);
  checks.input();
  checks.parameters();
  checks.eps();
  checks.groups();
  checks.cotangent();
  checks.statistics();
}

}  // namespace gradproof::ops
