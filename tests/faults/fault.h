// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gradproof {

/// The outcome of a fault: a row of the table in docs/faults.md.
struct Observed {
  std::string verdict;       ///< on the Case that has it, or what is said of the run
  std::string code;          ///< of the program, or of all tries
  std::size_t lost = 0;      ///< Cases that had been done and are in no record
  std::string skipped = {};  ///< why it cannot be planted on this machine
};

/// One way in which kernel, worker, machine or user can fail.
struct Fault {
  std::string name;
  std::string done;  ///< what is planted, and where
  std::function<Observed()> run;
};

std::vector<Fault> kernel_faults();
std::vector<Fault> verb_faults();
std::vector<Fault> process_faults();
std::vector<Fault> signal_faults();
std::vector<Fault> file_faults();
std::vector<Fault> stream_faults();

}  // namespace gradproof
