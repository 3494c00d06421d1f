// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gradproof {

/// The folder this program lies in, links resolved.
std::string program_directory();

/// The worker: what was asked for, else gradproof-worker beside this program.
std::string worker_program(const std::string& asked);

/// Where the shell would find a program; empty when nowhere.
std::string on_path(const std::string& name);

}  // namespace gradproof
