// SPDX-License-Identifier: Apache-2.0
// The results of an operator stay as they were, whatever is called later; two autograd graphs may
// be built and taken back in any order. Each check has an operator that it must convict: one that
// hands out memory of its own, one that knows numbers by their address, one that saves for backward
// in a static.
#include <functional>
#include <map>

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/custom_function.h>

#include "tests/support/torch_ops_support.h"

namespace gradproof::ops {
namespace {

/// A function from tensors by name to results by name.
using Operation = std::function<NamedTensors(const NamedTensors&)>;

Operation whole(const Operator& op, const Setting& s) {
  return [&op, s](const NamedTensors& given) { return through_operator(op, given, s); };
}

NamedTensors copies(const NamedTensors& tensors) {
  NamedTensors all;
  for (const auto& [name, tensor] : tensors) all.emplace(name, tensor.clone());
  return all;
}

/// The tensors of `given` with other numbers.
NamedTensors others(const NamedTensors& given) {
  NamedTensors all;
  for (const auto& [name, tensor] : given)
    all.emplace(name, tensor.is_floating_point() ? tensor * 0.75 + 0.125 : tensor + 1);
  return all;
}

/// The results of one call that a second call on other numbers changes.
std::string changed_by_another_call(const Operation& operation, const NamedTensors& given) {
  const NamedTensors kept = operation(given);
  const NamedTensors before = copies(kept);
  operation(others(given));
  return differing(kept, before);
}

/// The results of a second call on other numbers in the same memory that differ from those in
/// memory of their own.
std::string stale_in_the_same_memory(const Operation& operation, const NamedTensors& given) {
  NamedTensors memory = copies(given);
  operation(memory);
  const NamedTensors numbers = others(given);
  const NamedTensors expected = operation(numbers);
  for (auto& [name, tensor] : memory) tensor.copy_(numbers.at(name));
  return differing(operation(memory), expected);
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all{{}, {.rows = 1100}, {.training = false}};
  return all;
}

TEST(TorchOperatorsCalls, KeepWhatTheyGave) {
  for (const Operator& op : operators())
    for (const Setting& s : settings())
      EXPECT_EQ(changed_by_another_call(whole(op, s), tensors_of(op, s)), "") << op.word;
}

TEST(TorchOperatorsCalls, ControlResultsInAStaticWorkspaceChange) {
  for (const Operator& op : operators()) {
    const Setting s;
    NamedTensors workspace;
    const Operation handed_out = [&](const NamedTensors& given) {
      for (const auto& [name, tensor] : through_operator(op, given, s)) {
        const auto [place, is_new] = workspace.emplace(name, tensor);
        if (!is_new) place->second.copy_(tensor);
      }
      return workspace;
    };
    const std::string changed = changed_by_another_call(handed_out, tensors_of(op, s));
    for (const char* name : {"y ", "d_x "})
      EXPECT_NE(changed.find(name), std::string::npos) << op.word << ": " << changed;
  }
}

TEST(TorchOperatorsCalls, ReadTheNumbersThatAreThere) {
  for (const Operator& op : operators())
    for (const Setting& s : settings())
      EXPECT_EQ(stale_in_the_same_memory(whole(op, s), tensors_of(op, s)), "") << op.word;
}

TEST(TorchOperatorsCalls, ControlResultsKeptByAddressAreStale) {
  for (const Operator& op : operators()) {
    const Setting s;
    std::map<const void*, NamedTensors> known;
    std::vector<NamedTensors> alive;  // or another tensor might get the address
    const Operation by_address = [&](const NamedTensors& given) {
      alive.push_back(given);
      const void* const x = given.at("x").const_data_ptr();
      if (!known.contains(x)) known.emplace(x, through_operator(op, given, s));
      return copies(known.at(x));
    };
    const std::string stale = stale_in_the_same_memory(by_address, tensors_of(op, s));
    EXPECT_NE(stale.find("d_x "), std::string::npos) << op.word << ": " << stale;
  }
}

/// A function from inputs to y, which has a history.
using Forward = std::function<at::Tensor(const NamedTensors&)>;

/// Builds two graphs, takes the first one back, then the second one; returns the gradients that
/// differ from those of a graph that was alone.
std::string mixed_up(const Operator& op, const Forward& forward, const Setting& s) {
  const NamedTensors numbers = tensors_of(op, s);
  const std::vector<NamedTensors> given{numbers, others(numbers)};
  std::vector<NamedTensors> leaves;
  std::vector<at::Tensor> y;
  for (const NamedTensors& one : given) {
    leaves.push_back(copy_of(one, op, true));
    y.push_back(forward(leaves.back()));
  }
  std::string names;
  for (std::size_t i = 0; i < given.size(); ++i) {
    y[i].backward(given[i].at("dy"));
    const NamedTensors expected = through_operator(op, given[i], s);
    for (const std::string& name : op.differentiable())
      if (leaves[i].contains(name) &&
          !at::equal(leaves[i].at(name).grad(), expected.at("d_" + name)))
        names += "d_" + name + " of graph " + std::to_string(i) + " ";
  }
  return names;
}

TEST(TorchOperatorsCalls, TwoGraphsMayBeInterleaved) {
  for (const Operator& op : operators())
    for (const Setting& s : settings())
      EXPECT_EQ(mixed_up(
                    op, [&](const NamedTensors& t) { return apply(op, t, s).y; }, s),
                "")
          << op.word;
}

/// groupnorm, but backward takes the statistics of whichever forward was the last.
class SavesInAStatic : public torch::autograd::Function<SavesInAStatic> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& weight, const at::Tensor& beta, std::int64_t groups) {
    context->save_for_backward({x, weight, beta});
    context->saved_data["groups"] = groups;
    saved() = groupnorm(x, {.weight = weight, .beta = beta, .num_groups = groups, .eps = 1e-3});
    return saved().y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& dy) {
    const torch::autograd::variable_list of = context->get_saved_variables();
    torch::jit::Stack stack{dy[0], of[0], of[1], of[2], saved().mean, saved().rstd};
    stack.emplace_back(context->saved_data["groups"]);
    stack.emplace_back(c10::List<bool>({true, true, true}));
    c10::Dispatcher::singleton()
        .findSchemaOrThrow("gradproof::groupnorm_backward", "")
        .callBoxed(&stack);
    return {stack[0].toTensor(), stack[1].toTensor(), stack[2].toTensor(), at::Tensor()};
  }

 private:
  static Normalized& saved() {
    static Normalized last;
    return last;
  }
};

TEST(TorchOperatorsCalls, ControlAStatisticSavedInAStaticIsAnotherGraphs) {
  const Setting s;
  const Forward faulty = [&](const NamedTensors& t) {
    return SavesInAStatic::apply(t.at("x"), t.at("weight"), t.at("beta"), s.groups);
  };
  const std::string names = mixed_up(operator_named("gradproof::groupnorm"), faulty, s);
  EXPECT_NE(names.find("d_x of graph 0"), std::string::npos) << names;
  EXPECT_EQ(names.find("of graph 1"), std::string::npos) << names;
}

}  // namespace
}  // namespace gradproof::ops
