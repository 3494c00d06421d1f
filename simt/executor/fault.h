// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simt::executor {

/// From now on, an access of a kernel to the forbidden pages around the executor's memory is a
/// finding that names the memory, and ends its launch; so is a vector access that is not aligned,
/// where the processor faults on it. Every other fault goes to whoever handled it before.
void install_fault_handler();

}  // namespace simt::executor
