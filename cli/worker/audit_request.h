// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "judge/audit_case.h"

namespace gradproof {

/// What a request for an audit says: the gradients, or one column of the Jacobian instead.
struct AuditRequest {
  AuditPlan plan;
  std::string column;  ///< "x[3,7]"; empty: the gradients
  bool json = false;   ///< of the column
};

/// Reads entries=N, digits=D, direct=yes, column=TENSOR[INDEX], kernel=no, json=yes and threads=K.
/// Throws UsageError.
AuditRequest audit_request(const std::vector<std::string>& arguments);

}  // namespace gradproof
