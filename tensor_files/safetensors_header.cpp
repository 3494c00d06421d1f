// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/printable.h"
#include "tensor_files/safetensors.h"

namespace gradproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMetadata = "__metadata__";

[[noreturn]] void refuse_header(const std::string& what) { throw UsageError(what); }

const ElementType& type_named(const std::string& word, const std::string& tensor) {
  std::vector<std::string_view> known;
  for (const ElementType& t : element_types()) {
    if (t.word == word) return t;
    known.push_back(t.word);
  }
  refuse_header(fmt::format("tensor '{}' has the dtype '{}'; known: {}", tensor, printable(word),
                            fmt::join(known, " ")));
}

/// A count that is written as a whole number; nlohmann would convert 1.5 and -1.
std::uint64_t count_from(const Json& json, const std::string& tensor) {
  if (!json.is_number_unsigned())
    refuse_header(fmt::format("tensor '{}': '{}' is no count", tensor, printable(json.dump())));
  return json.get<std::uint64_t>();
}

const Json& field(const Json& of, const char* key, const std::string& tensor) {
  const auto found = of.find(key);
  if (found == of.end()) refuse_header(fmt::format("tensor '{}' has no {}", tensor, key));
  return *found;
}

StoredTensor tensor_from(const Json& json, const std::string& name, std::uint64_t bytes) {
  if (!json.is_object()) refuse_header(fmt::format("tensor '{}' is no object", name));
  const Json& word = field(json, "dtype", name);
  if (!word.is_string()) refuse_header(fmt::format("tensor '{}': its dtype is no text", name));
  StoredTensor t{&type_named(word.get<std::string>(), name), {}, 0, 0};
  const Json& shape = field(json, "shape", name);
  if (!shape.is_array()) refuse_header(fmt::format("tensor '{}': its shape is no list", name));
  for (const Json& extent : shape)
    t.shape.push_back(static_cast<std::int64_t>(count_from(extent, name)));
  const std::uint64_t size = bytes_of(*t.type, t.shape, name);
  const Json& offsets = field(json, "data_offsets", name);
  if (!offsets.is_array() || offsets.size() != 2)
    refuse_header(fmt::format("tensor '{}': data_offsets are not two numbers", name));
  t.first = count_from(offsets[0], name);
  t.end = count_from(offsets[1], name);
  if (t.first > t.end || t.end > bytes)
    refuse_header(fmt::format("tensor '{}' has bytes {} to {} of {}", name, t.first, t.end, bytes));
  if (t.end - t.first != size)
    refuse_header(fmt::format("tensor '{}' has {} bytes, its dtype and shape say {}", name,
                              t.end - t.first, size));
  return t;
}

/// Throws UsageError unless every byte belongs to exactly one tensor.
void require_all_bytes_once(const StoredTensors& tensors, std::uint64_t bytes) {
  std::vector<const StoredTensors::value_type*> order;
  for (const auto& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.first, a->second.end) < std::pair(b->second.first, b->second.end);
  });
  std::uint64_t at = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto& [name, t] = *order[k];
    if (t.first < at)
      refuse_header(fmt::format("tensors '{}' and '{}' overlap from byte {}", order[k - 1]->first,
                                name, t.first));
    if (t.first > at) refuse_header(fmt::format("bytes {} to {} belong to no tensor", at, t.first));
    at = t.end;
  }
  if (at != bytes) refuse_header(fmt::format("bytes {} to {} belong to no tensor", at, bytes));
}

/// Parses the JSON. An object that has a key twice, of which nlohmann would take one, is refused.
Json parsed(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const auto once = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      refuse_header(
          fmt::format("'{}' stands twice in the header", printable(value.get<std::string>())));
    return true;
  };
  try {
    return Json::parse(text, once);
  } catch (const Json::exception&) {
    refuse_header("the header is no JSON");
  }
}

std::map<std::string, std::string, std::less<>> metadata_from(const Json& json) {
  std::map<std::string, std::string, std::less<>> texts;
  if (!json.is_object()) refuse_header(fmt::format("{} is no object", kMetadata));
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string())
      refuse_header(fmt::format("'{}' in {} is no text", printable(name), kMetadata));
    texts.emplace(name, value.get<std::string>());
  }
  return texts;
}

/// Refuses a NUL in a name: a message would end there, and no Case line has such a tensor.
const std::string& without_nul(const std::string& name) {
  if (name.find('\0') != std::string::npos)
    refuse_header(fmt::format("the tensor's name '{}' has a NUL", printable(name)));
  return name;
}

}  // namespace

StoredHeader parse_safetensors_header(std::string_view text, std::uint64_t bytes) {
  if (!text.starts_with('{')) refuse_header("the header does not start with '{'");
  const Json json = parsed(text);
  StoredHeader header;
  for (const auto& [name, value] : json.items())
    if (name != kMetadata)
      header.tensors.emplace(without_nul(name), tensor_from(value, printable(name), bytes));
  require_all_bytes_once(header.tensors, bytes);
  if (const auto found = json.find(kMetadata); found != json.end())
    header.metadata = metadata_from(*found);
  return header;
}

}  // namespace gradproof
