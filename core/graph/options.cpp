// SPDX-License-Identifier: Apache-2.0
#include "core/graph/options.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/schema.h"
#include "core/error.h"
#include "core/graph/text/torch_words.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

const StageOption& option_named(const GraphStage& row, const std::string& key,
                                std::string_view line) {
  std::vector<std::string> known;
  for (const StageOption& o : row.options) {
    if (o.key == key) return o;
    known.emplace_back(o.key);
  }
  std::string advice = advice_on_torch_key(key);
  if (advice.empty()) advice = did_you_mean(key, known);
  throw UsageError(
      fmt::format("unknown option '{}' of {} in '{}'; known: {}{}", key, row.word, line,
                  known.empty() ? "none" : fmt::format("{}", fmt::join(known, " ")), advice));
}

/// The canonical text of a value. Throws UsageError for a value that the option cannot have.
std::string canonical(const StageOption& option, const GraphStage& row, const std::string& value) {
  if (!option.words.empty()) {
    if (std::find(option.words.begin(), option.words.end(), value) == option.words.end())
      throw UsageError(fmt::format("bad value '{}' for option '{}' of {}; known: {}", value,
                                   option.key, row.word, fmt::join(option.words, " ")));
    return value;
  }
  if (const std::size_t cut = value.find('x'); option.each_axis && cut != value.npos)
    return canonical(option, row, value.substr(0, cut)) + "x" +
           canonical(option, row, value.substr(cut + 1));
  double number = 0;
  const bool read = parse_double(value, number) &&
                    (std::isfinite(number) || (option.infinite && !std::isnan(number)));
  const bool is_whole = number == std::trunc(number) && number <= kMostWhole;
  if (!read || number < option.minimum || (option.whole && !is_whole))
    throw UsageError(
        fmt::format("bad value '{}' for option '{}' of {}; a {}number{}", value, option.key,
                    row.word, option.whole ? "whole " : "",
                    option.whole ? fmt::format(" from {} to {:.0f}", option.minimum, kMostWhole)
                    : std::isfinite(option.minimum) ? fmt::format(" from {} up", option.minimum)
                                                    : ""));
  // The stage has no value where x is negative, and a whole power has one.
  if (option.key == "exponent" && number == std::trunc(number))
    throw UsageError(fmt::format(
        "{}={} of {}: a whole power is a product, of negative numbers too: y = square(x), "
        "y = multiply(square(x), x), y = divide(1, x)",
        option.key, value, row.word));
  return fmt::format("{}", number);
}

}  // namespace

void take_option(GraphStep& step, const GraphStage& row, const std::string& key,
                 const std::string& value, std::string_view line) {
  const StageOption& option = option_named(row, key, line);
  if (!step.options.emplace(key, canonical(option, row, value)).second)
    throw UsageError(fmt::format("option '{}' stands twice in '{}'", key, line));
}

void require_options(const GraphStep& step, const GraphStage& row, std::string_view line) {
  for (const StageOption& o : row.options)
    if (std::isnan(o.initial) && o.words.empty() && !step.options.contains(std::string(o.key)))
      throw UsageError(fmt::format("{} needs {}=NUMBER in '{}'", row.word, o.key, line));
  for (const StageOption& o : row.options)
    if (!o.at_most.empty() && step.number(o.key) > step.number(o.at_most))
      throw UsageError(fmt::format("{}={} of {} is over {}={} in '{}'", o.key, step.number(o.key),
                                   row.word, o.at_most, step.number(o.at_most), line));
}

EmptyRows empty_rows(const GraphStep& step) {
  const auto said = step.options.find(kEmpty);
  if (said == step.options.end()) return EmptyRows::as_written;
  for (const StageOption& option : graph_stage(step.stage).options)
    if (option.key == kEmpty && option.words.front() == said->second) return EmptyRows::as_written;
  return said->second == "zero" ? EmptyRows::zero : EmptyRows::any;
}

}  // namespace gradproof
