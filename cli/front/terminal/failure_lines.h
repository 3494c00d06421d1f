// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/record.h"
#include "reports/text/commands.h"

namespace gradproof {

/// Two lines or more for a Case that is wrong, as soon as it is known: the first few of each
/// kernel's tensor, as a broken kernel fails thousands of Cases and the end rolls all of them up.
/// Safe to use from several threads.
class FailureLines {
 public:
  explicit FailureLines(Commands commands) : commands_(std::move(commands)) {}

  /// The lines on a Case's Records; empty where none is wrong, or where enough was said of its
  /// first wrong one.
  ///
  ///     FAILED  bias_divide_swish y: 12 of 880 elements over the bound, up to 3.1 times
  ///       replay   gradproof replay 'bias_divide_swish rows=8 cols=110'
  std::optional<std::string> of(const std::vector<Record>& records);

 private:
  Commands commands_;
  std::mutex mutex_;
  std::map<std::string, int> said_;  ///< by kernel and tensor
};

}  // namespace gradproof
