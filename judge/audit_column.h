// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "judge/systems.h"
#include "oracles/graph/derivatives/jacobian_column.h"

namespace gradproof {

/// A column, and the shapes of the outputs, whose elements it names.
struct AuditedColumn {
  JacobianColumn column;
  std::map<std::string, Shape, std::less<>> shapes;
};

/// The column of the Jacobian that "x[3,7]" means, of the Case's claim on its inputs; the kernel is
/// not asked. Throws UsageError for a tensor or an element that is not there, with those that are.
AuditedColumn column_of(const Systems& systems, const Case& c, const std::string& text);

/// The lines for reading: the verdict, then an element of an output in each line, the fewest digits
/// first if there are too many to show.
std::vector<std::string> lines_of(const AuditedColumn& audited);

/// The whole column in one line of JSON.
std::string json_of(const AuditedColumn& audited);

/// The exit code: 0 certified, 1 wrong, 4 inconclusive.
int exit_code_of(const AuditedColumn& audited);

}  // namespace gradproof
