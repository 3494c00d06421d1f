// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simt::executor {

/// After this call, an access of a kernel to the forbidden pages around the executor's memory is a
/// finding that names the memory and ends the launch; so is a vector access that is not aligned, if
/// the processor faults on it. Every other fault goes to the handler that was installed before.
void install_fault_handler();

/// Returns the instruction's name in the finding of such an access, or "" for no name. A process
/// that can tell the source line sets one; without one the finding has no place.
using PlaceOfInstruction = std::string (*)(const void* instruction);
void set_place_of_instruction(PlaceOfInstruction place);

}  // namespace simt::executor
