// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "core/case/factor.h"

namespace gradproof {

/// A grid has at most 65535 blocks in y and z: more rows or columns are a limit only for a kernel
/// that lays them along y.
inline constexpr std::int64_t kOverGridY = 65537;
/// The number of elements of two rows, or of two columns a group, of that length.
inline constexpr double kOverGridElements = 2 * kOverGridY;

/// Collects the sizes at which a kernel's path changes, each once.
class SizeLevels {
 public:
  /// `key` is a key of the Case, and the factor's name.
  explicit SizeLevels(std::string key);

  void add(std::int64_t size);
  /// Adds the last size of a path, and the first size of the next.
  void add_sides(std::int64_t last);
  void add_large(std::int64_t size);
  void add_large_sides(std::int64_t last);
  /// Adds more blocks than a grid has in y, with two rows, which a norm takes. Only launches
  /// matter, and the truth of backward costs four times as much, so the level runs forward alone.
  void add_columns_over_grid(std::int64_t size);

  Factor factor() const;

 private:
  std::string key_;
  std::map<std::int64_t, Level> levels_;  ///< in the order of the sizes
};

}  // namespace gradproof
