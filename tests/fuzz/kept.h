// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "reports/record/json.h"
#include "tests/fuzz/laws.h"

namespace gradproof {

/// The first place, as a path, where the JSON that a reader gives back differs from what it read;
/// empty if nothing was lost. Keys that were not there have defaults, and keys that the reader
/// does not know are left out, as another version's would be. A hello's "version" is not compared.
inline std::string changed(const Json& read, const Json& written, const std::string& path = "") {
  if (written.is_object() && read.is_object()) {
    for (const auto& [key, value] : written.items()) {
      if (!read.contains(key) || (path.empty() && key == "version")) continue;
      if (auto place = changed(read.at(key), value, path + "/" + key); !place.empty()) return place;
    }
    return "";
  }
  if (written.is_array() && read.is_array() && written.size() == read.size()) {
    for (std::size_t i = 0; i < read.size(); ++i)
      if (auto place = changed(read[i], written[i], path + "/" + std::to_string(i)); !place.empty())
        return place;
    return "";
  }
  return read == written ? "" : path + ": " + dump(read) + " became " + dump(written);
}

/// Requires the law of laws.h, and that the value that was read says what the text says.
template <class Read, class Write>
void require_kept(std::string_view text, const Read& read, const Write& write) {
  require_inverse<InstrumentError>(text, read, write);
  const auto value = unless_refused<InstrumentError>([&] { return read(std::string(text)); });
  if (!value) return;
  const std::string place = changed(Json::parse(text), Json::parse(write(*value)));
  require(place.empty(), "read as another value: " + place);
}

}  // namespace gradproof
