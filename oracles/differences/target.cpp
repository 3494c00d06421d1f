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

std::vector<std::int64_t> all_units(const AuditTarget& target) {
  std::vector<std::int64_t> units;
  for (std::int64_t block = 0; block < target.blocks(); ++block)
    for (const std::int64_t unit : target.units_of(block)) units.push_back(unit);
  return units;
}

std::vector<Values<Digits400>> PerturbedLoss::changes(std::size_t tensor,
                                                      const std::vector<std::int64_t>& places,
                                                      const std::vector<double>& moves, Method) {
  std::vector<Values<Digits400>> rows;
  for (const double move : moves) {
    Values<Digits400>& row = rows.emplace_back();
    for (const std::int64_t place : places) row.push_back(change(tensor, place, move));
    if (places.empty())
      for (std::int64_t place = 0; place < count(tensor); ++place)
        row.push_back(change(tensor, place, move));
  }
  return rows;
}

std::vector<Irregularity> PerturbedLoss::irregularities(std::size_t tensor,
                                                        const std::vector<std::int64_t>& places,
                                                        double move) {
  std::vector<Irregularity> met;
  for (const std::int64_t place : places) met.push_back(irregular(tensor, place, move));
  return met;
}

}  // namespace gradproof
