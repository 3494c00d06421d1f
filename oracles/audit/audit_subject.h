// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/audit.h"
#include "oracles/audit/subject.h"

namespace gradproof {

struct AuditOptions {
  int digits = 20;           ///< wanted: 20 by double-double, 33 by triple-double
  std::int64_t entries = 0;  ///< of each tensor, a stratified sample; 0: all
  bool direct = false;       ///< every number moved by itself, whatever that costs
};

/// Every entry of every tensor of the subject: the gradient that is claimed against central
/// differences, docs/audit.md. A row for each tensor, without witnesses.
std::vector<AuditRow> audit_subject(const Subject& subject, const AuditOptions& options);

}  // namespace gradproof
