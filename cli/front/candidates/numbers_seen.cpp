// SPDX-License-Identifier: Apache-2.0
#include "cli/front/candidates/numbers_seen.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "cli/front/ask.h"
#include "core/error.h"
#include "core/graph/graph_case.h"
#include "core/graph/text/graph_numbers.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// The Case with another line.
Case with_line(const Case& c, const Graph& line) {
  const std::string text = to_string(c);
  return parse_case(fmt::format("{{{}}}{}", to_string(line), graph_word(text).rest), {});
}

bool is_convicted(Session& session, const Case& c) {
  const CaseReply reply = ask_check(session, c, session.deadline_seconds(), Detail::of_failures);
  if (reply.interrupted) throw Interrupted("numbers of the line");
  return std::any_of(reply.records.begin(), reply.records.end(), [](const Record& r) {
    return r.verdict.outcome == Outcome::failed || r.verdict.outcome == Outcome::improbable;
  });
}

bool is_seen(Session& session, const std::vector<Case>& cases, const Graph& other) {
  return std::any_of(cases.begin(), cases.end(),
                     [&](const Case& c) { return is_convicted(session, with_line(c, other)); });
}

/// The graph with the number times the factor; nothing if the stage cannot have that number.
std::optional<Graph> multiplied(const Graph& graph, const GraphNumber& number, double factor) {
  try {
    return with_number(graph, number, std::get<double>(number.value) * factor);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<NumberSeen> numbers_seen(Session& session, const std::vector<Case>& cases) {
  std::map<std::string, std::vector<Case>> by_line;
  for (const Case& c : cases)
    if (is_graph_in_braces(c) && has_given_tensors(c)) by_line[to_string(graph_of(c))].push_back(c);
  std::vector<NumberSeen> all;
  for (const auto& [line, alike] : by_line) {
    const Graph graph = parse_graph(line);
    for (const GraphNumber& number : graph_numbers(graph)) {
      const auto* const value = std::get_if<double>(&number.value);
      if (value == nullptr || *value == 0) continue;
      const auto* const least =
          std::find_if(std::begin(kFactors), std::end(kFactors), [&](double factor) {
            const auto other = multiplied(graph, number, factor);
            return other && is_seen(session, alike, *other);
          });
      all.push_back({line, number.step + "." + number.word, *value, std::nullopt});
      if (least != std::end(kFactors)) all.back().factor = *least;
    }
  }
  return all;
}

std::string numbers_seen_text(const std::vector<NumberSeen>& numbers) {
  std::string text;
  for (const NumberSeen& n : numbers)
    text += fmt::format("{}{} ({}) by {}", text.empty() ? "seen if off: " : "; ", n.number,
                        brief(n.value),
                        n.factor ? fmt::format("a factor of {}", *n.factor)
                                 : fmt::format("none up to {}", *std::rbegin(kFactors)));
  return text;
}

}  // namespace gradproof
