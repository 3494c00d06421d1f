// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/store.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "reports/runs/run_folder.h"

namespace gradproof {
namespace {

constexpr const char* kNoFirstLine = " has no first line: its run was killed before it began";

/// Takes what a file holds into the run that it belongs to.
void join(StoredRun& run, RunFile file) {
  for (CaseRecords& answer : file.done) run.judged.add(std::move(answer));
  if (!file.note.empty()) run.notes.push_back(file.note);
}

void join_resumed(StoredRun& run, const std::string& folder) {
  std::set<std::string> joined{run.header.id};
  for (std::string id = run.header.resumes; !id.empty() && joined.insert(id).second;) {
    std::optional<RunFile> before;
    try {
      before = read_run(run_path(folder, id), Lines::named);
    } catch (const UsageError& absent) {
      run.notes.push_back(
          fmt::format("run {}, which was resumed, is missing: {}", id, absent.what()));
    }
    if (!before) return;
    if (const std::string differs = difference(before->header, run.header); !differs.empty())
      throw InstrumentError(fmt::format("{}: resumed by {}, which is another run: {}",
                                        run_path(folder, id), run.header.id, differs));
    id = before->header.resumes;
    join(run, *std::move(before));
  }
}

StoredRun stored_run(const std::string& folder, RunFile file) {
  StoredRun run;
  run.header = file.header;
  run.end = file.end;
  join(run, std::move(file));
  join_resumed(run, folder);
  return run;
}

/// The shards of a plan that have no run, where all runs are of the same division into shards.
std::vector<std::string> absent_shards(const RunHeader& header) {
  std::vector<std::string> absent;
  const auto& shards = header.shards;
  if (shards.empty()) return absent;
  for (const Shard& shard : shards)
    if (shard.count != shards.front().count) return absent;
  for (Shard shard{1, shards.front().count}; shard.index <= shard.count; ++shard.index)
    if (std::find(shards.begin(), shards.end(), shard) == shards.end())
      absent.push_back(shard_text(shard));
  return absent;
}

/// `run 20261123T062745.123Z-7f3a of 2026-11-23T06:27:45.123Z, commit 0123 with changes`.
std::string title(const RunHeader& h) {
  std::string text = fmt::format("run {} of {}", h.id, h.started);
  if (!h.checkout.commit.empty())
    text +=
        fmt::format(", commit {}{}", h.checkout.commit, h.checkout.dirty ? " with changes" : "");
  if (!h.resumes.empty()) text += fmt::format(", resumes {}", h.resumes);
  if (!h.merges.empty()) text += fmt::format(", merged of {} runs", h.merges.size());
  return text;
}

}  // namespace

std::vector<std::string> StoredRun::missing() const {
  std::vector<std::string> without;
  for (const std::string& text : header.cases)
    if (!judged.has(text)) without.push_back(text);
  return without;
}

StoredRun read_stored_run(const std::string& folder, const std::string& id) {
  const std::vector<std::string> ids = run_ids(folder);
  if (std::find(ids.begin(), ids.end(), id) == ids.end())
    throw UsageError(fmt::format("no run '{}' in '{}'; there are: {}", id, folder,
                                 ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, " "))));
  auto file = read_run(run_path(folder, id), Lines::named);
  if (!file) throw UsageError(run_path(folder, id) + kNoFirstLine);
  return stored_run(folder, *std::move(file));
}

std::optional<StoredRun> last_run(const std::string& folder, RunKind kind) {
  std::vector<std::string> ids = run_ids(folder);
  std::vector<std::string> notes;
  for (; !ids.empty(); ids.pop_back()) {
    const std::string path = run_path(folder, ids.back());
    const auto header = read_run_header(path);
    if (!header) notes.push_back(path + kNoFirstLine);
    if (!header || header->kind != kind) continue;
    StoredRun run = read_stored_run(folder, ids.back());
    run.notes.insert(run.notes.end(), notes.begin(), notes.end());
    return run;
  }
  return std::nullopt;
}

std::string incompleteness(const StoredRun& run) {
  const RunHeader& h = run.header;
  const std::vector<std::string> missing = run.missing();
  const std::int64_t unknown = h.plan_cases - static_cast<std::int64_t>(h.cases.size());
  const std::int64_t count = unknown + static_cast<std::int64_t>(missing.size());
  if (count == 0) return "";
  std::string text = fmt::format("{} of {} {} were not run to their end", count, h.plan_cases,
                                 h.kind.has_records() ? "cases" : "cells");
  if (!missing.empty()) text += fmt::format("; the first is '{}'", missing.front());
  if (const auto absent = absent_shards(h); unknown > 0 && !absent.empty())
    text += fmt::format("; shards without a run: {}", fmt::join(absent, " "));
  return text;
}

/// The run's title and notes, and what of it is missing.
static StoredRecords without_records(const StoredRun& run) {
  StoredRecords stored;
  stored.note = title(run.header);
  for (const std::string& note : run.notes) stored.note += "; " + note;
  stored.incomplete = incompleteness(run);
  return stored;
}

StoredRecords records_of(const StoredRun& run) {
  StoredRecords stored = without_records(run);
  for (const std::string& text : run.header.cases)
    for (Record& r : run.judged.records(text)) stored.records.push_back(std::move(r));
  return stored;
}

StoredRecords records_of(StoredRun&& run) {
  StoredRecords stored = without_records(run);
  for (const std::string& text : run.header.cases)
    for (Record& r : run.judged.take(text)) stored.records.push_back(std::move(r));
  return stored;
}

Tally tally(const StoredRecords& stored) {
  Tally t = tally(stored.records);
  if (!stored.incomplete.empty()) t.add_gap(stored.incomplete);
  return t;
}

}  // namespace gradproof
