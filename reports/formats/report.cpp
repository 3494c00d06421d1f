// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/report.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "reports/text/run_summary.h"

namespace gradproof {
namespace {

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The word for what the exit code says, in its order.
std::string word_for(const Findings& found) {
  if (found.infrastructure) return "BROKEN";
  if (found.wrong) return "FAILED";
  if (found.incomplete) return "INCOMPLETE";
  return found.regressed ? "REGRESSED" : "PASSED";
}

struct Counts {
  std::int64_t tensors = 0, wrong = 0, broken = 0;
  std::set<std::string> wrong_kernels, kernels;
};

Counts counts_of(const ReportedRun& run) {
  Counts counts;
  for (const Record& r : run.stored.records) {
    ++counts.tensors;
    counts.kernels.insert(r.kernel);
    counts.broken += r.verdict.outcome == Outcome::instrument_broken;
    if (!is_wrong(r.verdict.outcome)) continue;
    ++counts.wrong;
    counts.wrong_kernels.insert(r.kernel);
  }
  return counts;
}

/// "74 of 3531 tensors are wrong, in 1 kernel", and what of it is not known.
void add_run(std::vector<std::string>& parts, const ReportedRun& run) {
  const Counts counts = counts_of(run);
  const char* what = run.header.kind == Measured::differences ? "gradients" : "tensors";
  if (counts.wrong > 0)
    parts.push_back(fmt::format("{} of {} {} {} wrong, in {}", counts.wrong, counts.tensors, what,
                                counts.wrong == 1 ? "is" : "are",
                                counted(counts.wrong_kernels.size(), "kernel", "kernels")));
  if (counts.broken > 0)
    parts.push_back(fmt::format("on {} {} the witnesses disagree", counts.broken, what));
}

std::string all_of(const Report& report) {
  std::string text;
  for (const ReportedRun* run : runs_of(report)) {
    const Counts counts = counts_of(*run);
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : "; ", counts.tensors,
                        run->header.kind == Measured::differences ? "gradients" : "tensors",
                        counted(counts.kernels.size(), "kernel", "kernels"));
  }
  return text;
}

std::string sentence_on(const Report& report, std::size_t gaps) {
  std::vector<std::string> parts;
  for (const ReportedRun* run : runs_of(report)) add_run(parts, *run);
  if (gaps > 0) parts.push_back(counted(gaps, "thing was", "things were") + " not proved");
  if (report.comparison) {
    const BaselineComparison& c = *report.comparison;
    if (const std::int64_t regressed = c.count(Change::regressed); regressed > 0)
      parts.push_back(fmt::format("{} regressed", regressed));
    if (const std::int64_t missing = c.count(Change::missing); missing > 0)
      parts.push_back(fmt::format("{} no longer measured", missing));
    if (!c.not_comparable.empty()) parts.push_back("not comparable with the baseline");
    if (c.alike.tensors > 0 && !c.alike.compared)
      parts.push_back(fmt::format("{} not compared: another {}", c.alike.tensors, c.alike.key));
  }
  if (parts.empty()) return all_of(report);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string commit_text(const Checkout& checkout) {
  if (checkout.commit.empty()) return "unknown";
  return checkout.commit + (checkout.dirty ? " with changes" : "");
}

}  // namespace

double ReportedRun::seconds() const {
  if (end) return end->seconds;
  if (header.kind == Measured::comparison) return seconds_of(stored.records);
  double sum = 0;
  for (const Record& row : stored.records) sum += row.seconds;
  return sum;
}

Commands commands_of(const Report& report) { return runs_of(report).front()->commands(); }

std::vector<const ReportedRun*> runs_of(const Report& report) {
  std::vector<const ReportedRun*> runs;
  for (const auto* run : {&report.check, &report.audit})
    if (*run) runs.push_back(&**run);
  return runs;
}

Conclusion conclusion_of(const Report& report) {
  Conclusion conclusion;
  for (const ReportedRun* run : runs_of(report))
    conclusion.findings = either(conclusion.findings, findings_of(tally(run->stored)));
  if (report.comparison) {
    // A comparison that was asked for and did not happen is no green light, and neither is a
    // tensor that is no longer measured.
    conclusion.findings.regressed =
        conclusion.findings.regressed || report.comparison->count(Change::regressed) > 0;
    conclusion.findings.incomplete =
        conclusion.findings.incomplete || report.comparison->is_incomplete();
  }
  conclusion.word = word_for(conclusion.findings);
  conclusion.sentence = sentence_on(report, gaps_of(report).size());
  return conclusion;
}

std::string proof_of(const Report& report) {
  return report.check ? proof_sentence(report.check->stored.records) : "";
}

std::vector<std::pair<std::string, std::string>> facts_of(const ReportedRun& run) {
  const RunHeader& h = run.header;
  std::vector<std::pair<std::string, std::string>> facts{
      {"run", h.id},
      {"started", h.started},
      {"commit", commit_text(h.checkout)},
      {"command", command_text(h.command)},
      {"host", h.host},
      {"system", h.system},
      {"device", fmt::format("{}, {}", h.context.backend, h.context.device)},
      {"toolkit", h.context.toolkit},
      {"version", h.context.version},
      {"worker", h.worker},
      {"plan", fmt::format("{}, {} cases", h.plan, h.plan_cases)}};
  if (run.end)
    facts.emplace_back("ended", fmt::format("{}, exit code {}, after {:.1f} s", run.end->how,
                                            run.end->code, run.end->seconds));
  if (!h.resumes.empty()) facts.emplace_back("resumes", h.resumes);
  if (!h.merges.empty()) facts.emplace_back("merged of", fmt::format("{} runs", h.merges.size()));
  return facts;
}

std::vector<std::string> gaps_of(const Report& report) {
  std::vector<std::string> gaps;
  for (const ReportedRun* run : runs_of(report)) {
    const Tally t = tally(run->stored);
    gaps.insert(gaps.end(), t.gaps.begin(), t.gaps.end());
    if (run->header.kind != Measured::differences) continue;
    for (const Record& r : run->stored.records)
      if (r.verdict.outcome != Outcome::certified && !is_wrong(r.verdict.outcome))
        gaps.push_back(fmt::format("{} {}: {}", r.case_text, r.tensor, r.verdict.reason));
  }
  return gaps;
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool first = text.empty();
    const std::string shown = first ? std::filesystem::path(word).filename().string() : word;
    const bool quoted = shown.find_first_of(" \t\n'\"$*") != std::string::npos;
    text += (first ? "" : " ") + (quoted ? "'" + shown + "'" : shown);
  }
  return text;
}

std::string source_of(const Report& report, const std::string& kernel) {
  constexpr std::string_view kPlace = "{kernel}";
  std::string file = report.source;
  const std::string word = kernel.substr(0, kernel.find('/'));
  for (std::size_t at = file.find(kPlace); at != std::string::npos; at = file.find(kPlace, at)) {
    file.replace(at, kPlace.size(), word);
    at += word.size();
  }
  return file;
}

}  // namespace gradproof
