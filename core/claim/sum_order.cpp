// SPDX-License-Identifier: Apache-2.0
#include "core/claim/sum_order.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/claim/contract.h"

namespace gradproof {

std::int64_t SumOrder::chain_of(std::int64_t length) const {
  if (length <= 1) return 0;
  switch (kind) {
    case Kind::any:
      return length - 1;
    case Kind::pairwise:
      return tree_chain(length, length);
    case Kind::lanes:
      return tree_chain(length, count);
    case Kind::blocks:
      return std::min(length, count) - 1 + (length - 1) / count;
    case Kind::chain:
      return std::min(length - 1, count);
  }
  return length - 1;
}

std::string SumOrder::text() const {
  switch (kind) {
    case Kind::any:
      return "in any order";
    case Kind::pairwise:
      return "pairwise";
    case Kind::lanes:
      return fmt::format("in {} lanes and a tree", count);
    case Kind::blocks:
      return fmt::format("in blocks of {}", count);
    case Kind::chain:
      return fmt::format("in chains of at most {} additions", count);
  }
  return "";
}

}  // namespace gradproof
