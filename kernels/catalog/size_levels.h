// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "core/case/factor.h"

namespace gradproof {

/// A grid has at most 65535 blocks in y and z: so many rows or columns are none of a kernel's
/// limits, but those of a kernel that lays them along y.
inline constexpr std::int64_t kOverGridY = 65537;
/// Elements of two rows, or of two columns a group, of so many.
inline constexpr double kOverGridElements = 2 * kOverGridY;

/// Collects the sizes at which a kernel's path changes, each once.
class SizeLevels {
 public:
  /// `key`: of a Case, and the factor's name.
  explicit SizeLevels(std::string key);

  void add(std::int64_t size);
  /// The last size of a path, and the first one of the next.
  void add_sides(std::int64_t last);
  void add_large(std::int64_t size);
  void add_large_sides(std::int64_t last);
  /// More blocks than a grid has in y, of two rows, which a norm takes. Launches alone matter, and
  /// those of backward cost four times as much truth: of forward.
  void add_columns_over_grid(std::int64_t size);

  Factor factor() const;

 private:
  std::string key_;
  std::map<std::int64_t, Level> levels_;  ///< in the order of the sizes
};

}  // namespace gradproof
