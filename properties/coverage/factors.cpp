// SPDX-License-Identifier: Apache-2.0
#include "properties/coverage/factors.h"

#include <algorithm>
#include <set>

namespace gradproof {
namespace {

const Condition kBackward{"op", "!=", "forward"};

/// The conditions under which a key has an effect. The schema says if the key is there at all.
std::vector<Condition> needs_of(const std::string& key) {
  if (key == "grads" || key == "dy_layout") return {kBackward};
  if (key == "momentum") return {{"mode", "=", "train"}, {"track", "=", "yes"}};
  return {};
}

/// "random:" takes a number.
std::string completed(const std::string& word) { return word.back() == ':' ? word + "1" : word; }

Factor words_factor(const Key& key) {
  static const std::set<std::string> kPath{"mode",   "op",         "affine",   "track",
                                           "layout", "out_layout", "dy_layout"};
  Factor factor{key.name, {}, needs_of(key.name), kPath.contains(key.name)};
  // A page for each row or column makes even small matrices slow.
  for (const std::string& word : key.words)
    factor.levels.push_back({word, {{key.name, completed(word)}}, {}, word.starts_with("giant_")});
  return factor;
}

/// True if the levels of another factor already set this key.
bool is_said_elsewhere(const Key& key, const std::vector<Factor>& limits) {
  if (key.name == "streams") return false;  // a setting that faults depend on
  if (key.setting || key.type == KeyType::integer || key.type == KeyType::text) return true;
  if (key.name == "dtype" || key.name == "params" || key.name == "fill" || key.name == "dy")
    return true;
  return std::any_of(limits.begin(), limits.end(),
                     [&](const Factor& one) { return one.name == key.name; });
}

}  // namespace

bool Instantiation::has(const Case& c) const {
  return std::all_of(texts.begin(), texts.end(),
                     [&](const Level::Text& one) { return c.is(one.key, one.text); });
}

DType Instantiation::dtype() const {
  for (const auto& [key, text] : texts)
    if (key == "dtype") return parse_dtype(text);
  return DType::f32;
}

std::vector<Instantiation> instantiations_of(const Schema& schema) {
  std::vector<Instantiation> all;
  if (!schema.has("dtype") || !schema.has("params")) return all;
  const Case initial(std::make_shared<const Schema>(schema));
  for (const std::string& dtype : schema.key("dtype", "").words)
    for (const std::string& params : schema.key("params", "").words) {
      if (!refusal_of(initial.with("dtype", dtype).with("params", params)).empty()) continue;
      const std::string name = params == "same" ? dtype : dtype + "/" + params;
      all.push_back({name, {{"dtype", dtype}, {"params", params}}});
    }
  return all;
}

std::vector<Factor> factors_of(const Kernel& kernel, const Instantiation& types) {
  const DType dtype = types.dtype();
  std::vector<Factor> all;
  if (kernel.limits) all = kernel.limits(dtype);
  for (const Key& key : kernel.schema->keys) {
    if (is_said_elsewhere(key, all)) continue;
    Factor factor =
        key.type == KeyType::real ? scalar_factor(*kernel.schema, key, dtype) : words_factor(key);
    factor.needs = needs_of(key.name);
    std::erase_if(factor.needs,
                  [&](const Condition& need) { return !kernel.schema->has(need.key); });
    all.push_back(std::move(factor));
  }
  all.push_back(numbers_of_x(kernel, dtype));
  all.push_back(numbers_of_dy(dtype));
  all.push_back(numbers_of_parameters(kernel));
  return all;
}

}  // namespace gradproof
