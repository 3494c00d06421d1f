// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/pipeline_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

bool is_norm(const GraphStep& step) { return graph_stage(step.stage).is_norm(); }

std::vector<std::string> parameters_of(const Graph& pipeline, const GraphStep& step) {
  std::vector<std::string> names;
  for (const GraphOperand& operand : step.operands)
    for (const GraphTensor& tensor : pipeline.tensors)
      if (tensor.name == operand.name && tensor.part == TensorPart::parameter)
        names.push_back(operand.name);
  return names;
}

std::vector<StageNumber> numbers_of(const GraphStep& step) {
  std::vector<StageNumber> numbers;
  for (const GraphOperand& operand : step.operands)
    if (operand.is_number()) numbers.push_back({step.stage, operand.number});
  for (const StageOption& option : graph_stage(step.stage).options)
    if (option.words.empty()) numbers.push_back({std::string(option.key), step.number(option.key)});
  return numbers;
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw InstrumentError(fmt::format("the pipeline '{}' of a kernel {}", text, why));
}

/// Every step must take the value of the step before, and no other input.
void require_chain(const Graph& pipeline, const std::string& text) {
  std::string value = "x";
  for (const GraphStep& step : pipeline.steps) {
    if (step.operands.empty() || step.operands.front().name != value)
      refuse(text, fmt::format("is no chain: {} does not take '{}' first", step.stage, value));
    value = step.value;
  }
  if (pipeline.outputs != std::vector<std::string>{"y"}) refuse(text, "has another output than y");
  for (const GraphTensor& tensor : pipeline.tensors)
    if (tensor.name != "x" && tensor.part != TensorPart::parameter)
      refuse(text, fmt::format("takes '{}', which is no parameter", tensor.name));
}

void require_names(const Graph& pipeline, const std::string& text) {
  if (std::count_if(pipeline.steps.begin(), pipeline.steps.end(), is_norm) > 1)
    refuse(text, "has more than one norm");
  if (const GraphStep* const norm = norm_of(pipeline))
    if (parameters_of(pipeline, *norm) != std::vector<std::string>{"weight", "beta"})
      refuse(text, fmt::format("has a {} whose parameters are not weight and beta", norm->stage));
  std::vector<std::string> names = having_gradients(pipeline);
  for (const StageNumber& number : numbers_of(pipeline)) names.push_back(number.key);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse(text, fmt::format("has '{}' twice", *twice));
}

}  // namespace

Graph kernel_pipeline(const std::string& text) {
  Graph pipeline = parse_graph(text);
  require_chain(pipeline, text);
  require_names(pipeline, text);
  return pipeline;
}

bool has_stage(const Graph& pipeline, std::string_view word) {
  return std::any_of(pipeline.steps.begin(), pipeline.steps.end(),
                     [&](const GraphStep& step) { return step.stage == word; });
}

const GraphStep* norm_of(const Graph& pipeline) {
  const auto found = std::find_if(pipeline.steps.begin(), pipeline.steps.end(), is_norm);
  return found == pipeline.steps.end() ? nullptr : &*found;
}

std::vector<StageNumber> numbers_of(const Graph& pipeline) {
  std::vector<StageNumber> all;
  for (const GraphStep& step : pipeline.steps)
    if (!is_norm(step))
      for (StageNumber& number : numbers_of(step)) all.push_back(std::move(number));
  return all;
}

std::vector<std::string> vectors_of(const Graph& pipeline) {
  std::vector<std::string> all;
  for (const GraphStep& step : pipeline.steps)
    if (!is_norm(step))
      for (std::string& name : parameters_of(pipeline, step)) all.push_back(std::move(name));
  return all;
}

std::vector<std::string> parameters_of(const Graph& pipeline) {
  std::vector<std::string> all;
  for (const GraphStep& step : pipeline.steps)
    for (std::string& name : parameters_of(pipeline, step)) all.push_back(std::move(name));
  return all;
}

std::vector<std::string> having_gradients(const Graph& pipeline) {
  std::vector<std::string> names{"x"};
  if (const GraphStep* const norm = norm_of(pipeline))
    for (std::string& name : parameters_of(pipeline, *norm)) names.push_back(std::move(name));
  for (std::string& name : vectors_of(pipeline)) names.push_back(std::move(name));
  return names;
}

OperandNames operand_names(const Graph& pipeline) {
  OperandNames names{vectors_of(pipeline), {}};
  for (StageNumber& number : numbers_of(pipeline)) names.numbers.push_back(std::move(number.key));
  return names;
}

}  // namespace gradproof
