// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "core/case/case.h"
#include "kernels/kernel.h"

namespace gradproof {

/// Any Case of the kernel: hard extents (0, 1, 2, 3, around powers of two), every word, hard
/// numbers; giant layouts seldom and only of small matrices. One Case of four has some elements of
/// its inputs set to hard numbers (core/tensor/hard_numbers.h), one of sixteen to such that need
/// not be finite; a law of sequences has a drawn one. `pinned` fixes keys ("mode=train"), `wanted`
/// says which Cases are drawn and shrunk to. Throws InstrumentError where the schema refuses all
/// that was drawn, or none of 1000 Cases was wanted. It shrinks by core/case/shrink.h, as the front
/// does.
rc::Gen<Case> any_case(
    const Kernel& kernel, const std::vector<std::string>& pinned = {},
    const std::function<bool(const Case&)>& wanted = [](const Case&) { return true; });

/// Tells RapidCheck how to print a counterexample: as the line that reruns it.
inline void showValue(const Case& c, std::ostream& out) {
  out << "replay: gradproof replay '" << to_string(c) << "'";
}

}  // namespace gradproof
