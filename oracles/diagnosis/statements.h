// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracles/diagnosis/hypotheses.h"

namespace gradproof::diagnosis {

/// The keys of a pattern of statements, {x} and the like, with what stands for them.
using Words = std::vector<std::pair<std::string_view, std::string>>;

std::string filled(std::string text, const Words& words);

/// {f} the step's call, {y} its value, {x} and {z} its operands, {A} its axes.
Words words_of(const Graph& graph, std::size_t step);

/// The call of a step whose first operand is another text.
std::string call_with(const Graph& graph, std::size_t step, const std::string& first);

/// Adds the hypothesis that these statements stand in the place of the step, where the language has
/// them. Its text is the stage's, then `text`.
void add_statements(const Graph& graph, std::size_t step, const std::string& text,
                    const std::string& statements, Rank rank, Hypotheses& all);

/// The numbers of a node that statements take as a tensor, each as the function has it.
struct NodeNumbers {
  std::string node;
  bool cotangent = false;
  double (*function)(LongDouble number) = [](LongDouble number) {
    return static_cast<double>(number);
  };
};

/// Adds the hypothesis that these statements stand in the place of the step, in which {node} stands
/// for the tensor of a node's numbers.
void add_with_node(const WrongTensor& whole, std::size_t step, std::string text,
                   const std::string& statements, const NodeNumbers& numbers, Rank rank,
                   Hypotheses& all);

}  // namespace gradproof::diagnosis
