// SPDX-License-Identifier: Apache-2.0
#include "kernels/torch/autograd.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include "kernels/torch/arguments.h"

namespace gradproof::ops {
namespace {

using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

/// Makes an edge to each differentiable input, in the order of output_mask.
torch::autograd::edge_list edges_of(const Arguments& arguments) {
  torch::autograd::edge_list edges;
  for (const std::string& name : arguments.op->differentiable())
    edges.push_back(arguments.has(name)
                        ? torch::autograd::impl::gradient_edge(arguments.tensors.at(name))
                        : torch::autograd::Edge());
  return edges;
}

/// The autograd node of one call of an operator.
class Gradient : public Node {
 public:
  Gradient(Arguments arguments, const at::Tensor& mean, const at::Tensor& rstd)
      : Node(edges_of(arguments)) {
    const auto save = [&](const std::string& name, const at::Tensor& tensor) {
      saved_.emplace(name, SavedVariable(tensor, /*is_output=*/false));
    };
    for (const std::string& name : arguments.op->differentiable())
      if (arguments.has(name)) save(name, arguments.tensors.at(name));
    if (mean.defined()) save("mean", mean);
    if (rstd.defined()) save("rstd", rstd);
    arguments.flags["batch_statistics"] = arguments.batch_statistics();
    arguments.tensors.clear();  // they live in saved_, where autograd watches them
    arguments_ = std::move(arguments);
  }

  std::string name() const override { return arguments_.name + ".gradient"; }

  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [name, variable] : saved_) variable.reset_data();
  }

  variable_list apply(variable_list&& dy) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto results = static_cast<std::ptrdiff_t>(num_outputs());
    if (!dy.at(0).defined()) return variable_list(num_outputs());
    const c10::OperatorHandle op =
        c10::Dispatcher::singleton().findSchemaOrThrow((arguments_.name + kBackward).c_str(), "");
    torch::jit::Stack stack;
    for (const c10::Argument& argument : op.schema().arguments())
      stack.push_back(value_of(argument.name(), dy[0]));
    op.callBoxed(&stack);
    variable_list gradients;
    for (auto it = stack.end() - results; it != stack.end(); ++it)
      gradients.push_back(it->isNone() ? at::Tensor() : it->toTensor());
    return gradients;
  }

 private:
  c10::IValue value_of(const std::string& name, const at::Tensor& dy) {
    if (name == "dy") return dy;
    if (name == "output_mask") {
      c10::List<bool> wanted;
      for (std::size_t i = 0; i < num_outputs(); ++i)
        wanted.push_back(task_should_compute_output(i));
      return wanted;
    }
    if (const auto flag = arguments_.flags.find(name); flag != arguments_.flags.end())
      return flag->second;
    if (const auto scalar = arguments_.scalars.find(name); scalar != arguments_.scalars.end())
      return scalar->second;
    if (const auto extent = arguments_.extents.find(name); extent != arguments_.extents.end())
      return extent->second;
    const auto found = saved_.find(name);
    return found == saved_.end() ? c10::IValue() : c10::IValue(found->second.unpack());
  }

  Arguments arguments_;
  std::map<std::string, SavedVariable> saved_;
};

/// The history of a backward's results: a node that throws when it is applied.
class NoSecondDerivative : public Node {
 public:
  explicit NoSecondDerivative(const Arguments& arguments)
      : Node(edges_of(arguments)), of_(arguments.name.substr(0, arguments.name.rfind(kBackward))) {
    add_next_edge(torch::autograd::impl::gradient_edge(arguments.tensors.at("dy")));
  }

  std::string name() const override { return of_ + ".no_second_derivative"; }

  variable_list apply(variable_list&&) override {
    TORCH_CHECK(false, of_, ": it has no second derivative (double backward)");
  }

 private:
  std::string of_;
};

void below_autograd(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                    torch::jit::Stack* stack) {
  const at::AutoDispatchBelowAutograd guard;
  op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
}

bool requires_grad(const Arguments& arguments, const std::string& name) {
  return arguments.has(name) && arguments.tensors.at(name).requires_grad();
}

bool needs_history(const Arguments& arguments) {
  if (!at::GradMode::is_enabled()) return false;
  bool needed = requires_grad(arguments, "dy");
  for (const std::string& name : arguments.op->differentiable())
    needed |= requires_grad(arguments, name);
  return needed;
}

/// Without this check a forward-mode derivative would silently be zero.
void refuse_forward_mode(const Arguments& arguments) {
  for (const auto& [name, tensor] : arguments.tensors)
    TORCH_CHECK(!tensor._fw_grad(/*level=*/0).defined(), arguments.name, ": ", name,
                " has a forward-mode tangent; expected none, it has no forward-mode derivative");
}

at::Tensor& result(torch::jit::Stack& stack, std::size_t results, std::size_t i) {
  return (stack.end() - static_cast<std::ptrdiff_t>(results - i))->toTensor();
}

}  // namespace

void forward_autograd(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                      torch::jit::Stack* stack) {
  Arguments arguments = read(op.schema(), *stack);
  check_dense(arguments);
  for (const char* name : {"running_mean", "running_var"})
    TORCH_CHECK(!requires_grad(arguments, name), arguments.name, ": ", name,
                " requires a gradient; expected a buffer, which has none");
  refuse_forward_mode(arguments);
  const bool history = needs_history(arguments);
  below_autograd(op, keys, stack);
  if (!history) return;
  const std::size_t results = op.schema().returns().size();
  const bool norm = results == 3;
  auto node = std::shared_ptr<Gradient>(
      new Gradient(std::move(arguments), norm ? result(*stack, 3, 1) : at::Tensor(),
                   norm ? result(*stack, 3, 2) : at::Tensor()),
      torch::autograd::deleteNode);
  torch::autograd::create_gradient_edge(result(*stack, results, 0), std::move(node));
}

void backward_autograd(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack* stack) {
  const Arguments arguments = read(op.schema(), *stack);
  check_dense(arguments);
  refuse_forward_mode(arguments);
  const bool history = needs_history(arguments);
  below_autograd(op, keys, stack);
  if (!history) return;
  const auto node = std::shared_ptr<NoSecondDerivative>(new NoSecondDerivative(arguments),
                                                        torch::autograd::deleteNode);
  const std::size_t results = op.schema().returns().size();
  for (std::size_t i = 0; i < results; ++i) {
    at::Tensor& gradient = result(*stack, results, i);
    if (gradient.defined()) torch::autograd::create_gradient_edge(gradient, node);
  }
}

void forward_in_place(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                      torch::jit::Stack* stack) {
  const Arguments arguments = read(op.schema(), *stack);
  {
    const at::AutoDispatchBelowADInplaceOrView guard;
    op.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
  }
  if (!arguments.training()) return;
  for (const char* name : {"running_mean", "running_var", "num_batches_tracked"})
    if (arguments.has(name)) torch::autograd::impl::bump_version(arguments.tensors.at(name));
}

}  // namespace gradproof::ops
