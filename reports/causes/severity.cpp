// SPDX-License-Identifier: Apache-2.0
#include "reports/causes/severity.h"

#include <limits>

namespace gradproof {
namespace {

int rank_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::crashed:
      return 0;
    case Outcome::timed_out:
      return 1;
    case Outcome::nondeterministic:
      return 2;
    case Outcome::instrument_broken:
      return 4;
    default:
      return 3;
  }
}

}  // namespace

bool is_fault(const Record& r) {
  return is_wrong(r.verdict.outcome) || r.verdict.outcome == Outcome::instrument_broken;
}

double error_over_bound(const Record& r) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (r.measured() == Measured::comparison)
    return r.discrepancy().elements > 0 ? r.discrepancy().max_ratio : kUnknown;
  double largest = 0;
  for (const AuditWitness& w : r.audit().witnesses)
    if (w.ratio > largest) largest = w.ratio;
  return largest;
}

bool is_more_severe(const Record& a, const Record& b) {
  const int rank_a = rank_of(a.verdict.outcome), rank_b = rank_of(b.verdict.outcome);
  if (rank_a != rank_b) return rank_a < rank_b;
  return error_over_bound(a) > error_over_bound(b);
}

}  // namespace gradproof
