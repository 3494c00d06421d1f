// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "oracles/diagnosis/lines.h"
#include "oracles/diagnosis/wrong_tensor.h"

namespace gradproof::diagnosis {

/// The gradient of a tensor that one step adds or multiplies in: the sums of what goes back to the
/// step's value, times the other factor. It refers to the nodes of the wrong tensor.
struct SummedProduct {
  const Node* cotangent = nullptr;
  const Node* factor = nullptr;  ///< null where the tensor is added
  int sign = 1;
  std::vector<std::int64_t> places;  ///< the gradient's element of each number of the cotangent
  std::size_t count = 0;             ///< of the gradient's elements
  std::vector<std::string> axes;     ///< over which it sums

  LongDouble term(std::size_t i) const {
    return sign * cotangent->cotangent[i] * (factor == nullptr ? 1 : factor->value[i]);
  }
};

/// Nothing of a tensor that several steps take, that a step takes otherwise, or whose gradient sums
/// over no axis.
std::optional<SummedProduct> summed_product(const WrongTensor& whole);

/// The sums of an entry's first 0, 1, ... numbers along an axis, and of their sizes.
struct PartialSums {
  Reals values;
  std::vector<double> sizes;

  LongDouble between(std::int64_t first, std::int64_t last) const {
    return values[static_cast<std::size_t>(last)] - values[static_cast<std::size_t>(first)];
  }
  double size_between(std::int64_t first, std::int64_t last) const {
    return sizes[static_cast<std::size_t>(last)] - sizes[static_cast<std::size_t>(first)];
  }
};
using SumsOfEntries = std::vector<PartialSums>;

SumsOfEntries partial_sums(const SummedProduct& product, const Line& line);

}  // namespace gradproof::diagnosis
