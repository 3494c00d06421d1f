// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/audit/graph_target.h"

namespace gradproof {

/// The positions in its part of a unit's numbers, column by column.
class UnitNumbers {
 public:
  explicit UnitNumbers(const GraphTarget& target) : target_(target) {}

  void take(std::int64_t unit) {
    part_ = target_.part_of(unit);
    columns_ = target_.columns_of(unit);
  }
  std::int64_t part() const { return part_; }
  const GraphTarget::Columns& columns() const { return columns_; }
  std::size_t length() const { return target_.how().column_length(); }
  std::size_t count() const { return (columns_.last - columns_.first) * length(); }
  /// The position of the number at a place of the unit.
  std::size_t position(std::size_t place) const {
    return target_.how().columns[columns_.first + place / length()][place % length()];
  }
  std::int64_t entry(std::int64_t place) const {
    return target_.entry_of(part_, position(static_cast<std::size_t>(place)));
  }

 private:
  const GraphTarget& target_;
  std::int64_t part_ = 0;
  GraphTarget::Columns columns_;
};

}  // namespace gradproof
