// SPDX-License-Identifier: Apache-2.0
#include "cli/front/option_checks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/options.h"
#include "core/case/schema.h"
#include "core/nearest_word.h"
#include "core/tensor/element_text.h"

namespace gradproof {

CLI::Option* choose(CLI::Option* option, const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) {
    const bool known = std::find(words.begin(), words.end(), text) != words.end();
    return known ? std::string()
                 : fmt::format("'{}' is none of {}{}", text, fmt::join(words, " "),
                               did_you_mean(text, words));
  };
  return option->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->check(CLI::Validator(check, ""));
}

CLI::Validator whole_from(std::int64_t least) {
  return {[least](const std::string& text) {
            const auto value = whole_number(text);
            return value && *value >= least
                       ? std::string()
                       : fmt::format("'{}' is no whole number from {}", text, least);
          },
          ""};
}

CLI::Validator above_zero() {
  return {[](const std::string& text) {
            double value = 0;
            const bool fits = parse_double(text, value) && value > 0 && std::isfinite(value);
            return fits ? std::string() : fmt::format("'{}' is no number above 0", text);
          },
          ""};
}

std::optional<std::int64_t> sample_size(const std::string& text) {
  if (text == "all") return 0;
  const std::string_view head = "sample:";
  if (!text.starts_with(head)) return std::nullopt;
  const auto size = whole_number(std::string_view(text).substr(head.size()));
  return size && *size >= 1 ? size : std::nullopt;
}

CLI::Validator is_entries() {
  return {[](const std::string& text) {
            return sample_size(text) ? std::string()
                                     : fmt::format(
                                           "'{}' is neither 'all' nor 'sample:N' with a "
                                           "whole number N from 1",
                                           text);
          },
          ""};
}

CLI::Validator is_workers() {
  return {[](const std::string& text) {
            const std::int64_t value = whole_number(text).value_or(0);
            const bool fits = value >= 1 && value <= kMostWorkers;
            return fits ? std::string()
                        : fmt::format("'{}' is no whole number from 1 to {}", text, kMostWorkers);
          },
          ""};
}

std::optional<Shard> parse_shard(const std::string& text) {
  const std::size_t bar = text.find('/');
  if (bar == std::string::npos) return std::nullopt;
  const auto index = whole_number(text.substr(0, bar));
  const auto count = whole_number(text.substr(bar + 1));
  if (!index || !count || *index < 1 || *index > *count || *count > kMostShards)
    return std::nullopt;
  return Shard{static_cast<int>(*index), static_cast<int>(*count)};
}

CLI::Validator is_shard() {
  return {[](const std::string& text) {
            return parse_shard(text)
                       ? std::string()
                       : fmt::format("'{}' is no shard; the first of four is 1/4, the last 4/4",
                                     text);
          },
          ""};
}

CLI::Validator is_column() {
  return {[](const std::string& text) {
            const auto column = element_text(text);
            const bool fits = column && !column->tensor.empty() && !column->index.empty();
            return fits ? std::string()
                        : fmt::format("'{}' is no TENSOR[INDEX], such as x[3,7]", text);
          },
          ""};
}

}  // namespace gradproof
