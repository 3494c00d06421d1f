// SPDX-License-Identifier: Apache-2.0
#include "reports/text/case_table.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "reports/text/run_summary.h"
#include "reports/text/text_table.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

constexpr std::size_t kIndent = 2;
const std::string kNone = "-";

bool any_of(const std::vector<const Record*>& records, bool (*holds)(const Record&)) {
  return std::any_of(records.begin(), records.end(), [&](const Record* r) { return holds(*r); });
}

bool is_over(const Record& r) { return r.discrepancy().bad > 0; }
bool is_likely(const Record& r) { return r.bound == ErrorBound::likely; }

std::string over_text(const Discrepancy& d) {
  if (d.bad == 0) return kNone;
  return fmt::format("{} of {} ({:.1f}%)", d.bad, d.elements,
                     100.0 * static_cast<double>(d.bad) / static_cast<double>(d.elements));
}

/// The columns that the table has only if a Record needs them.
struct Shown {
  bool over = false;
  bool likely = false;
};

TextRow head_of(const Shown& shown) {
  TextRow row{"verdict", "tensor"};
  if (shown.over) row.emplace_back("over the bound");
  row.emplace_back("of bound");
  if (shown.likely) row.emplace_back("bound");
  for (const char* name : {"p99", "resolves", "median"}) row.emplace_back(name);
  return row;
}

TextRow row_of(const Record& r, const Shown& shown) {
  const Discrepancy& d = r.discrepancy();
  const bool any = d.elements > 0;
  const bool resolves = any && resolves_something(r) && std::isfinite(d.resolution.whole);
  TextRow row{verdict_word(r.verdict.outcome), r.tensor};
  if (shown.over) row.push_back(over_text(d));
  row.push_back(any ? ratio_text(d.max_ratio) : kNone);
  if (shown.likely) row.emplace_back(!any ? kNone : is_likely(r) ? "likely" : "certain");
  row.push_back(any ? ratio_text(d.p99_ratio) : kNone);
  row.push_back(resolves ? brief(d.resolution.whole) : kNone);
  row.push_back(resolves ? brief(d.resolution.median) : kNone);
  return row;
}

/// A remark that a row's numbers do not make: the part that was judged, why a pass is doubted, what
/// the line knows, why nothing was judged.
std::string remark_on(const Record& r) {
  const Outcome outcome = r.verdict.outcome;
  if (r.sample) {
    Record whole = r;
    whole.sample.reset();
    const std::string more = remark_on(whole);
    return fmt::format("judged: {}{}{}", *r.sample, more.empty() ? "" : "; ", more);
  }
  if (r.known && is_pass(outcome)) return std::string(name_of(*r.known));
  if (is_wrong(outcome)) return "";  // the cause behind the table says it
  return outcome == Outcome::passed ? "" : shown_reason(r.verdict.reason);
}

/// The beginning that the sentences about the bounds of all the Case's tensors share, in whole
/// parts between commas and semicolons.
std::string contract_of(const std::vector<const Record*>& records) {
  std::string shared;
  for (const Record* r : records) {
    if (shared.empty()) shared = r->why;
    if (r->why.empty()) continue;
    // A mark behind either ends its last part.
    const std::string one = shared + ",", other = r->why + ",";
    const auto differs = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first;
    const std::string same(one.begin(), differs);
    if (same == one) continue;
    const bool ended = *differs == ';' && other[same.size()] == ',';
    const bool cut = *differs == ',' && other[same.size()] == ';';
    shared = ended || cut ? same : same.substr(0, same.find_last_of(",;"));
  }
  return shared.substr(0, shared.find(", largest: "));
}

/// The text "; rung 'fused'" if all that have a rung have the same one; else empty.
std::string rung_of(const std::vector<const Record*>& records) {
  std::optional<Rung> found;
  for (const Record* r : records) {
    if (!r->rung) continue;
    if (found && *found != *r->rung) return "";
    found = r->rung;
  }
  return found ? fmt::format("; rung '{}'", name_of(*found)) : "";
}

}  // namespace

std::string verdict_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "FAILED";
    case Outcome::improbable:
      return "IMPROBABLE";
    case Outcome::regressed:
      return "REGRESSED";
    case Outcome::mistrusted:
      return "MISTRUSTED";
    case Outcome::nondeterministic:
      return "NONDETERMINISTIC";
    case Outcome::crashed:
      return "CRASHED";
    case Outcome::timed_out:
      return "TIMED OUT";
    case Outcome::skipped:
      return "skipped";
    case Outcome::incomplete:
      return "INCOMPLETE";
    case Outcome::instrument_broken:
      return "INSTRUMENT BROKEN";
    case Outcome::known_failure:
      return "known failure";
    default:
      return std::string(name_of(outcome));  // an audit's
  }
}

std::string tensor_table(const std::vector<const Record*>& records, std::size_t width) {
  const Shown shown{any_of(records, is_over), any_of(records, is_likely)};
  std::vector<TextRow> rows{head_of(shown)};
  for (const Record* r : records) rows.push_back(row_of(*r, shown));
  for (const char* least : {"median", "p99"})
    if (!fits(rows, width - kIndent)) rows = without_columns(rows, {least});
  const std::vector<std::string> lines = aligned(rows);
  const std::string indent(kIndent, ' ');
  std::string text = indent + lines.front() + "\n";
  for (std::size_t k = 0; k < records.size(); ++k) {
    text += indent + lines[k + 1] + "\n";
    if (const std::string remark = remark_on(*records[k]); !remark.empty())
      text += filled({std::string(3 * kIndent, ' '), 3 * kIndent, width}, remark);
  }
  return text;
}

std::string case_table(const std::vector<const Record*>& records, std::size_t width) {
  if (records.empty()) return "";
  std::string text = filled({"", 2 * kIndent, width}, records.front()->case_text);
  if (const std::string contract = contract_of(records); !contract.empty())
    text += filled({std::string(kIndent, ' '), kIndent, width}, contract + rung_of(records));
  return text + tensor_table(records, width);
}

std::vector<const Record*> pointers_to(const std::vector<Record>& records) {
  std::vector<const Record*> pointers;
  for (const Record& r : records) pointers.push_back(&r);
  return pointers;
}

}  // namespace gradproof
