// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/front/options.h"
#include "reports/runs/run_writer.h"
#include "reports/runs/store.h"

namespace gradproof {

/// The Records of a run under --records: those of the run that it resumes, and those that it adds.
/// It does nothing if --records was not given.
class KeptRun {
 public:
  /// `identity` is present if --records is. Throws UsageError if --resume finds only other runs,
  /// and throws as RunWriter does.
  KeptRun(const Options& options, std::optional<RunHeader> identity);

  /// The resumed run's Records of the Case; empty if the Case is to be judged now.
  std::vector<Record> resumed(const std::string& case_text) const;

  /// The resumed run's findings of the cell; nothing if the cell is to be done now.
  std::optional<std::string> found(const std::string& cell) const;

  /// Keeps all Records of a Case. Safe to call from several threads. The first failure to write is
  /// remembered: then, as where failed() already, nothing more is kept and the result is false.
  bool keep(const std::vector<Record>& records);
  bool keep(const FoundCell& cell);
  bool failed() const { return failed_; }
  /// Throws the failure that was remembered, once.
  void rethrow_failure();

  /// Throws as RunWriter::end() does, or where an audit's pictures cannot be written.
  void end(const RunEnd& end);

 private:
  bool keep_by(const std::function<void(RunWriter&)>& append);

  const std::string folder_;
  std::optional<StoredRun> resumed_;
  std::optional<RunWriter> writer_;  ///< none where nothing is missing
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::string failure_;
};

}  // namespace gradproof
