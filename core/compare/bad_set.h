// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace gradproof {

/// Rows and columns of a tensor: the columns are its last extent, the rows the product of all
/// others. A tensor of one row or one column is a vector.
struct Extents {
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  std::int64_t group_width = 0;  ///< columns that a norm takes together; 0: there are no groups

  bool is_matrix() const { return rows > 1 && cols > 1; }
  std::int64_t size() const { return rows * cols; }
};
Extents extents_of(const Shape& shape, std::int64_t group_width = 0);

/// The least arithmetic progression that holds all numbers added: first, first + step, ..., last.
/// The result does not depend on the order.
class Progression {
 public:
  void add(std::int64_t number);
  void merge(const Progression& other);

  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }
  std::int64_t step() const { return step_; }  ///< 0 where there is one number
  std::int64_t length() const { return step_ == 0 ? 1 : (last_ - first_) / step_ + 1; }

 private:
  bool empty_ = true;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::int64_t step_ = 0;
};

/// A summary of the bad elements: a few numbers, however many elements there are.
struct BadSet {
  std::int64_t count = 0;
  Progression indices;
  Progression rows;
  Progression cols;

  void add(std::int64_t index, const Extents& extents);
  void merge(const BadSet& other);
};

/// The bad set in words: one column, one row, one group, the tail, every k-th, a rectangle, several
/// columns; empty when nothing fits. A statement about a set is exact: it holds these elements and
/// no others; "all in" says that it holds no others. `bad_cols` are the columns with a bad element
/// in rising order; empty where they are not known.
std::string pattern_of(const BadSet& bad, const Extents& extents,
                       const std::vector<std::int64_t>& bad_cols);

/// Describes the bad set that has these indices.
std::string pattern_of(const std::vector<std::int64_t>& bad, const Extents& extents);

}  // namespace gradproof
