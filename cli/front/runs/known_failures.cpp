// SPDX-License-Identifier: Apache-2.0
#include "cli/front/runs/known_failures.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fnmatch.h>

#include "core/error.h"
#include "core/text_file.h"

namespace gradproof {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The pattern for fnmatch(), in which `*` alone is special: a Case has brackets of its own.
std::string glob_of(std::string_view pattern) {
  std::string glob;
  for (const char c : pattern) {
    if (c == '?' || c == '[' || c == '\\') glob += '\\';
    glob += c;
  }
  return glob;
}

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(glob_of(pattern).c_str(), text.c_str(), 0) == 0;
}

bool is_date(const std::string& text) {
  const std::string digits = "[0-9][0-9]";
  return fnmatch((digits + digits + "-[01][0-9]-[0-3][0-9]").c_str(), text.c_str(), 0) == 0;
}

}  // namespace

bool KnownFailures::Line::is_of(const Record& r) const {
  return matches(tensor, r.tensor) && matches(case_text, r.case_text);
}

KnownFailures::Line KnownFailures::line_of(const std::string& text) {
  std::string_view rest = text;
  std::array<std::string, 4> parts;
  for (std::size_t k = parts.size(); k-- > 0;) {
    const std::size_t bar = k == 0 ? std::string_view::npos : rest.rfind('|');
    if (k > 0 && bar == std::string_view::npos)
      throw UsageError(fmt::format("'{}' has {} of four parts: CASE | TENSOR | REASON | DATE", text,
                                   parts.size() - k));
    parts.at(k) = trimmed(k == 0 ? rest : rest.substr(bar + 1));
    if (k > 0) rest = rest.substr(0, bar);
    if (parts.at(k).empty())
      throw UsageError(fmt::format("'{}' has an empty part: CASE | TENSOR | REASON | DATE", text));
  }
  const auto& [case_text, tensor, reason, date] = parts;
  if (!is_date(date))
    throw UsageError(fmt::format("'{}' is no date as 2026-11-28; it is the last part", date));
  return {0, case_text, tensor, reason, date};
}

KnownFailures::KnownFailures(const std::string& path) : path_(path) {
  TextFile file(path);
  while (const auto next = file.next()) {
    const std::string text(trimmed(*next));
    if (text.empty() || text.front() == '#') continue;
    try {
      lines_.push_back(line_of(text));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", path, file.number(), error.what()));
    }
    lines_.back().number = file.number();
  }
}

void KnownFailures::apply(std::vector<Record>& records) const {
  for (Record& r : records) {
    if (!is_wrong(r.verdict.outcome)) continue;
    const auto line = std::find_if(lines_.begin(), lines_.end(),
                                   [&](const Line& known) { return known.is_of(r); });
    if (line == lines_.end()) continue;
    const std::string why = r.verdict.reason.empty() ? "" : ": " + r.verdict.reason;
    r.verdict = {Outcome::known_failure,
                 fmt::format("{}{}; known since {}: {}", name_of(r.verdict.outcome), why,
                             line->date, line->reason)};
  }
}

std::vector<std::string> KnownFailures::unexpected_passes(const std::vector<Record>& records,
                                                          bool whole) const {
  std::vector<std::string> sentences;
  for (const Line& line : lines_) {
    if (!whole && line.case_text.find('*') != std::string::npos) continue;
    bool passes = false, fails = false;
    for (const Record& r : records) {
      if (!line.is_of(r)) continue;
      const Outcome outcome = r.verdict.outcome;
      passes = passes || is_pass(outcome) || outcome == Outcome::mistrusted;
      fails = fails || is_wrong(outcome) || outcome == Outcome::known_failure;
    }
    if (passes && !fails)
      sentences.push_back(fmt::format("{}:{}: '{} | {}' passes; remove the line", path_,
                                      line.number, line.case_text, line.tensor));
  }
  return sentences;
}

std::string KnownFailures::summary(const std::vector<Record>& records) const {
  std::size_t tensors = 0, used = 0;
  const auto is_known = [](const Record& r) { return r.verdict.outcome == Outcome::known_failure; };
  for (const Record& r : records) tensors += is_known(r);
  for (const Line& line : lines_)
    used += std::any_of(records.begin(), records.end(),
                        [&](const Record& r) { return is_known(r) && line.is_of(r); });
  return fmt::format("known failures: {} {} by {} of {} lines of {}", tensors,
                     tensors == 1 ? "tensor" : "tensors", used, lines_.size(), path_);
}

}  // namespace gradproof
