// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/faults/fault.h"
#include "tests/support/run_support.h"

namespace gradproof {

/// The seed of the draws of places and moments.
inline constexpr std::uint64_t kSeed = 15;

inline std::string faulty_worker() { return GRADPROOF_BIN_DIR "/gradproof-faulty-worker"; }

/// Runs `gradproof VERB ... --worker` with the kernels that misbehave; `setup` stands in front, as
/// "FAULT=segfault" or "ulimit -v 1000000;".
Finished with_faulty(const std::string& arguments, const std::string& name,
                     const std::string& setup = "");

/// Runs `gradproof VERB ... --worker` with the worker that has no kernels.
Finished with_fake(const std::string& arguments, const std::string& name,
                   const std::string& setup = "");

/// The number of these Cases of which the last run of the folder has no Records.
std::size_t lost_cases(const std::string& folder, const std::vector<std::string>& cases);

/// The reason of the worst verdict that the Case has in the last run of the folder.
std::string reason_in(const std::string& folder, const std::string& case_text);

/// The Case's worst verdict and its reason up to the first ';'; "none" if there are no Records.
std::string verdict_in(const std::string& folder, const std::string& case_text);

/// A check of two right Cases and the faulty one between them, into records.
struct CheckAround {
  std::string name;    ///< of its scratch folders
  std::string faulty;  ///< the Case
  std::vector<std::string> others = {"swish_bias", "swish_bias rows=9"};
  std::string setup = "";  ///< in front of the program
  std::string options = "";
};
Observed observed(const CheckAround& check);

/// Observes such a check of swish_bias with that fault.
Observed check_around(const std::string& fault, const std::string& setup = "",
                      const std::string& options = "");

/// The codes of several tries as text: "3", "2, 4".
std::string codes_text(const std::set<int>& codes);

}  // namespace gradproof
