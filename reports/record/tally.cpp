// SPDX-License-Identifier: Apache-2.0
#include "reports/record/tally.h"

#include <map>
#include <tuple>

#include <fmt/format.h>

namespace gradproof {
namespace {

/// kernel, dtype, mode
using System = std::tuple<std::string, std::string, std::string>;

struct Proof {
  bool settled = false;  ///< a trusted pass, or a failure
  std::string reason;    ///< of the last verdict that settles nothing
};

bool settles(Outcome outcome) {
  return is_pass(outcome) || is_wrong(outcome) || outcome == Outcome::known_failure;
}

bool settles(const Record& r) {
  return is_proof(r) || (!is_pass(r.verdict.outcome) && settles(r.verdict.outcome));
}

/// "Mistrusted: zeros would pass: every truth is 0", "Passed: no elements"
std::string unsettled_text(const Record& r) {
  return fmt::format("{}: {}", name_of(r.verdict.outcome),
                     r.known && is_pass(r.verdict.outcome) ? name_of(*r.known) : r.verdict.reason);
}

std::string gap_text(const System& system, const std::string& tensor, const std::string& reason) {
  const auto& [kernel, dtype, mode] = system;
  return fmt::format("{} {} {} {}: no trusted pass ({})", kernel, dtype, mode, tensor, reason);
}

std::vector<std::string> gaps_of(const std::vector<Record>& records) {
  if (records.empty()) return {"no case ran"};
  std::map<System, std::map<std::string, Proof>> systems;
  std::map<System, bool> any;
  for (const Record& r : records) {
    if (r.measured() != Measured::comparison) continue;
    const System system{r.part_of.value_or(r.kernel), r.dtype, r.mode};
    Proof& proof = systems[system][r.tensor];
    proof.settled = proof.settled || settles(r);
    any[system] = any[system] || settles(r);
    if (!settles(r)) proof.reason = unsettled_text(r);
  }
  std::vector<std::string> gaps;
  for (const auto& [system, tensors] : systems)
    for (const auto& [tensor, proof] : tensors) {
      // A skip of whole Cases is a gap only where nothing else of that system ran.
      const bool excused = tensor == kExecution && any[system];
      if (!proof.settled && !excused) gaps.push_back(gap_text(system, tensor, proof.reason));
    }
  return gaps;
}

}  // namespace

Findings either(const Findings& a, const Findings& b) {
  return {a.usage || b.usage, a.infrastructure || b.infrastructure, a.wrong || b.wrong,
          a.incomplete || b.incomplete, a.regressed || b.regressed};
}

int exit_code(const Findings& f) {
  if (f.usage) return 2;
  if (f.infrastructure) return 3;
  if (f.wrong) return 1;
  if (f.incomplete) return 4;
  return f.regressed ? 5 : 0;
}

void Tally::add_gap(const std::string& text) {
  gaps.push_back(text);
  ++incomplete;
}

void Tally::add(const Record& r) {
  const Outcome outcome = r.verdict.outcome;
  ++tensors;
  passed += is_pass(outcome);
  failed += is_wrong(outcome);
  mistrusted += outcome == Outcome::mistrusted;
  skipped += outcome == Outcome::skipped;
  broken += outcome == Outcome::instrument_broken;
  regressed += outcome == Outcome::regressed;
  known_failures += outcome == Outcome::known_failure;
  if (r.measured() == Measured::differences) {
    incomplete += !settles(outcome);
    elements += r.audit().entries;
    return;
  }
  incomplete += outcome == Outcome::incomplete || outcome == Outcome::instrument_broken;
  if (settles(outcome) || outcome == Outcome::mistrusted) elements += r.discrepancy().elements;
  certified += r.certified;
  escalated += r.escalated;
  if (r.certified + r.escalated > 0) undecided += r.discrepancy().undecided;
}

Tally tally(const std::vector<Record>& records) {
  Tally t;
  for (const Record& r : records) t.add(r);
  for (const std::string& gap : gaps_of(records)) t.add_gap(gap);
  return t;
}

Findings findings_of(const Tally& t) {
  return {.usage = false,
          .infrastructure = t.broken > 0,
          .wrong = t.failed > 0,
          .incomplete = t.incomplete > 0,
          .regressed = t.regressed > 0};
}

int worse_code(int a, int b) {
  for (const int code : {2, 3, 1, 4, 5})
    if (a == code || b == code) return code;
  return 0;
}

std::string truth_line(const Tally& t) {
  if (t.certified + t.escalated == 0) return "";
  return fmt::format(
      "truth  {} elements in double-double, {} at 50 digits or by class, {} undecided", t.certified,
      t.escalated, t.undecided);
}

std::string result_line(const Tally& t, double seconds, Measured measured) {
  if (measured == Measured::differences)
    return fmt::format(
        "RESULT rows={} certified={} wrong={} inconclusive={} entries={} seconds={:.2f}", t.tensors,
        t.passed, t.failed, t.open(), t.elements, seconds);
  const std::string known =
      t.known_failures > 0 ? fmt::format(" known={}", t.known_failures) : std::string();
  return fmt::format(
      "RESULT passed={} failed={} mistrusted={} skipped={} incomplete={}{} elements={} "
      "seconds={:.2f}",
      t.passed, t.failed, t.mistrusted, t.skipped, t.incomplete, known, t.elements, seconds);
}

}  // namespace gradproof
