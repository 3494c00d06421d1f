// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace gradproof {

/// The outcomes of the comparisons of one evaluation, in order, and the first operation without a
/// finite value.
struct BranchTrace {
  std::vector<char> outcomes;
  const char* outside = nullptr;                ///< the name of that operation, e.g. "log"
  const std::vector<char>* replayed = nullptr;  ///< outcomes that replace the first computed ones
};

/// The trace into which this thread records; nullptr: none.
inline BranchTrace*& current_trace() {
  thread_local BranchTrace* trace = nullptr;
  return trace;
}

/// Records into a trace from here to the end of the scope.
class Tracing {
 public:
  explicit Tracing(BranchTrace& trace) : before_(current_trace()) { current_trace() = &trace; }
  ~Tracing() { current_trace() = before_; }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

 private:
  BranchTrace* before_;
};

/// Records the outcome of a comparison and returns the outcome that the caller must use.
inline bool decided(bool outcome) {
  BranchTrace* trace = current_trace();
  if (trace == nullptr) return outcome;
  const std::size_t next = trace->outcomes.size();
  if (trace->replayed != nullptr && next < trace->replayed->size())
    outcome = (*trace->replayed)[next] != 0;
  trace->outcomes.push_back(outcome ? 1 : 0);
  return outcome;
}

inline void note_outside(const char* operation) {
  BranchTrace* trace = current_trace();
  if (trace != nullptr && trace->outside == nullptr) trace->outside = operation;
}

}  // namespace gradproof
