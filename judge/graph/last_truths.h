// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <mutex>

#include "judge/graph/graph_run.h"
#include "oracles/graph/segments/kept_truths.h"

namespace gradproof {

/// The truths of the given tensors that were judged last. A function on trial is called several
/// times with the same numbers (docs/python.md): what it made of them in a later call is compared
/// with the truths of the first, which follow from the line, its contract and the inputs alone.
class LastTruths {
 public:
  LastTruths();
  ~LastTruths();
  LastTruths(const LastTruths&) = delete;
  LastTruths& operator=(const LastTruths&) = delete;

  /// This process has one: a worker judges one Case at a time.
  static LastTruths& of_process();

  /// All that the run has, with its truths where it has at most kMostKept elements.
  JudgedGraph judged(const Case& c, const GraphClaim& claim, const GraphRun& run);

  /// True if LibTorch's float64 was compared with these truths, and agreed.
  bool has_agreed(const std::shared_ptr<const GraphTruths>& truths) const;
  void note_agreement(const std::shared_ptr<const GraphTruths>& truths);

 private:
  struct Evaluation;

  mutable std::mutex mutex_;
  std::unique_ptr<Evaluation> last_;  ///< null: none
};

}  // namespace gradproof
