// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simt/executor/grid.h"

namespace simt::executor {

/// Looks for bytes of global memory that two blocks of one launch change. Without an atomic
/// operation nothing orders the two, so on a device one of the changes is lost: a plain += is such
/// a change. Each block has to end before the next one begins.
class Races {
 public:
  /// Remembers all dense memory of the executor as it is now; `grid` must outlive this object.
  explicit Races(Grid& grid);
  /// Notes which bytes the block changed.
  void block_finished(std::uint64_t block);
  /// Reports, at the end, the first byte that two blocks changed, unless atomics were made.
  void report();

 private:
  /// The number that stands for no block.
  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;

  struct Watched {
    const std::byte* now;
    std::vector<std::byte> before;
    std::vector<std::uint32_t> changed_by = {};  ///< by byte; empty: no block has changed any
  };
  void look_at(Watched& memory, std::uint32_t block);

  struct Pair {
    const std::byte* at;
    std::uint32_t earlier, later;  ///< blocks
  };

  Grid& grid_;
  std::optional<Pair> first_;
  std::vector<Watched> memories_;
};

/// True if a RaceScope of this thread lives and the launch is small enough to be looked at.
bool looks_for_races(const Grid& grid);

}  // namespace simt::executor
