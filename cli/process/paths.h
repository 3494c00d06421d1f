// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gradproof {

/// The folder that this program lies in, with links resolved.
std::string program_directory();

/// The worker: the program that was asked for, else gradproof-worker beside this program.
std::string worker_program(const std::string& asked);

/// The program that was asked for, else gradproof-lab beside this program, which has the mutants,
/// the model pairs and the verbs bench, exhaustive and calibrate. It may not have been built.
std::string lab_program(const std::string& asked);

/// True if a program lies at that path.
bool is_program(const std::string& path);

/// The path at which the shell would find a program; empty if there is none.
std::string on_path(const std::string& name);

}  // namespace gradproof
