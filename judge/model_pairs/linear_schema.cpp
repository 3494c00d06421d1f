// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "judge/model_pairs/linear_step.h"
#include "judge/model_pairs/linear_system.h"
#include "judge/model_pairs/pairs.h"

namespace gradproof {
namespace {

/// The keys that a pair's Case line takes over from its kernel's: those of the model and its
/// inputs. Layouts, schedules and dtypes are the kernel's own affair.
const std::set<std::string, std::less<>> kKept{
    "rows",  "cols",     "groups", "mode",  "op",   "eps", "momentum", "divide", "bias",
    "scale", "multiply", "affine", "track", "fill", "dy",  "seed",     "device"};

Key in_features() {
  return {"in",
          KeyType::integer,
          "19",
          {},
          1,
          1 << 20,
          "columns of the network's input",
          {"1", "5", "17", "31", "33", "64", "100"}};
}

std::vector<Key> own_keys() {
  return {
      {"weights",
       KeyType::word,
       "uniform",
       {"uniform", "integers"},
       0,
       0,
       "the Linear's weight and bias: in +-1/sqrt(in), or whole numbers from -8 to 8"},
      {"offset", KeyType::real, "0", {}, 0, 0, "added to the Linear's bias", {"0", "10", "1000"}},
      {"d_z",
       KeyType::word,
       "epilogue",
       {"epilogue", "integers"},
       0,
       0,
       "the Linear's cotangent: what the epilogue gave, or whole numbers from -8 to 8"},
      {"product",
       KeyType::word,
       "auto",
       {"auto", "full", "freivalds"},
       0,
       0,
       "the Linear against every element of a float64 product, or sums with random signs; auto: "
       "the first where it is affordable"}};
}

std::vector<Key> keys_of(const Schema& kernel) {
  std::vector<Key> keys;
  for (const Key& key : kernel.keys) {
    if (key.name == "fill")
      for (Key& own : own_keys()) keys.push_back(std::move(own));
    if (key.name == "dtype")
      keys.push_back({"dtype", KeyType::word, "f32", {"f32"}, 0, 0, key.help});
    if (kKept.contains(key.name)) keys.push_back(key);
    if (key.name == "rows") keys.push_back(in_features());
    if (key.name == "fill") keys.back().help = "numbers of the network's input";
  }
  return keys;
}

bool concerns(const Refusal& refusal, const Schema& schema) {
  return std::all_of(refusal.when.begin(), refusal.when.end(),
                     [&](const Condition& condition) { return schema.has(condition.key); });
}

SchemaPtr schema_of(const LinearPair& pair) {
  const Schema& kernel = *model_kernels().named(pair.kernel).schema;
  Schema schema = kernel;
  schema.word = pair.word;
  schema.summary = "x = Linear(input); " + kernel.summary;
  schema.pipeline = fmt::format("x = linear(input, {0}.weight, {0}.bias); {1}", pair.names.linear,
                                kernel.pipeline);
  schema.contract = "Linear: any order in f32; " + kernel.contract;
  schema.keys = keys_of(kernel);
  schema.refusals = {};
  schema.tensors = {"z"};
  // In float32, weight, gradient and LibTorch's copies are 16 bytes, the input and its gradient 8.
  schema.beside = {{{"in", "cols"}, 16}, {{"rows", "in"}, 8}};
  for (const Refusal& refusal : kernel.refusals)
    if (concerns(refusal, schema)) schema.refusals.push_back(refusal);
  for (const std::string& name : kernel.tensors) schema.tensors.push_back(pair.names.of(name));
  const std::string weight = "d_" + pair.names.linear;
  for (const std::string& name : {std::string("d_input"), weight + ".weight", weight + ".bias"})
    schema.tensors.push_back(name);
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace

std::vector<SchemaPtr> linear_schemas() {
  static const std::vector<SchemaPtr> all = [] {
    std::vector<SchemaPtr> schemas;
    for (const LinearPair& pair : linear_pairs()) schemas.push_back(schema_of(pair));
    return schemas;
  }();
  return all;
}

}  // namespace gradproof
