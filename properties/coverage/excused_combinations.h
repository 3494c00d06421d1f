// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "properties/coverage/covering.h"

namespace gradproof {

/// The combinations that a suite need not have, with the reason, as text:
///   KERNEL TYPES LEVEL [LEVEL [LEVEL]] # reason
/// where KERNEL and TYPES may be * and a LEVEL is written "eps=beyond". A combination that has all
/// levels of a line is excused.
class ExcusedCombinations {
 public:
  ExcusedCombinations() = default;
  /// Throws UsageError (`file:line: ...`) for a line of another form. A file that does not exist
  /// counts as empty.
  explicit ExcusedCombinations(const std::string& path);

  /// Marks what is missing and excused.
  void excuse(const std::string& kernel, const std::string& types, Covering& covering);
  /// "file:line" of each line that has excused nothing so far.
  std::vector<std::string> idle() const;

 private:
  struct Line {
    std::string place;
    std::string kernel, types;
    std::vector<std::string> levels;
    bool excuses = false;
  };
  std::vector<Line> lines_;
};

}  // namespace gradproof
