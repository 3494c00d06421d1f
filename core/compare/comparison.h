// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/compare/bad_set.h"
#include "core/compare/column_table.h"
#include "core/compare/discrepancy.h"
#include "core/compare/ratio_counts.h"
#include "core/compare/resolution.h"
#include "core/compare/run.h"
#include "core/compare/square_sum.h"

namespace gradproof {

/// The truth about one element and its permitted error; core/compare/answer.h has the meanings.
struct Truth {
  double hi = 0;
  double lo = 0;
  double radius = 0;
  double bound = 0;
  bool any_nonfinite = false;
};

/// Truths about several elements, each quantity in an array of its own, so that the compiler makes
/// vectors of loops over them.
struct Truths {
  std::vector<double> hi;
  std::vector<double> lo;
  std::vector<double> radius;
  std::vector<double> bound;
  std::vector<unsigned char> any_nonfinite;

  std::size_t size() const { return hi.size(); }
  void resize(std::size_t count);
  Truth at(std::size_t i) const {
    return {hi[i], lo[i], radius[i], bound[i], any_nonfinite[i] != 0};
  }
};

/// Collects a Discrepancy element by element, in any order and in parts that are merged: the result
/// is the same to the last bit. Tensors that do not fit beside their truth are compared this way;
/// the memory does not grow with the number of elements, nor with that of the bad ones.
class Comparison {
 public:
  /// Compares a tensor of this shape; `group_width` is the number of columns that a norm takes
  /// together, 0 for none.
  Comparison(DType dtype, const Shape& shape, std::int64_t group_width = 0);

  /// `index` is the element's row-major index in its tensor.
  void add(std::int64_t index, double got, const Truth& want);
  /// Adds as many elements as there are truths; `got` has a number for each. A pack has at most
  /// Chunk::kSize lanes.
  void add(const Run& run, const double* got, const Truths& want) {
    add(run, got, want, 0, want.size());
  }
  /// Adds `count` elements with the truths from the one at `from` on.
  void add(const Run& run, const double* got, const Truths& want, std::size_t from,
           std::size_t count);
  /// Adds the findings of another Comparison about another part of the same tensor.
  void merge(const Comparison& other);

  /// Throws InstrumentError unless as many elements came as the tensor has.
  Discrepancy finish() const;

 private:
  void take(const Run& run, Chunk& chunk, const unsigned char* any_nonfinite);
  void take_worst(const Run& run, const Chunk& chunk, double largest);
  void examine(const Run& run, Chunk& chunk, std::size_t i, bool any_nonfinite);
  void keep(const Element& e);
  bool constant_would_pass() const;

  DType dtype_;
  Extents extents_;
  Discrepancy d_;
  BadSet bad_;
  ColumnTable columns_;
  RatioCounts ratios_{kRatioBins};
  SquareSum ratio_squares_;
  ResolutionCounts resolution_;
  std::array<std::int64_t, kClasses> wanted_{};  ///< by class, those that are not finite
  double highest_low_;
  double lowest_high_;
};

}  // namespace gradproof
