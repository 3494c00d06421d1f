// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace gradproof {

struct LibTorchModule;  // oracles/libtorch/module.h

/// The module's file is there and cannot be used: the witness would be missing without anybody
/// having said so. No InstrumentError, which is what LibTorch throws where it refuses a claim.
struct BrokenModule : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where the module is: the first of the program's folders of libraries that has it, in the
/// loader's own order (LD_LIBRARY_PATH, the program's RUNPATH, the system's); a folder that is no
/// absolute path is passed over, whatever lies where the program was started. Empty where none has.
std::string libtorch_module_file();

/// The module, which the first call of the process loads, from whatever thread it comes; it stays
/// loaded. nullptr where there is no file. Throws BrokenModule, each time, where the file does not
/// load or is of another build.
const LibTorchModule* libtorch_module();

}  // namespace gradproof
