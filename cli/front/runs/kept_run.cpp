// SPDX-License-Identifier: Apache-2.0
#include "cli/front/runs/kept_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/front/runs/resume.h"
#include "cli/front/runs/run_facts.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"

namespace gradproof {

KeptRun::KeptRun(const Options& options, std::optional<RunHeader> identity)
    : folder_(options.records) {
  if (!identity) return;
  RunHeader& header = *identity;
  if (options.resume) resumed_ = run_to_resume(folder_, header);
  if (resumed_) {
    header.resumes = resumed_->header.id;
    const auto done = static_cast<std::size_t>(
        std::count_if(header.cases.begin(), header.cases.end(),
                      [&](const std::string& text) { return resumed_->judged.has(text); }));
    complain(fmt::format("gradproof: resumes run {}, which has {} of {} {}", header.resumes, done,
                         header.cases.size(), header.kind.has_records() ? "cases" : "cells"));
    if (done == header.cases.size()) return;
  }
  add_surroundings(header, options);
  writer_.emplace(folder_, std::move(header));
}

std::vector<Record> KeptRun::resumed(const std::string& case_text) const {
  return resumed_ ? resumed_->judged.records(case_text) : std::vector<Record>();
}

std::optional<std::string> KeptRun::found(const std::string& cell) const {
  if (!resumed_ || !resumed_->judged.has(cell)) return std::nullopt;
  return resumed_->judged.of(cell).front().found;
}

bool KeptRun::keep(const std::vector<Record>& records) {
  return keep_by([&](RunWriter& writer) { writer.append(records); });
}

bool KeptRun::keep(const FoundCell& cell) {
  return keep_by([&](RunWriter& writer) { writer.append(cell); });
}

bool KeptRun::keep_by(const std::function<void(RunWriter&)>& append) {
  if (failed_) return false;
  try {
    if (writer_) append(*writer_);
    return true;
  } catch (const InstrumentError& error) {
    const std::lock_guard lock(mutex_);
    if (!failed_.exchange(true)) failure_ = error.what();
    return false;
  }
}

void KeptRun::rethrow_failure() {
  if (const std::string text = std::exchange(failure_, ""); !text.empty())
    throw InstrumentError(text);
}

void KeptRun::end(const RunEnd& end) {
  if (!writer_) return;
  try {
    writer_->end(end);
  } catch (const InstrumentError&) {
    if (!failed_) throw;  // else it was shown when the file took no more
  }
}

}  // namespace gradproof
