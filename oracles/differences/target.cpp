// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/target.h"

#include <array>

namespace gradproof {

std::string name_of(AuditArithmetic arithmetic) {
  constexpr std::array kNames{"double-double", "triple-double", "400 digits"};
  return kNames.at(static_cast<std::size_t>(arithmetic));
}

std::string name_of(Reach reach) {
  constexpr std::array kNames{"itself", "column", "group", "all"};
  return kNames.at(static_cast<std::size_t>(reach));
}

std::string name_of(Method method) {
  constexpr std::array kNames{"direct", "together", "statistics"};
  return kNames.at(static_cast<std::size_t>(method));
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

std::vector<Values<Real>> PerturbedLoss::changes(std::size_t tensor,
                                                 const std::vector<std::int64_t>& places,
                                                 const std::vector<double>& moves, Method) {
  std::vector<Values<Real>> rows;
  for (const double move : moves) {
    Values<Real>& row = rows.emplace_back();
    for (const std::int64_t place : places) row.push_back(change(tensor, place, move));
    if (places.empty())
      for (std::int64_t place = 0; place < count(tensor); ++place)
        row.push_back(change(tensor, place, move));
  }
  return rows;
}

}  // namespace gradproof
