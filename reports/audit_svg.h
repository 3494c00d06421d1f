// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/compare/record.h"

namespace gradproof {

/// The V-curves of a row as a picture: log2 of the step across, log10 of the relative error up;
/// orders 2, 4 and 6 as lines, what each says of itself dashed, the step taken marked. Empty where
/// there is no sweep.
std::string audit_svg(const Record& record);

/// A name for the picture that every file system takes: of Case and tensor, no other row's.
std::string svg_name(const Record& record);

}  // namespace gradproof
