// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/case/case.h"
#include "core/case/inputs.h"
#include "core/compare/discrepancy.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/oracle.h"

namespace gradproof {

/// The stages that a system of this test is named by, its norm and its vectors besides the norm's.
struct System {
  std::vector<std::string> stages;
  bool batch_norm = false, group_norm = false;
  std::vector<std::string> vectors;

  explicit System(const std::string& word) {
    std::string rest = word + "_";
    while (!rest.empty()) {
      stages.push_back(rest.substr(0, rest.find('_')));
      rest = rest.substr(stages.back().size() + 1);
      batch_norm |= stages.back() == "batchnorm";
      group_norm |= stages.back() == "groupnorm";
      if (stages.back() == "bias" || stages.back() == "scale" || stages.back() == "multiply")
        vectors.push_back(stages.back());
    }
  }
};

inline const std::vector<std::string>& systems() {
  static const std::vector<std::string> words{"batchnorm_bias_divide_swish",
                                              "bias_divide_swish",
                                              "scale_batchnorm",
                                              "swish_bias_groupnorm",
                                              "swish_bias",
                                              "groupnorm",
                                              "swish_multiply_swish",
                                              "groupnorm_swish_multiply_swish"};
  return words;
}

/// A schema of this test's own: the witness is asked about claims, never about a kernel.
inline SchemaPtr schema() {
  static const SchemaPtr one = [] {
    Schema s;
    s.word = "witness";
    s.keys = {{"system", KeyType::word, systems().front(), systems(), 0, 0, ""},
              {"rows", KeyType::integer, "33", {}, 0, 4096, ""},
              {"cols", KeyType::integer, "8", {}, 1, 4096, ""},
              {"groups", KeyType::integer, "2", {}, 1, 4096, ""},
              {"dtype", KeyType::word, "f64", {"f32", "f64", "f16", "bf16"}, 0, 0, ""},
              {"params", KeyType::word, "f64", {"f32", "f64", "f16", "bf16"}, 0, 0, ""},
              {"mode", KeyType::word, "train", {"train", "eval"}, 0, 0, ""},
              {"grads", KeyType::word, "all", {"all", "input", "parameters"}, 0, 0, ""},
              {"affine", KeyType::word, "yes", {"yes", "no"}, 0, 0, ""},
              {"track", KeyType::word, "yes", {"yes", "no"}, 0, 0, ""},
              {"vector", KeyType::word, "one", {"one", "each", "row"}, 0, 0, ""},
              {"divide", KeyType::real, "-2.5", {}, 0, 0, ""},
              {"eps", KeyType::real, "0.001", {}, 0, 0, ""},
              {"momentum", KeyType::real, "0.3", {"none"}, 0, 0, ""}};
    for (Key& key : input_keys()) s.keys.push_back(key);
    return std::make_shared<const Schema>(s);
  }();
  return one;
}

inline Case read(const std::string& keys) { return parse_case("witness " + keys, {schema()}); }

inline Shape vector_shape(const Case& c) {
  if (c.is("vector", "one")) return {1};
  return c.is("vector", "row") ? Shape{1, c.integer("cols")} : Shape{c.integer("cols")};
}

/// Parameters with their gradients, and the buffers.
inline std::vector<TensorSpec> parameters_of(const Case& c, const System& system) {
  std::vector<TensorSpec> specs;
  const DType dtype = parse_dtype(c.text("params"));
  const Shape columns{c.integer("cols")};
  const auto parameter = [&](const std::string& name, const Shape& shape) {
    specs.push_back({name, Role::parameter, dtype, Layout::contiguous(shape)});
    if (!c.is("grads", "input"))
      specs.push_back({"d_" + name, Role::gradient, dtype, Layout::contiguous(shape)});
  };
  for (const std::string& name : system.vectors) parameter(name, vector_shape(c));
  if ((system.batch_norm || system.group_norm) && c.is("affine", "yes"))
    for (const char* name : {"weight", "beta"}) parameter(name, columns);
  if (!system.batch_norm || !c.is("track", "yes")) return specs;
  for (const char* name : {"running_mean", "running_var"})
    specs.push_back({name, Role::buffer, dtype, Layout::contiguous(columns)});
  specs.push_back({"num_batches_tracked", Role::buffer, DType::i64, Layout::contiguous({1})});
  return specs;
}

inline std::vector<TensorSpec> tensors_of(const Case& c, const System& system) {
  const DType dtype = parse_dtype(c.text("dtype"));
  const Layout matrix = Layout::contiguous({c.integer("rows"), c.integer("cols")});
  std::vector<TensorSpec> specs = parameters_of(c, system);
  specs.push_back({"x", Role::input, dtype, matrix});
  specs.push_back({"dy", Role::cotangent, dtype, matrix});
  specs.push_back({"y", Role::output, dtype, matrix});
  if (!c.is("grads", "parameters")) specs.push_back({"d_x", Role::gradient, dtype, matrix});
  if (!system.batch_norm && !system.group_norm) return specs;
  const Shape statistics =
      system.batch_norm ? Shape{c.integer("cols")} : Shape{c.integer("rows"), c.integer("groups")};
  for (const char* name : {"mean", "rstd"})
    specs.push_back({name, Role::output, DType::f32, Layout::contiguous(statistics)});
  return specs;
}

inline bool is_evaluated(const Case& c) { return c.is("mode", "eval") && c.is("track", "yes"); }
inline bool moves_statistics(const Case& c) {
  return c.is("mode", "train") && c.is("track", "yes");
}

inline std::string call_text(const std::string& stage, const std::string& value, const Case& c) {
  const std::string vector = c.is("vector", "one") ? stage + "[]" : stage;
  const std::string affine = c.is("affine", "yes") ? ", weight, beta" : "";
  const double eps = c.real("eps");
  if (stage == "swish") return fmt::format("silu({})", value);
  if (stage == "divide") return fmt::format("divide({}, {})", value, c.real("divide"));
  if (stage == "bias") return fmt::format("bias({}, {})", value, vector);
  if (stage == "scale" || stage == "multiply") return fmt::format("scale({}, {})", value, vector);
  if (stage == "groupnorm")
    return fmt::format("group_norm({}{}, groups={}, eps={})", value, affine, c.integer("groups"),
                       eps);
  return is_evaluated(c) ? fmt::format("batch_norm_eval({}, running_mean, running_var{}, eps={})",
                                       value, affine, eps)
                         : fmt::format("batch_norm({}{}, eps={})", value, affine, eps);
}

inline std::string moved_statistics(const std::string& value, const Case& c) {
  return fmt::format(
      "; new_mean = running_mean({0}, running_mean, momentum={1}); "
      "new_var = running_var({0}, running_var, momentum={1}); outputs y new_mean new_var",
      value, c.is_number("momentum") ? c.real("momentum") : 0.1);
}

inline Graph graph_of(const System& system, const Case& c) {
  std::string text;
  std::string moved;
  std::string value = "x";
  for (std::size_t k = 0; k < system.stages.size(); ++k) {
    const std::string& stage = system.stages[k];
    const std::string name = k + 1 < system.stages.size() ? fmt::format("v{}", k) : "y";
    if (stage == "batchnorm" && moves_statistics(c)) moved = moved_statistics(value, c);
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", name, call_text(stage, value, c));
    value = name;
  }
  return parse_graph(text + moved);
}

inline Claim claim_of(const Case& c) {
  const System system(c.text("system"));
  Claim claim;
  claim.graph = graph_of(system, c);
  claim.extents = {{"rows", c.integer("rows")}, {"cols", c.integer("cols")}};
  claim.cumulative = !c.is_number("momentum");
  claim.tensors = tensors_of(c, system);
  return claim;
}

/// The claim as the witness's bound needs it, and the numbers it runs on, in the Case's own dtypes.
struct Question {
  Claim claim;
  Tensors inputs;
  explicit Question(const Case& c)
      : claim(as_libtorch_float64(claim_of(c))), inputs(make_inputs(c, claim_of(c))) {}
};

/// The tensors of `witness` that do not agree with the oracle's reading of the claim.
inline std::vector<std::string> disagreements(const Tensors& witness, const Claim& claim,
                                              const Tensors& inputs) {
  std::vector<std::string> names;
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  for (const auto& [name, answer] : answers) {
    const Discrepancy d = compare(get(witness, name), answer);
    if (d.bad + d.undecided > 0)
      names.push_back(name + " " + std::to_string(d.bad) + " bad of " + std::to_string(d.elements) +
                      ", error/bound " + std::to_string(d.max_ratio));
  }
  EXPECT_EQ(answers.size(), witness.size()) << "a tensor was judged on one side only";
  EXPECT_FALSE(answers.empty());
  return names;
}

inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + "; ";
  return text;
}

}  // namespace gradproof
