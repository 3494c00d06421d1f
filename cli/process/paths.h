// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gradproof {

/// The folder this program lies in, links resolved.
std::string program_directory();

/// The worker: what was asked for, else gradproof-worker beside this program.
std::string worker_program(const std::string& asked);

/// What was asked for, else gradproof-lab beside this program, which has the mutants, the model
/// pairs and the verbs bench, exhaustive and calibrate. It may not have been built.
std::string lab_program(const std::string& asked);

/// Whether a program lies there.
bool is_program(const std::string& path);

/// Where the shell would find a program; empty when nowhere.
std::string on_path(const std::string& name);

}  // namespace gradproof
