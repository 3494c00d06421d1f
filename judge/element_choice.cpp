// SPDX-License-Identifier: Apache-2.0
#include "judge/element_choice.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

/// The rank of a verdict; the tensor with the highest rank is explained first.
int rank(const Record& record) {
  switch (record.verdict.outcome) {
    case Outcome::instrument_broken:
      return 4;
    case Outcome::failed:
    case Outcome::improbable:
      return 3;
    case Outcome::nondeterministic:
      return 2;
    case Outcome::mistrusted:
      return 1;
    default:
      return 0;
  }
}

/// The tensor with the worst verdict.
const Record& worst_of(const Case& c, const std::vector<Record>& records) {
  const Record* found = nullptr;
  for (const Record& record : records) {
    if (record.discrepancy().elements == 0) continue;
    if (found == nullptr || rank(record) > rank(*found) ||
        (rank(record) == rank(*found) &&
         record.discrepancy().max_ratio > found->discrepancy().max_ratio))
      found = &record;
  }
  if (found == nullptr)
    throw UsageError(fmt::format("'{}' has no elements to explain", to_string(c)));
  return *found;
}

std::int64_t index_of(const Case& c, const Record& record, const std::vector<std::int64_t>& asked) {
  std::int64_t index = 0;
  bool inside = asked.size() == record.shape.size();
  for (std::size_t k = 0; inside && k < asked.size(); ++k) {
    inside = asked[k] < record.shape[k];
    index = index * record.shape[k] + asked[k];
  }
  if (inside) return index;
  throw UsageError(fmt::format("{}[{}] is outside of {}, whose shape is ({}), in '{}'",
                               record.tensor, fmt::join(asked, ","), record.tensor,
                               fmt::join(record.shape, ","), to_string(c)));
}

}  // namespace

ElementText parse_element(const std::string& text) {
  if (text.empty()) return {};
  std::optional<ElementText> element = element_text(text);
  const auto is_negative = [](std::int64_t number) { return number < 0; };
  if (!element || std::any_of(element->index.begin(), element->index.end(), is_negative))
    throw UsageError(fmt::format("'{}' is no element; write d_x[3,7], d_x or 3,7 (of y)", text));
  if (element->tensor.empty()) element->tensor.assign(1, 'y');
  return *element;
}

ChosenElement chosen_element(const Case& c, const std::vector<Record>& records,
                             const std::string& text,
                             const std::function<std::string(const std::string&)>& shown) {
  const auto named = [&](const std::string& name) -> const Record& {
    std::vector<std::string> names;
    std::vector<std::string> known;
    for (const Record& record : records) {
      if (record.tensor == name || shown(record.tensor) == name) return record;
      names.push_back(shown(record.tensor));
      known.push_back(fmt::format("{}[{}]", shown(record.tensor), fmt::join(record.shape, ",")));
    }
    throw UsageError(fmt::format("unknown tensor '{}' in '{}'; with their shapes: {}{}", name,
                                 to_string(c), fmt::join(known, " "), did_you_mean(name, names)));
  };
  const ElementText asked = parse_element(text);
  const Record& record = asked.tensor.empty() ? worst_of(c, records) : named(asked.tensor);
  ChosenElement chosen{record.tensor, record, record.discrepancy().worst.index};
  chosen.record.tensor = shown(record.tensor);
  if (record.discrepancy().elements == 0)
    throw UsageError(fmt::format("{} of '{}' has no elements", chosen.record.tensor, to_string(c)));
  if (!asked.index.empty()) chosen.index = index_of(c, chosen.record, asked.index);
  return chosen;
}

}  // namespace gradproof
