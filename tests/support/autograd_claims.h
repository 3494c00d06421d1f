// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

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

inline double momentum_of(const Case& c) {
  return c.is_number("momentum") ? c.real("momentum") : std::numeric_limits<double>::quiet_NaN();
}

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

inline Step step_of(const std::string& stage, const Case& c, const Claim& claim) {
  const auto name = [&](const char* text) { return std::string(claim.has(text) ? text : ""); };
  if (stage == "swish") return {"", StageKind::swish, "", {}, {}};
  if (stage == "divide") return {"", StageKind::divide, "", {}, {c.real("divide")}};
  if (stage == "bias") return {"", StageKind::bias, "", {stage}, {}};
  if (stage == "scale" || stage == "multiply") return {"", StageKind::scale, "", {stage}, {}};
  if (stage == "groupnorm")
    return {"", StageKind::group_norm, "", {name("weight"), name("beta")}, {c.real("eps")}};
  return {"",
          StageKind::batch_norm,
          "",
          {name("weight"), name("beta"), name("running_mean"), name("running_var"),
           name("num_batches_tracked")},
          {c.real("eps"), momentum_of(c)}};
}

inline Claim claim_of(const Case& c) {
  const System system(c.text("system"));
  Claim claim;
  claim.rows = c.integer("rows");
  claim.cols = c.integer("cols");
  claim.groups = system.group_norm ? c.integer("groups") : 0;
  claim.tensors = tensors_of(c, system);
  for (const std::string& stage : system.stages) {
    claim.pipeline.steps.push_back(step_of(stage, c, claim));
    claim.pipeline.steps.back().name = "v" + std::to_string(claim.pipeline.steps.size());
  }
  const bool batch = system.batch_norm;
  claim.pipeline.batch_statistics = !batch || c.is("mode", "train") || c.is("track", "no");
  claim.pipeline.update_running = batch && c.is("mode", "train") && c.is("track", "yes");
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
