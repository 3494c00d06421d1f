// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "core/compare/discrepancy.h"
#include "core/compare/verdict.h"

namespace gradproof {

/// Where and with what a Case ran. Records of different contexts are not comparable.
struct Context {
  std::string backend;  ///< "cpu" or "cuda"
  std::string device;   ///< "executor sm_90" or the GPU's name
  std::string toolkit;  ///< compiler and CUDA toolkit of the kernel
  std::string version;  ///< of gradproof
  friend bool operator==(const Context&, const Context&) = default;
};

/// One judged tensor of one Case: one JSON line, the only thing that reports read. What concerns
/// the whole Case (a crash, a finding of the executor) has the tensor name "execution".
struct Record {
  std::string case_text;
  std::string
      kernel;  ///< the Case's word, with the mutant's name behind a slash where there is one
  std::string dtype;
  std::string mode;  ///< "train", "eval"; kAnyMode where the system has none
  std::string tensor;
  std::string witness;  ///< what the tensor was compared with: "double-double, ..."
  Shape shape;
  Discrepancy discrepancy;
  std::string why;  ///< of the bound
  Verdict verdict;
  Context context;
  /// The truth is 0 whatever the inputs (a bias before a BatchNorm): no Case can make a pass prove
  /// more, so a Mistrusted one leaves no gap.
  bool vanishes = false;
  /// Elements whose truth is double-double with a certified radius, and those that needed 50
  /// digits; both 0 where the truth is another witness's.
  std::int64_t certified = 0;
  std::int64_t escalated = 0;
  std::string digest;  ///< of the tensor's bits as the kernel wrote them, hex
  double seconds = 0;  ///< of the whole Case
};

/// Of which tensors a Record says what the largest part of its bound is: some ten evaluations of
/// the bound each.
enum class Detail { of_failures, of_all };

inline constexpr const char* kExecution = "execution";
inline constexpr const char* kAnyMode = "any";  ///< of a system that has no modes

}  // namespace gradproof
