// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/case.h"
#include "core/discrepancy.h"
#include "core/inputs.h"
#include "oracles/autograd.h"
#include "oracles/oracle.h"

namespace gradproof {

/// A schema of this test's own: the witness is asked about claims, never about a kernel.
inline SchemaPtr schema() {
  static const SchemaPtr one = [] {
    Schema s{.word = "witness",
             .summary = "",
             .keys = {},
             .refusals = {},
             .size_keys = {},
             .tensors = {}};
    s.keys = {{"rows", KeyType::integer, "33", {}, 0, 4096, ""},
              {"cols", KeyType::integer, "7", {}, 1, 4096, ""},
              {"mode", KeyType::word, "train", {"train", "eval"}, 0, 0, ""},
              {"affine", KeyType::word, "yes", {"yes", "no"}, 0, 0, ""},
              {"track", KeyType::word, "yes", {"yes", "no"}, 0, 0, ""},
              {"bias", KeyType::word, "one", {"one", "each"}, 0, 0, ""},
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

inline std::vector<TensorSpec> tensors_of(const Case& c) {
  const Shape matrix{c.integer("rows"), c.integer("cols")};
  const Shape vector{c.integer("cols")};
  std::vector<TensorSpec> specs;
  const auto add = [&](const std::string& name, Role role, const Shape& shape, DType dtype) {
    specs.push_back({name, role, dtype, Layout::contiguous(shape)});
  };
  const auto parameter = [&](const std::string& name, const Shape& shape) {
    add(name, Role::parameter, shape, DType::f32);
    add("d_" + name, Role::gradient, shape, DType::f32);
  };
  add("x", Role::input, matrix, DType::f32);
  add("dy", Role::cotangent, matrix, DType::f32);
  add("d_x", Role::gradient, matrix, DType::f32);
  parameter("bias", c.is("bias", "one") ? Shape{1} : vector);
  if (c.is("affine", "yes"))
    for (const char* name : {"weight", "beta"}) parameter(name, vector);
  if (c.is("track", "yes")) {
    for (const char* name : {"running_mean", "running_var"})
      add(name, Role::buffer, vector, DType::f32);
    add("num_batches_tracked", Role::buffer, {1}, DType::i64);
  }
  add("y", Role::output, matrix, DType::f32);
  for (const char* name : {"mean", "rstd"}) add(name, Role::output, vector, DType::f32);
  return specs;
}

inline Claim claim_of(const Case& c) {
  Claim claim;
  claim.rows = c.integer("rows");
  claim.cols = c.integer("cols");
  claim.tensors = tensors_of(c);
  const auto name = [&](const char* text) { return claim.has(text) ? text : ""; };
  claim.pipeline.steps = {{"normalized",
                           StageKind::batch_norm,
                           "",
                           {name("weight"), name("beta"), name("running_mean"), name("running_var"),
                            name("num_batches_tracked")},
                           {c.real("eps"), momentum_of(c)}},
                          {"biased", StageKind::bias, "", {"bias"}, {}},
                          {"divided", StageKind::divide, "", {}, {c.real("divide")}},
                          {"swished", StageKind::swish, "", {}, {}}};
  claim.pipeline.batch_statistics = c.is("mode", "train") || c.is("track", "no");
  claim.pipeline.update_running = c.is("mode", "train") && c.is("track", "yes");
  return as_libtorch_float64(claim);
}

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
