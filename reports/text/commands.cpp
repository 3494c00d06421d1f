// SPDX-License-Identifier: Apache-2.0
#include "reports/text/commands.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/case/witnessed_case.h"

namespace gradproof {
namespace {

constexpr std::string_view kWorker = "--worker";

bool is_safe(char c) {
  constexpr std::string_view kSafe = "_@%+=:,./-";
  const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_word || kSafe.find(c) != std::string_view::npos;
}

std::string in_quotes(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string command(const Commands& with, const char* verb, const std::string& words) {
  const std::string worker =
      with.worker.empty() ? "" : fmt::format(" {} {}", kWorker, shell_word(with.worker));
  return fmt::format("{} {} {}{}", shell_word(with.program), verb, words, worker);
}

/// True if explain and audit can be asked about the Record. They have nothing to say of a law, or
/// of given tensors with a given truth.
bool can_be_asked(const Record& r) {
  return !r.witness.starts_with("law ") && !r.case_text.starts_with(kWitnessed);
}

}  // namespace

std::string shell_word(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), is_safe) ? word : in_quotes(word);
}

std::string Commands::replay(const std::string& case_text) const {
  return command(*this, "replay", in_quotes(case_text));
}

std::string Commands::explain(const Record& r) const {
  if (r.tensor == kExecution || !can_be_asked(r)) return "";
  std::string element = r.tensor;
  if (r.shape.empty())  // one number, which no index names
    return command(*this, "explain",
                   fmt::format("{} {}", in_quotes(r.case_text), in_quotes(element)));
  if (r.measured() == Measured::differences)
    element += index_text(r.shape, r.audit().worst_index);
  else if (r.discrepancy().elements > 0)
    element += index_text(r.shape, r.discrepancy().worst.index);
  return command(*this, "explain",
                 fmt::format("{} {}", in_quotes(r.case_text), in_quotes(element)));
}

std::string Commands::audit(const Record& r) const {
  return !can_be_asked(r) || r.measured() == Measured::differences ? "" : audit(r.case_text);
}

std::string Commands::audit(const std::string& case_text) const {
  return command(*this, "audit", in_quotes(case_text));
}

std::string worker_among(const std::vector<std::string>& words) {
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == kWorker && k + 1 < words.size()) return words[k + 1];
    if (words[k].starts_with(fmt::format("{}=", kWorker)))
      return words[k].substr(kWorker.size() + 1);
  }
  return "";
}

}  // namespace gradproof
