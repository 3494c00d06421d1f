// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/audit_subject.h"

#include <algorithm>
#include <cmath>

#include "oracles/audit/claim_subject.h"
#include "oracles/audit/tableau.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

/// The thinnest line: order 4 at one step, sequential.
AuditRow audit_tensor(const Subject& subject, std::size_t tensor, AuditArithmetic arithmetic) {
  constexpr int kStep = -17;
  AuditRow row;
  row.tensor = "d_" + subject.tensors()[tensor].name;
  row.shape = subject.tensors()[tensor].shape;
  row.entries = numel(row.shape);
  row.log2_step = kStep;
  const auto size = static_cast<std::size_t>(row.entries);
  Values<Real> claimed(size);
  Values<Real> found(size);
  const auto losses = subject.losses(arithmetic);
  for (std::int64_t block = 0; block < subject.blocks(); ++block)
    for (const std::int64_t unit : subject.units_of(block)) {
      losses->take_unit(unit);
      const int log2_step = kStep + (subject.in_one_unit(tensor) ? losses->log2_scale(tensor) : 0);
      const auto count = static_cast<std::size_t>(losses->count(tensor));
      const Method method = losses->quickest(tensor);
      std::vector<std::vector<Pair>> pairs(count, std::vector<Pair>(2));
      for (std::size_t k = 0; k < 2; ++k)
        for (const double sign : {1.0, -1.0}) {
          const double move = sign * std::ldexp(1, log2_step + static_cast<int>(k));
          const Values<Real>& changes = losses->changes(tensor, move, method);
          for (std::size_t i = 0; i < count; ++i)
            (sign > 0 ? pairs[i][k].above : pairs[i][k].below) = changes[i];
        }
      const Values<Real>& terms = losses->claimed(tensor);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at =
            static_cast<std::size_t>(losses->entry(tensor, static_cast<std::int64_t>(i)));
        found[at] += central(pairs[i], ldexp(Real(1), log2_step), 0, 1);
        claimed[at] += terms[i];
      }
    }
  Real scale(0);
  for (const Real& c : claimed) scale = std::max(scale, Real(abs(c)));
  double worst = 0;
  for (std::size_t i = 0; i < size; ++i)
    worst = std::max(worst, Real(abs(found[i] - claimed[i]) / scale).convert_to<double>());
  row.digits = -std::log10(worst);
  row.arithmetic = name_of(arithmetic);
  row.verdict = row.digits >= 20 ? "certified" : "wrong";
  return row;
}

}  // namespace

std::vector<AuditRow> audit_subject(const Subject& subject, const AuditOptions& options) {
  const AuditArithmetic arithmetic =
      options.digits > 20 ? AuditArithmetic::digits50 : AuditArithmetic::double_double;
  std::vector<AuditRow> rows;
  for (std::size_t k = 0; k < subject.tensors().size(); ++k)
    rows.push_back(audit_tensor(subject, k, arithmetic));
  return rows;
}

std::vector<AuditRow> audit(const Claim& claim, const Tensors& inputs) {
  return audit_subject(ClaimSubject(claim, inputs), {});
}

}  // namespace gradproof
