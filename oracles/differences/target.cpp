// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/target.h"

#include <cmath>

namespace gradproof {

std::string name_of(AuditArithmetic arithmetic) {
  switch (arithmetic) {
    case AuditArithmetic::double_double:
      return "double-double";
    case AuditArithmetic::triple_double:
      return "triple-double";
    case AuditArithmetic::digits50:
      break;
  }
  return "50 digits";
}

std::string name_of(Reach reach) {
  switch (reach) {
    case Reach::itself:
      return "itself";
    case Reach::column:
      return "column";
    case Reach::group:
      return "group";
    case Reach::all:
      break;
  }
  return "all";
}

std::string name_of(Method method) {
  switch (method) {
    case Method::together:
      return "together";
    case Method::statistics:
      return "statistics";
    case Method::direct:
      break;
  }
  return "direct";
}

void Differences::add(const Differences& other) {
  for (std::size_t k = 0; k < size(); ++k) {
    Wide& sum = claimed[k];
    const Wide& more = other.claimed[k];
    const double hi = sum.hi + more.hi;
    const double added = hi - sum.hi;
    sum.mid += ((sum.hi - (hi - added)) + (more.hi - added)) + more.mid;
    sum.hi = hi;
    error[k] += other.error[k];
    self_error[k] += other.self_error[k];
    jump[k] += other.jump[k];
  }
}

std::vector<Values<Real>> PerturbedLoss::changes_of(std::size_t tensor,
                                                    const std::vector<std::int64_t>& places,
                                                    const std::vector<double>& moves,
                                                    Method method) {
  std::vector<Values<Real>> rows;
  for (const double move : moves) {
    if (places.empty()) {
      rows.push_back(changes(tensor, move, method));
      continue;
    }
    Values<Real>& row = rows.emplace_back();
    for (const std::int64_t place : places) row.push_back(change_by(method, tensor, place, move));
  }
  return rows;
}

double PerturbedLoss::magnitude_of(std::int64_t) { return std::nan(""); }

std::string PerturbedLoss::irregular(std::size_t, std::int64_t, double) { return ""; }

}  // namespace gradproof
