// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/tensor/tensor.h"
#include "oracles/pipeline/geometry.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// Units that are read together: adjacent columns, so that a cache line of a row is used whole, or
/// consecutive rows of one group.
struct Batch {
  std::int64_t block = 0;  ///< the first column, or the group
  std::int64_t row = 0;
  std::int64_t units = 0;
};

/// A matrix's numbers in one batch, unit by unit.
class BatchNumbers {
 public:
  explicit BatchNumbers(const Claim& claim) : geometry_(claim) {}

  void read(const Tensor& matrix, const Batch& batch);
  /// The numbers of the k-th unit.
  const double* of(std::int64_t k) const { return numbers_.data() + k * pitch(); }

 private:
  /// A little more than a unit, so that units do not fall on the same lines of a cache.
  std::int64_t pitch() const { return geometry_.unit_size() + 8; }

  Geometry geometry_;
  Values<double> numbers_;
};

}  // namespace gradproof
