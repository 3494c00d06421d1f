// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/merge.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/whole_file.h"
#include "reports/runs/run_folder.h"
#include "reports/runs/run_id.h"
#include "reports/runs/sealed_line.h"
#include "reports/text/commands.h"

namespace gradproof {
namespace {

/// The text between hosts, and between systems, of a merged run.
constexpr std::string_view kBetween = ", ";
/// The text that stands for the commit if the commits of runs differ.
constexpr const char* kSeveral = "several";

void add_words(std::set<std::string>& words, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    words.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + kBetween.size(), text.size()));
  }
}

std::string joined(const std::set<std::string>& words) {
  return fmt::format("{}", fmt::join(words, kBetween));
}

/// The exit code of a run. Only the calibration itself can judge what cells found; here it counts
/// whether they are all there.
int code_of(const StoredRun& run, const StoredRecords& stored, const Tally& t) {
  constexpr int kIncomplete = 4;
  if (run.header.kind.has_records()) return exit_code(findings_of(t));
  return stored.incomplete.empty() ? 0 : kIncomplete;
}

/// Gathers runs of one kind. What it holds depends on the set of them alone.
class Gathering {
 public:
  void add(const std::string& path, RunFile file) {
    const RunHeader& h = file.header;
    if (merged_.run.header.plan.empty())
      first_ = path, merged_.run.header = h;
    else if (const std::string differs = difference(merged_.run.header, h); !differs.empty())
      throw UsageError(fmt::format("{} and {} do not belong together: {}", first_, path, differs));
    add_facts(h, file.end);
    for (CaseRecords& answer : file.done) merged_.run.judged.add(std::move(answer));
    if (!file.note.empty()) merged_.run.notes.push_back(file.note);
  }

  MergedRun finish() {
    fill_header();
    StoredRun& run = merged_.run;
    merged_.text = header_line(run.header) + "\n";
    for (const std::string& text : run.header.cases)
      if (run.judged.has(text))
        for (const CaseRecords& answer : run.judged.of(text)) merged_.text += answer.lines;
    merged_.stored = records_of(run);
    const Tally t = run.header.kind.has_records() ? tally(merged_.stored) : Tally();
    run.end = RunEnd{merged_.stored.incomplete.empty() ? "complete" : "incomplete",
                     "",
                     code_of(run, merged_.stored, t),
                     ended_,
                     seconds(),
                     t};
    merged_.text += end_line(*run.end) + "\n";
    return std::move(merged_);
  }

 private:
  void add_facts(const RunHeader& h, const std::optional<RunEnd>& end) {
    if (h.merges.empty())
      ids_.insert(h.id);
    else
      ids_.insert(h.merges.begin(), h.merges.end());
    cases_.insert(h.cases.begin(), h.cases.end());
    shards_.insert(h.shards.begin(), h.shards.end());
    workers_.insert(worker_among(h.command));
    add_words(hosts_, h.host);
    add_words(systems_, h.system);
    if (started_.empty() || h.started < started_) started_ = h.started;
    ended_ = std::max({ended_, h.started, end ? end->ended : ""});
    Checkout& one = merged_.run.header.checkout;
    if (one.commit.empty()) one = h.checkout;
    const bool differs = h.checkout.commit != one.commit || h.checkout.dirty != one.dirty;
    if (!h.checkout.commit.empty() && differs) one = {kSeveral, false, ""};
    if (h.checkout.commit == one.commit) one.from = std::min(one.from, h.checkout.from);
  }

  void fill_header() {
    RunHeader& h = merged_.run.header;
    h.command = {"gradproof", "merge"};
    // The worker that had the run's Cases is asked for what is printed of them.
    if (workers_.size() == 1 && !workers_.begin()->empty())
      h.command.insert(h.command.end(), {"--worker", *workers_.begin()});
    h.host = joined(hosts_);
    h.system = joined(systems_);
    h.started = started_;
    h.merges.assign(ids_.begin(), ids_.end());
    h.resumes.clear();
    h.cases.assign(cases_.begin(), cases_.end());
    h.shards.assign(shards_.begin(), shards_.end());
    if (std::cmp_equal(h.cases.size(), h.plan_cases)) h.shards.clear();
    // The new id sorts behind all ids that the run is made of.
    h.id = make_run_id(start_of_run_id(h.merges.back()).value_or(0) + 1,
                       content_id(fmt::format("{}", fmt::join(h.merges, " "))));
  }

  double seconds() const {
    const Milliseconds start = parse_time(started_).value_or(0);
    return static_cast<double>(parse_time(ended_).value_or(start) - start) / 1000;
  }

  MergedRun merged_;
  std::string first_;  ///< path of one of the runs
  std::set<std::string> ids_, cases_, hosts_, systems_, workers_;
  std::set<Shard> shards_;
  std::string started_, ended_;  ///< the first and the last time that a run names
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::vector<MergedRun> merge_runs(const std::vector<std::string>& folders) {
  std::map<RunKind, Gathering> kinds;
  for (const std::string& folder : folders) {
    const std::vector<std::string> ids = run_ids(folder);
    if (ids.empty()) throw UsageError(fmt::format("no run in '{}'", folder));
    for (const std::string& id : ids) {
      const std::string path = run_path(folder, id);
      if (auto file = read_run(path)) kinds[file->header.kind].add(path, *std::move(file));
    }
  }
  std::vector<MergedRun> merged;
  for (auto& [kind, gathering] : kinds) merged.push_back(gathering.finish());
  if (merged.empty()) throw UsageError("no run to merge: none wrote its first line");
  return merged;
}

void write_merged(const MergedRun& merged, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw UsageError(fmt::format("cannot make directory '{}': {}", folder, failed.message()));
  const std::string path = run_path(folder, merged.run.header.id);
  if (std::filesystem::exists(path)) {
    if (text_of(path) == merged.text) return;
    throw InstrumentError(fmt::format("{}: it is there with another text", path));
  }
  write_whole_file(path, [&](std::ostream& file) { file << merged.text; });
}

}  // namespace gradproof
