// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "core/discrepancy.h"

namespace gradproof {

/// The truth about one element and what is permitted there; core/answer.h has the meanings.
struct Truth {
  double hi = 0;
  double lo = 0;
  double radius = 0;
  double bound = 0;
  bool any_nonfinite = false;
};

/// Truths about several elements, each quantity in an array of its own: loops over them are
/// vectors.
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

/// Where elements that follow each other lie: row-major indices first, first + stride, ...
struct Run {
  std::int64_t first = 0;
  std::int64_t stride = 1;
};

/// Collects a Discrepancy element by element, in any order and in parts that are merged: the result
/// is the same to the last bit. Tensors that do not fit beside their truth are compared this way.
class Comparison {
 public:
  explicit Comparison(DType dtype);

  /// `index` is the element's row-major index in its tensor.
  void add(std::int64_t index, double got, const Truth& want);
  /// As many elements as there are truths; `got` has a number for each.
  void add(const Run& run, const double* got, const Truths& want);
  void merge(const Comparison& other);

  /// Of the whole tensor of this shape. Throws InstrumentError unless as many elements came as it
  /// has.
  Discrepancy finish(const Shape& shape) const;

 private:
  void keep(const Element& e);

  DType dtype_;
  Discrepancy d_;
  std::vector<std::int64_t> bad_;
  std::vector<std::int64_t> ratios_;  ///< counts by size, 32 bins an octave
  unsigned __int128 squares_ = 0;     ///< sum of squared ratios in units of 2^-80
  double highest_low_;
  double lowest_high_;
};

}  // namespace gradproof
