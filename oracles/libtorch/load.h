// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace gradproof {

struct LibTorchModule;  // oracles/libtorch/module.h

/// Thrown if the module's file is there but cannot be used: the witness would be missing without a
/// word. It is no InstrumentError, which says that LibTorch refuses a claim.
struct BrokenModule : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The module's file: from the first of the program's folders of libraries that has it, in the
/// loader's own order (LD_LIBRARY_PATH, the program's RUNPATH, the system's); a folder that is no
/// absolute path is skipped, in every working directory. Empty if no folder has it.
std::string libtorch_module_file();

/// The module, which the first call of the process loads, in any thread; it stays loaded. nullptr
/// if there is no file. Throws BrokenModule, each time, if the file does not load or is of another
/// build.
const LibTorchModule* libtorch_module();

}  // namespace gradproof
