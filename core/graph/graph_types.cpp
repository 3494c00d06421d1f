// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_types.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/graph/labels.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

/// Reads the text of the key `dtypes`.
DTypes parse_dtypes(std::string_view text) {
  DTypes said;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    const std::size_t colon = one.find(':');
    if (colon == std::string_view::npos || colon == 0)
      throw UsageError(
          fmt::format("dtypes: '{}' is no NAME:DTYPE, as in dtypes=weight:f32,bias:f32", one));
    if (!said.emplace(one.substr(0, colon), parse_dtype(one.substr(colon + 1))).second)
      throw UsageError(fmt::format("dtypes: '{}' stands there twice", one.substr(0, colon)));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
  }
  return said;
}

}  // namespace

GraphTypes::GraphTypes(const Graph& graph, DType storage, const DTypes& said) : storage_(storage) {
  std::vector<std::string> names;
  const auto take = [&](const std::string& name, DType otherwise) {
    names.push_back(name);
    const auto found = said.find(name);
    const DType type = found == said.end() ? otherwise : found->second;
    all_[name] = type;
    if (type == otherwise) return type;
    if (type == DType::i64 || otherwise == DType::i64)
      throw UsageError(fmt::format("dtypes: labels alone are whole numbers, and '{}' is {}", name,
                                   otherwise == DType::i64 ? "labels" : "none"));
    if ((type == DType::f64) != (storage == DType::f64) && !is_mask(graph, name))
      throw UsageError(fmt::format("dtypes: '{}' has the dtype {} and others {}; f64 stands alone",
                                   name, name_of(type), name_of(storage)));
    said_[name] = type;
    return type;
  };
  for (const GraphTensor& t : graph.tensors) {
    const DType type = take(t.name, t.part == TensorPart::labels ? DType::i64 : storage);
    if (has_gradient(t.part)) take("d_" + t.name, type);
  }
  for (const std::string& output : graph.outputs) take("d" + output, take(output, storage));
  for (const auto& [name, type] : said)
    if (!all_.contains(name))
      throw UsageError(fmt::format("dtypes: '{}' is none of {}{}", name, fmt::join(names, " "),
                                   did_you_mean(name, names)));
}

DType GraphTypes::of(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? storage_ : found->second;
}

std::string GraphTypes::text() const {
  std::vector<std::string> parts;
  for (const auto& [name, type] : said_) parts.push_back(fmt::format("{}:{}", name, name_of(type)));
  return fmt::format("{}", fmt::join(parts, ","));
}

GraphTypes types_of(const Graph& graph, const Case& c) {
  return {graph, parse_dtype(c.text("dtype")), parse_dtypes(c.text("dtypes"))};
}

}  // namespace gradproof
