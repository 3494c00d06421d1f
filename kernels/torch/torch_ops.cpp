// SPDX-License-Identifier: Apache-2.0
#include "kernels/torch/torch_ops.h"

#include <map>
#include <string>

#include <torch/library.h>

#include "core/error.h"
#include "kernels/torch/autograd.h"
#include "kernels/torch/run.h"

namespace gradproof::ops {
namespace {

using torch::jit::Stack;
using Work = std::vector<at::Tensor> (*)(const Arguments&);

/// The back-ends' kernel of every operator: it takes arguments off the stack and pushes results.
template <Work work>
void run_boxed(const c10::OperatorHandle& op, Stack* stack) {
  std::vector<at::Tensor> results = work(read(op.schema(), *stack));
  torch::jit::drop(*stack, op.schema().arguments().size());
  for (at::Tensor& result : results) stack->emplace_back(std::move(result));
}

template <auto function>
auto boxed(c10::DispatchKey key) {
  return torch::dispatch(key, torch::CppFunction::makeFromBoxedFunction<function>());
}

/// FakeTensor and torch.compile run the key Meta, which gives shapes without memory.
template <Work work>
void add(torch::Library& library, const std::string& name, const std::string& schema) {
  library.def(torch::schema(schema.c_str()));
  for (const c10::DispatchKey key :
       {c10::DispatchKey::CPU, c10::DispatchKey::CUDA, c10::DispatchKey::Meta})
    library.impl(name.c_str(), boxed<run_boxed<work>>(key));
}

void add_all(torch::Library& library) {
  for (const Operator& op : operators()) {
    add<forward>(library, op.word, op.forward_schema());
    library.impl(op.word.c_str(), boxed<forward_autograd>(c10::DispatchKey::Autograd));
    if (op.batch_norm)
      library.impl(op.word.c_str(), boxed<forward_in_place>(c10::DispatchKey::ADInplaceOrView));
    const std::string name = op.word + kBackward;
    add<backward>(library, name, op.backward_schema());
    library.impl(name.c_str(), boxed<backward_autograd>(c10::DispatchKey::Autograd));
  }
}

using Values = std::map<std::string, c10::IValue>;

c10::IValue optional(const at::Tensor& tensor) {
  return tensor.defined() ? c10::IValue(tensor) : c10::IValue();
}

/// Calls the operator with these arguments, which are given by name.
Stack call(const std::string& word, const Values& values) {
  const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(
      (std::string(kNamespace) + "::" + word).c_str(), "");
  Stack stack;
  for (const c10::Argument& argument : op.schema().arguments())
    stack.push_back(values.at(argument.name()));
  op.callBoxed(&stack);
  return stack;
}

Values with(Values values, const BatchNorm& norm) {
  values.insert({{"weight", optional(norm.weight)},
                 {"beta", optional(norm.beta)},
                 {"running_mean", optional(norm.running_mean)},
                 {"running_var", optional(norm.running_var)},
                 {"num_batches_tracked", optional(norm.num_batches_tracked)},
                 {"training", norm.training},
                 {"momentum", norm.momentum},
                 {"eps", norm.eps}});
  return values;
}

Values with(Values values, const GroupNorm& norm) {
  values.insert({{"weight", optional(norm.weight)},
                 {"beta", optional(norm.beta)},
                 {"num_groups", norm.num_groups},
                 {"eps", norm.eps}});
  return values;
}

at::Tensor one(const Stack& results) { return results.at(0).toTensor(); }

Normalized three(const Stack& results) {
  return {results.at(0).toTensor(), results.at(1).toTensor(), results.at(2).toTensor()};
}

}  // namespace

at::Tensor bias_divide_swish(const at::Tensor& x, const at::Tensor& bias, double divide) {
  return one(call("bias_divide_swish", {{"x", x}, {"bias", bias}, {"divide", divide}}));
}

Normalized batchnorm_bias_divide_swish(const at::Tensor& x, const BatchNorm& norm,
                                       const at::Tensor& bias, double divide) {
  return three(call("batchnorm_bias_divide_swish",
                    with({{"x", x}, {"bias", bias}, {"divide", divide}}, norm)));
}

Normalized scale_batchnorm(const at::Tensor& x, const at::Tensor& scale, const BatchNorm& norm) {
  return three(call("scale_batchnorm", with({{"x", x}, {"scale", scale}}, norm)));
}

at::Tensor swish_bias(const at::Tensor& x, const at::Tensor& bias) {
  return one(call("swish_bias", {{"x", x}, {"bias", bias}}));
}

Normalized swish_bias_groupnorm(const at::Tensor& x, const at::Tensor& bias,
                                const GroupNorm& norm) {
  return three(call("swish_bias_groupnorm", with({{"x", x}, {"bias", bias}}, norm)));
}

Normalized groupnorm(const at::Tensor& x, const GroupNorm& norm) {
  return three(call("groupnorm", with({{"x", x}}, norm)));
}

at::Tensor swish_multiply_swish(const at::Tensor& x, const at::Tensor& multiply) {
  return one(call("swish_multiply_swish", {{"x", x}, {"multiply", multiply}}));
}

Normalized groupnorm_swish_multiply_swish(const at::Tensor& x, const GroupNorm& norm,
                                          const at::Tensor& multiply) {
  return three(
      call("groupnorm_swish_multiply_swish", with({{"x", x}, {"multiply", multiply}}, norm)));
}

}  // namespace gradproof::ops

// This is a static initialiser: schemas come from the catalog, which must be ready before main.
TORCH_LIBRARY(gradproof, library) { gradproof::ops::add_all(library); }
