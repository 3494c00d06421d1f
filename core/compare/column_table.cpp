// SPDX-License-Identifier: Apache-2.0
#include "core/compare/column_table.h"

#include <algorithm>

#include "core/compare/chunk.h"

namespace gradproof {

ColumnTable::ColumnTable(const Extents& extents)
    : cols_(extents.is_matrix() && extents.cols <= kMost ? extents.cols : 0) {}

ColumnTable::Entry* ColumnTable::at(std::int64_t first, std::int64_t count) {
  const auto held = static_cast<std::int64_t>(entries_.size());
  if (held == 0) {
    from_ = first;
    entries_.resize(static_cast<std::size_t>(count));
  } else if (first < from_ || first + count > from_ + held) {
    // The table doubles on the side that grows, so columns that come one by one cost no copy each.
    const std::int64_t spare = held;
    const std::int64_t from =
        first < from_ ? std::max<std::int64_t>(0, std::min(first, from_ - spare)) : from_;
    const std::int64_t end = first + count > from_ + held
                                 ? std::min(cols_, std::max(first + count, from_ + held + spare))
                                 : from_ + held;
    std::vector<Entry> wider(static_cast<std::size_t>(end - from));
    std::copy(entries_.begin(), entries_.end(), wider.begin() + (from_ - from));
    entries_ = std::move(wider);
    from_ = from;
  }
  return entries_.data() + (first - from_);
}

namespace {

/// Writes the largest ratio of each pack.
void largest_of_packs(const double* ratios, std::size_t count, std::size_t lanes, double* largest) {
  for (std::size_t i = 0; i < count; i += lanes)
    *largest++ = *std::max_element(ratios + i, ratios + i + lanes);
}

/// Writes the largest ratio of each lane.
void largest_of_lanes(const double* ratios, std::size_t count, std::size_t lanes, double* largest) {
  std::copy(ratios, ratios + lanes, largest);
  for (std::size_t i = lanes; i < count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      largest[lane] = std::max(largest[lane], ratios[i + lane]);
}

}  // namespace

void ColumnTable::add(const Run& run, const double* ratios, std::size_t count, double largest) {
  if (cols_ == 0 || count == 0) return;
  const auto lanes = static_cast<std::size_t>(run.lanes);
  const bool lanes_in_column = lanes == 1 || run.lane_stride % cols_ == 0;
  double some[Chunk::kSize];
  if (run.stride % cols_ == 0) {
    if (lanes_in_column) return add_line(run.first, 0, &largest, 1);
    largest_of_lanes(ratios, count, lanes, some);
    return add_line(run.first, run.lane_stride, some, lanes);
  }
  if (lanes_in_column) {
    if (lanes == 1) return add_line(run.first, run.stride, ratios, count);
    largest_of_packs(ratios, count, lanes, some);
    return add_line(run.first, run.stride, some, count / lanes);
  }
  for (std::size_t i = 0; i < count; i += lanes)
    add_line(run.index(static_cast<std::int64_t>(i)), run.lane_stride, ratios + i, lanes);
}

void ColumnTable::add_line(std::int64_t first, std::int64_t stride, const double* ratios,
                           std::size_t count) {
  for (std::size_t i = 0; i < count;) {
    const std::int64_t column = (first + static_cast<std::int64_t>(i) * stride) % cols_;
    const std::int64_t width =
        stride == 1 ? std::min(static_cast<std::int64_t>(count - i), cols_ - column) : 1;
    Entry* const entries = at(column, width);
    for (std::int64_t k = 0; k < width; ++k)
      entries[k].ratio = std::max(entries[k].ratio, ratios[i + static_cast<std::size_t>(k)]);
    i += static_cast<std::size_t>(width);
  }
}

void ColumnTable::add_bad(std::int64_t index) {
  if (cols_ != 0) ++at(index % cols_, 1)->bad;
}

void ColumnTable::merge(const ColumnTable& other) {
  if (cols_ == 0 || other.entries_.empty()) return;
  const std::size_t count = other.entries_.size();
  Entry* const entries = at(other.from_, static_cast<std::int64_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    entries[i].ratio = std::max(entries[i].ratio, other.entries_[i].ratio);
    entries[i].bad += other.entries_[i].bad;
  }
}

std::vector<WorstColumn> ColumnTable::worst(std::size_t count) const {
  std::vector<WorstColumn> found;
  const auto worse = [](const WorstColumn& a, const WorstColumn& b) {
    return a.max_ratio > b.max_ratio || (a.max_ratio == b.max_ratio && a.column < b.column);
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const WorstColumn one{from_ + static_cast<std::int64_t>(i), entries_[i].ratio, entries_[i].bad};
    const bool full = found.size() == count;
    if (one.max_ratio == 0 || (full && !worse(one, found.back()))) continue;
    found.insert(std::upper_bound(found.begin(), found.end(), one, worse), one);
    if (found.size() > count) found.pop_back();
  }
  return found;
}

std::vector<std::int64_t> ColumnTable::bad() const {
  std::vector<std::int64_t> columns;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].bad > 0) columns.push_back(from_ + static_cast<std::int64_t>(i));
  return columns;
}

}  // namespace gradproof
