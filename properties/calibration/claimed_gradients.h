// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/claim/claim.h"
#include "core/compare/audit_row.h"
#include "oracles/arithmetic/real_of.h"
#include "oracles/differences/options.h"
#include "oracles/oracle.h"

namespace gradproof {

/// Gradient tensors at 50 digits, row-major, by name (d_x).
using RealGradients = std::map<std::string, std::vector<Real>, std::less<>>;

/// The gradients of L = sum dy y by the adjoint of the claim's graph, for every gradient that the
/// claim has: added in 400 digits, because terms of several parts may cancel, and rounded.
RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs);

/// The rows of audit_graph() for the claim's graph, without witnesses.
std::vector<AuditRow> audit(const Claim& claim, const Tensors& inputs,
                            const AuditOptions& options = {});

/// Audits the given gradients against differences of the value of the claim's graph. Where an entry
/// affects several parts, the excess over the adjoint is divided evenly among them. Throws
/// InstrumentError where a tensor has no given gradient, or one of another size.
std::vector<AuditRow> audit_gradients(const Claim& claim, const Tensors& inputs,
                                      const RealGradients& claimed,
                                      const AuditOptions& options = {});

/// The sizes that the claim for one entry is compared with, in the parts that the entry affects.
struct BesideEntry {
  Real largest{0};     ///< of the gradients there
  double typical = 0;  ///< gradient, PerturbedLoss::typical_change over the width of a move
};

/// `name` is that of the gradient, `gradient` its numbers.
BesideEntry beside_entry(const Claim& claim, const Tensors& inputs, const std::string& name,
                         std::int64_t entry, const std::vector<Real>& gradient);

}  // namespace gradproof
