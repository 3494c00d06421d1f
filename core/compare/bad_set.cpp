// SPDX-License-Identifier: Apache-2.0
#include "core/compare/bad_set.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace gradproof {

Extents extents_of(const Shape& shape, std::int64_t group_width) {
  if (shape.empty()) return {};
  const std::int64_t cols = shape.back();
  return {cols == 0 ? 0 : numel(shape) / cols, cols, group_width};
}

void Progression::add(std::int64_t number) {
  if (empty_) {
    *this = {};
    empty_ = false;
    first_ = last_ = number;
    return;
  }
  // A division, or often no division, shows that the step stays.
  const std::int64_t distance = number - first_;
  if (step_ != 1 && (step_ == 0 || distance % step_ != 0)) step_ = std::gcd(step_, distance);
  first_ = std::min(first_, number);
  last_ = std::max(last_, number);
}

void Progression::merge(const Progression& other) {
  if (other.empty_) return;
  add(other.first_);
  add(other.last_);
  step_ = std::gcd(step_, other.step_);
}

void BadSet::add(std::int64_t index, const Extents& extents) {
  ++count;
  indices.add(index);
  if (!extents.is_matrix()) return;
  rows.add(index / extents.cols);
  cols.add(index % extents.cols);
}

void BadSet::merge(const BadSet& other) {
  count += other.count;
  indices.merge(other.indices);
  rows.merge(other.rows);
  cols.merge(other.cols);
}

std::string pattern_of(const std::vector<std::int64_t>& bad, const Extents& extents) {
  BadSet set;
  std::set<std::int64_t> cols;
  for (const std::int64_t index : bad) {
    set.add(index, extents);
    if (extents.is_matrix()) cols.insert(index % extents.cols);
  }
  return pattern_of(set, extents, {cols.begin(), cols.end()});
}

}  // namespace gradproof
