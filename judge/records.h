// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "kernels/kernel.h"
#include "properties/laws/law.h"

namespace gradproof {

/// The name of the oracle as a witness. A Record's witness begins with it; the number of elements
/// that needed more digits and the other witnesses follow.
inline constexpr const char* kOracle = "double-double";

/// Back-end, device, toolkit and version of this program for the Case's device.
Context context_of(const Case& c);

/// A Record of the Case that says nothing yet: its text and context are made once a Case.
Record blank_record(const Case& c);

/// A Record of the faults that the executor found in the run.
Record findings_record(const Record& blank, const std::vector<simt::Finding>& findings);

Record skipped_record(const Record& blank, const std::string& reason);

/// The Record of an audit that has no gradient to look at.
Record without_gradients(const Case& c, const Record& blank);

/// law=NAME: one Record for each quantity that the law looks at; law=all: one Record
/// for each law that applies, of the worst that it found.
/// `kernel` makes what the law is asked of. Throws UsageError for a law that says nothing of the
/// Case.
using KernelOfLaw = std::function<Kernel(const Law&)>;
std::vector<Record> law_records(const KernelOfLaw& kernel, const Case& c, const Record& blank);

}  // namespace gradproof
