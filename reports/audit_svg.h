// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "reports/record/audit_json.h"

namespace gradproof {

/// The V-curves of a row as a picture: log2 of the step across, log10 of the relative error up;
/// orders 2, 4 and 6 as lines, what each says of itself dashed, the step taken marked. Empty where
/// there is no sweep.
std::string audit_svg(const AuditRecord& record);

/// A name for the picture that every file system takes: of Case and tensor, no other row's.
std::string svg_name(const AuditRecord& record);

}  // namespace gradproof
