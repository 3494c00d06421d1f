// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "core/case/inputs.h"
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernel.h"
#include "properties/calibration/audit_plant.h"
#include "properties/calibration/cells.h"
#include "properties/calibration/draw.h"
#include "properties/calibration/slow_cases.h"

namespace gradproof {
namespace {

constexpr std::int64_t kAuditCases = 24000;      ///< more than 50,000 rows
constexpr std::int64_t kAuditPart = 10;          ///< Cases that one thread takes at a time
constexpr std::uint64_t kAuditPlantedEvery = 8;  ///< one Case of so many gets a wrong entry
constexpr std::size_t kVerdicts = std::tuple_size_v<VerdictCounts>;
constexpr std::array<Outcome, kVerdicts> kOutcomes{Outcome::certified, Outcome::inconclusive,
                                                   Outcome::wrong};

/// An outcome is an alarm if the gradient is wrong, or if LibTorch contradicts the oracle
/// (InstrumentBroken).
bool is_alarm(Outcome outcome) {
  return outcome != Outcome::certified && outcome != Outcome::inconclusive;
}

void count(VerdictCounts& verdicts, Outcome outcome) {
  ++verdicts[is_alarm(outcome) ? 2 : outcome == Outcome::inconclusive ? 1 : 0];
}

/// A text that the key takes, with one of the numbers if the key's word needs one.
std::string drawn_word(const Key& key, const std::vector<std::string>& numbers,
                       const RandomBits& next) {
  std::vector<std::string> words = key.words;
  std::erase_if(words, [](const std::string& word) { return word.starts_with("every"); });
  const std::string& word = words[next() % words.size()];
  return word.back() == ':' ? word + numbers[next() % numbers.size()] : word;
}

/// A small Case whose numbers are hard: of all magnitudes, equal, or with a gradient of exactly 0.
Case draw_hard(const CalibrationPlan& plan, std::int64_t number, const RandomBits& next) {
  static const std::vector<std::string> kNumbers{"1e-30", "1e-20", "1e-8", "1e-3", "0.3",
                                                 "1",     "3.7",   "17",   "1e3",  "1e4",
                                                 "1e5",   "1e7",   "1e10", "1e20", "1e30"};
  static const std::vector<std::string> kCotangents{"0.1", "1", "2", "-3", "1e10", "1e-10"};
  static const std::vector<std::string> kEps{"1e-37", "1e-30", "1e-20", "1e-12", "1e-5",
                                             "1e-5",  "1e-3",  "1",     "1e5",   "1e10"};
  static const std::vector<std::string> kRows{"1", "2", "3", "5", "9", "13", "17"};
  static const std::vector<std::string> kCols{"1", "2", "3", "4", "6", "8", "12"};
  static const std::vector<std::string> kLarge{"rows=300", "cols=96"};
  constexpr std::uint64_t kLargeEvery = 64;
  const std::vector<SchemaPtr> all = schemas_of(plan);
  const SchemaPtr& schema = all.at(next() % all.size());
  std::vector<std::string> pinned{fmt::format("seed={}", number),
                                  "op=backward",
                                  "rows=" + kRows[next() % kRows.size()],
                                  "cols=" + kCols[next() % kCols.size()],
                                  next() % 4 == 0 ? "grads=parameters" : "grads=all",
                                  "dtype=" + draw_text(schema->key("dtype", ""), next),
                                  "fill=" + drawn_word(schema->key("fill", ""), kNumbers, next)};
  if (next() % 2 == 0)
    pinned.push_back("dy=" + drawn_word(schema->key("dy", ""), kCotangents, next));
  else
    pinned.push_back("dy=" + std::string(next() % 2 == 0 ? "ones" : "normal"));
  if (next() % kLargeEvery == 0) pinned.push_back(kLarge[next() % kLarge.size()]);
  if (schema->has("eps")) pinned.push_back("eps=" + kEps[next() % kEps.size()]);
  return without_giants(draw_case(schema, pinned, next));
}

std::string alarm_of(const Record& row, const Case& c) {
  return fmt::format("{} {}: {}, worst {}  gradproof audit '{}'", name_of(row.verdict.outcome),
                     row.tensor, row.verdict.reason, index_text(row.shape, row.audit().worst_index),
                     to_string(c));
}

void plant_in(const CalibrationPlan& plan, const Case& c, const std::vector<Record>& rows,
              const RandomBits& next, AuditTally& tally) {
  const ThreadLimit one(1);
  const auto planted = plant_in_entries(plan.catalog.of(c), c, rows, plan.blunted, next);
  if (!planted) return;
  count(tally.planted[planted->kind], planted->verdict);
  if (planted->verdict == Outcome::certified)
    tally.missed.push_back(fmt::format("certified: {} in {}  gradproof audit '{}'", planted->kind,
                                       planted->where, to_string(c)));
}

void audit_case(const CalibrationPlan& plan, std::int64_t number, const Case& c,
                const RandomBits& next, AuditTally& tally) {
  const std::vector<Record> rows = plan.audited(c);
  for (const Record& row : rows) {
    const Outcome outcome = row.verdict.outcome;
    count(tally.rows, outcome);
    count(tally.by_kernel[c.schema().word], outcome);
    tally.entries += row.audit().entries;
    if (is_alarm(outcome)) tally.alarms.push_back(alarm_of(row, c));
  }
  if (static_cast<std::uint64_t>(number) % kAuditPlantedEvery == 0)
    plant_in(plan, c, rows, next, tally);
}

CalibrationTable table_of(const std::string& title, const std::string& of,
                          const std::map<std::string, VerdictCounts>& lines) {
  CalibrationTable table{title, {of}, {}};
  for (const Outcome outcome : kOutcomes) table.columns.emplace_back(name_of(outcome));
  for (const auto& [name, verdicts] : lines) {
    table.rows.push_back({name});
    for (const std::int64_t number : verdicts) table.rows.back().push_back(std::to_string(number));
  }
  return table;
}

/// The reasons why the run says nothing.
std::vector<std::string> incomplete(const AuditTally& tally) {
  std::vector<std::string> lines;
  if (tally.entries == 0) lines.emplace_back(kNothingJudged);
  for (const char* kind : kPlantedKinds)
    if (!tally.planted.contains(kind))
      lines.push_back(fmt::format("incomplete: never planted: {}; ask for more cases", kind));
  return lines;
}

}  // namespace

std::int64_t audit_cases(const CalibrationPlan& plan) {
  return plan.cases > 0 ? plan.cases : kAuditCases;
}

AuditTally audit_tally(const CalibrationPlan& plan, const CaseRange& range) {
  AuditTally total;
  const std::int64_t count = range.end - range.first;
  std::mutex mutex;
  std::int64_t done = 0;
  constexpr std::int64_t kProgressEvery = 100;
  const auto say = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    plan.progress(line);
  };
  SlowCases slow(plan.slow, say);
  for_each_index((count + kAuditPart - 1) / kAuditPart, [&](std::int64_t part) {
    AuditTally tally;
    const std::int64_t end = std::min(count, (part + 1) * kAuditPart);
    for (std::int64_t k = part * kAuditPart; k < end; ++k) {
      const std::int64_t number = range.first + k;
      const RandomBits next = random_bits(plan.seed, fmt::format("audit {}", number));
      const Case c = draw_hard(plan, number, next);
      slow.during(fmt::format("gradproof audit '{}'", to_string(c)),
                  [&] { audit_case(plan, number, c, next, tally); });
    }
    const std::lock_guard lock(mutex);
    for (const std::vector<std::string>& lines : {tally.alarms, tally.missed})
      for (const std::string& line : lines) plan.progress(line);
    total.merge(tally);
    const std::int64_t before = done;
    done += end - part * kAuditPart;
    plan.counted("cases", done, count);
    if (done / kProgressEvery != before / kProgressEvery)
      plan.progress(fmt::format("{} of {} cases, {} wrong, {} planted and certified", done, count,
                                total.rows[2], total.missed.size()));
  });
  return total;
}

CalibrationReport calibrate_audit(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const AuditTally tally = audit_tally(plan, {0, audit_cases(plan)});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return audit_report(plan, tally, seconds.count());
}

CalibrationReport audit_report(const CalibrationPlan& plan, const AuditTally& tally,
                               double seconds) {
  CalibrationReport report{tally.alarms, {}, {}, 0};
  report.findings.insert(report.findings.end(), tally.missed.begin(), tally.missed.end());
  std::sort(report.findings.begin(), report.findings.end());
  const std::vector<std::string> open = incomplete(tally);
  report.findings.insert(report.findings.end(), open.begin(), open.end());
  report.tables = {table_of("rows by kernel", "kernel", tally.by_kernel),
                   table_of("rows with a wrong entry planted", "planted", tally.planted)};
  report.code = !tally.alarms.empty() ? 1 : !tally.missed.empty() ? 3 : open.empty() ? 0 : 4;
  VerdictCounts planted{};
  for (const auto& [kind, verdicts] : tally.planted)
    for (std::size_t k = 0; k < kVerdicts; ++k) planted[k] += verdicts[k];
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  report.result = {{"cases", number(audit_cases(plan))},
                   {"rows", number(tally.rows[0] + tally.rows[1] + tally.rows[2])},
                   {"entries", number(tally.entries)}};
  for (std::size_t k = 0; k < kVerdicts; ++k)
    report.result.emplace_back(name_of(kOutcomes[k]), number(tally.rows[k]));
  report.result.emplace_back("planted", number(planted[0] + planted[1] + planted[2]));
  for (std::size_t k = 0; k < kVerdicts; ++k)
    report.result.emplace_back(fmt::format("planted_{}", name_of(kOutcomes[k])),
                               number(planted[k]));
  report.result.emplace_back("seconds", fmt::format("{:.1f}", seconds));
  return report;
}

}  // namespace gradproof
