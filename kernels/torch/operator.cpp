// SPDX-License-Identifier: Apache-2.0
#include "kernels/torch/operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "kernels/catalog/pipeline_parts.h"

namespace gradproof::ops {
namespace {

Operator operator_of(const Kernel& kernel) {
  Operator op;
  op.kernel = &kernel;
  op.word = kernel.schema->word;
  op.parameters = parameters_of(kernel.pipeline);
  op.operands = operand_names(kernel.pipeline);
  op.batch_norm = has_stage(kernel.pipeline, "batch_norm");
  op.group_norm = has_stage(kernel.pipeline, "group_norm");
  return op;
}

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

Words parameter_arguments(const Operator& op) {
  Words words;
  for (const std::string& name : op.parameters)
    words.push_back((is_affine(name) ? "Tensor? " : "Tensor ") + name);
  return words;
}

Words with_type(const std::string& type, Words names) {
  for (std::string& name : names) name.insert(0, type + " ");
  return names;
}

}  // namespace

bool is_affine(const std::string& parameter) {
  return parameter == "weight" || parameter == "beta";
}

std::vector<std::string> Operator::differentiable() const {
  Words names{"x"};
  append(names, parameters);
  return names;
}

std::string Operator::forward_schema() const {
  Words arguments{"Tensor x"};
  append(arguments, parameter_arguments(*this));
  if (batch_norm)
    append(arguments, {"Tensor(a!)? running_mean", "Tensor(b!)? running_var",
                       "Tensor(c!)? num_batches_tracked", "bool training", "float? momentum"});
  if (group_norm) arguments.push_back("int num_groups");
  if (has_norm()) arguments.push_back("float eps");
  append(arguments, with_type("float", operands.numbers));
  return fmt::format("{}({}) -> {}", word, fmt::join(arguments, ", "),
                     has_norm() ? "(Tensor y, Tensor mean, Tensor rstd)" : "Tensor");
}

std::string Operator::backward_schema() const {
  Words arguments{"Tensor dy", "Tensor x"};
  append(arguments, parameter_arguments(*this));
  if (has_norm()) append(arguments, {"Tensor mean", "Tensor rstd"});
  if (batch_norm) append(arguments, {"bool batch_statistics", "float eps"});
  if (group_norm) arguments.push_back("int num_groups");
  append(arguments, with_type("float", operands.numbers));
  const Words gradients = with_type("Tensor", [this] {
    Words names = differentiable();
    for (std::string& name : names) name.insert(0, "d_");
    return names;
  }());
  arguments.push_back(fmt::format("bool[{}] output_mask", gradients.size()));
  return fmt::format("{}{}({}) -> ({})", word, kBackward, fmt::join(arguments, ", "),
                     fmt::join(gradients, ", "));
}

const std::vector<Operator>& operators() {
  static const Catalog kernels = catalog();  // an Operator points to its Kernel
  static const std::vector<Operator> all = [] {
    std::vector<Operator> rows;
    for (const Kernel& kernel : kernels.kernels()) rows.push_back(operator_of(kernel));
    return rows;
  }();
  return all;
}

const Operator& operator_named(const std::string& qualified) {
  const std::string prefix = std::string(kNamespace) + "::";
  for (const Operator& op : operators())
    if (qualified == prefix + op.word || qualified == prefix + op.word + kBackward) return op;
  throw InstrumentError("no operator '" + qualified + "'");
}

}  // namespace gradproof::ops
