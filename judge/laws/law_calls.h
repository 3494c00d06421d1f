// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/tensor/tensor.h"

namespace gradproof {

/// The calls that laws make of a function that runs in another process, and what it gave
/// (docs/laws.md#laws-of-a-function). They are in a folder:
///   calls.safetensors    a tensor LAW/NUMBER/PASS/NAME for each tensor that a call is given
///   answers.safetensors  a tensor LAW/NUMBER/NAME for each result; of a call that raised, the
///                        metadata LAW/NUMBER say what
/// Numbers have four digits and count the calls of a law. PASS is forward or backward.
class LawCalls {
 public:
  /// Reads both files where the second one is there. Throws UsageError for a file that is none.
  explicit LawCalls(std::filesystem::path folder);

  bool is_answered() const { return is_answered_; }

  /// The results of the next call of the law. As long as nothing is answered there are none, and
  /// the call is noted down. Throws UsageError for a call that was not answered, or that was
  /// answered for other numbers, and CallRaised for one that raised.
  Tensors call(const std::string& law, const Tensors& given, bool backward);

  /// Writes the first file. Throws InstrumentError where it cannot be written.
  void write() const;

 private:
  Tensors answer_to(const std::string& call, const Tensors& asked) const;

  std::filesystem::path folder_;
  bool is_answered_ = false;
  std::map<std::string, int, std::less<>> counts_;  ///< calls, by law
  Tensors calls_;
  Tensors answers_;
  std::map<std::string, std::string, std::less<>> raised_;
};

}  // namespace gradproof
