// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/compare/bad_set.h"
#include "core/compare/discrepancy.h"
#include "core/compare/run.h"

namespace gradproof {

/// Holds the largest error/bound and the count of bad elements of each column of a matrix. Only
/// columns between the first and the last that were added are held, so parts of tensors cost less.
class ColumnTable {
 public:
  /// Vectors, and matrices of more columns than this, have no table: it would be as large as they.
  static constexpr std::int64_t kMost = std::int64_t{1} << 20;

  explicit ColumnTable(const Extents& extents);

  /// Adds the ratios of at most Chunk::kSize elements in whole packs; `largest` is their maximum.
  void add(const Run& run, const double* ratios, std::size_t count, double largest);
  void add_bad(std::int64_t index);
  void merge(const ColumnTable& other);

  /// The columns with the largest ratio, worst first, equally bad ones by number. A column whose
  /// ratio is 0 is left out.
  std::vector<WorstColumn> worst(std::size_t count) const;
  /// The columns with a bad element, in rising order.
  std::vector<std::int64_t> bad() const;

 private:
  struct Entry {
    double ratio = 0;
    std::int64_t bad = 0;
  };

  /// Adds the ratios of elements with the indices first, first + stride, ...
  void add_line(std::int64_t first, std::int64_t stride, const double* ratios, std::size_t count);
  /// Makes sure that the entries of `count` columns from `first` on exist, and returns the first.
  Entry* at(std::int64_t first, std::int64_t count);

  std::int64_t cols_ = 0;  ///< 0: there is no table
  std::int64_t from_ = 0;  ///< column of the first entry
  std::vector<Entry> entries_;
};

}  // namespace gradproof
