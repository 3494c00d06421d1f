// SPDX-License-Identifier: Apache-2.0
#include "core/compare/record.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/enum_names.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 2> kMeasured{"comparison", "differences"};

std::string said_by(const Record& record, const AuditWitness& witness) {
  std::string text = fmt::format("{}: ", name_of(witness.name));
  if (witness.verdict != WitnessVerdict::wrong) text += name_of(witness.verdict);
  if (witness.wrong > 0 && counts_entries(witness.name))
    text += fmt::format("{} of {} entries", witness.wrong, numel(record.shape));
  if (!witness.entries.empty())
    text += fmt::format("{}the worst {}", text.ends_with(": ") ? "" : ", ",
                        index_text(record.shape, witness.entries.front()));
  const bool more = !witness.text.empty() && !text.ends_with(": ");
  return text + (more ? "; " : "") + witness.text;
}

}  // namespace

std::string_view name_of(Measured measured) {
  return kMeasured.at(static_cast<std::size_t>(measured));
}

bool is_pass(Outcome outcome) {
  return outcome == Outcome::passed || outcome == Outcome::regressed ||
         outcome == Outcome::certified;
}

bool is_proof(const Record& record) {
  return is_pass(record.verdict.outcome) && record.known != KnownTruth::no_elements;
}

bool is_trusted(const Record& record) { return is_proof(record) && !record.known; }

Measured parse_measured(std::string_view name) {
  return static_cast<Measured>(place_of_name(kMeasured, name, "kind of record"));
}

Record audit_record(Record blank, AuditRow row) {
  blank.tensor = std::move(row.tensor);
  blank.witness = name_of(Measured::differences);
  blank.shape = std::move(row.shape);
  blank.verdict = {row.verdict, std::move(row.reason)};
  blank.seconds = row.seconds;
  blank.figures = AuditFigures(std::move(row));
  return blank;
}

void add_witness(Record& record, AuditWitness witness) {
  Verdict& verdict = record.verdict;
  const bool wrong = witness.verdict == WitnessVerdict::wrong;
  if (wrong && witness.name == Witness::libtorch)
    verdict.outcome = Outcome::instrument_broken;
  else if (wrong && verdict.outcome != Outcome::instrument_broken)
    verdict.outcome = Outcome::wrong;
  if (wrong || witness.verdict == WitnessVerdict::mistrusted)
    verdict.reason += (verdict.reason.empty() ? "" : "; ") + said_by(record, witness);
  record.audit().witnesses.push_back(std::move(witness));
}

}  // namespace gradproof
