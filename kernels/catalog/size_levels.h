// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "core/case/factor.h"

namespace gradproof {

/// A grid has at most 65535 blocks in y and z: so many rows or columns are none of a kernel's
/// limits, but those of a kernel that lays them along y.
inline constexpr std::int64_t kOverGridY = 65537;

/// Collects the sizes at which a kernel's path changes, each once.
class SizeLevels {
 public:
  /// `key`: of a Case, and the factor's name.
  explicit SizeLevels(std::string key);

  void add(std::int64_t size) { add(size, false); }
  /// The last size of a path, and the first one of the next.
  void add_sides(std::int64_t last);
  void add_large(std::int64_t size) { add(size, true); }
  void add_large_sides(std::int64_t last);

  /// In the order of the sizes.
  Factor factor() const;

 private:
  void add(std::int64_t size, bool large);

  std::string key_;
  std::vector<std::pair<std::int64_t, bool>> sizes_;
};

}  // namespace gradproof
