// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// Commands that ask about a Case once more. A Case does not name who has its kernel, so a command
/// for a user's own worker has to: without the worker it is refused.
struct Commands {
  std::string program = "gradproof";  ///< as it was started
  std::string worker = {};            ///< text of --worker; empty where none was asked for

  /// "gradproof replay 'K rows=64' --worker build/kernels_test".
  std::string replay(const std::string& case_text) const;
  /// "gradproof explain 'K rows=64' 'd_x[0,32]'" and "gradproof audit 'K rows=64'"; empty where the
  /// verb has nothing to say: of a crash, of a law, or of what was given with its truth.
  std::string explain(const Record& record) const;
  std::string audit(const Record& record) const;
  std::string audit(const std::string& case_text) const;
};

/// The text of --worker among the words of a command line; empty where there is none.
std::string worker_among(const std::vector<std::string>& words);

/// A word as a shell takes it: in quotes where it has to be.
std::string shell_word(const std::string& word);

}  // namespace gradproof
