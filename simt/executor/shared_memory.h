// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simt/executor/runtime.h"
#include "simt/host.h"
#include "simt/memory/guarded_pages.h"
#include "simt/memory/named_memory.h"

namespace simt::executor {

/// The shared memory of one worker's current block. A block starts with NaN bytes; a red zone is
/// behind every declaration, and sizes are checked against the device profile.
class SharedMemory {
 public:
  void begin_launch(std::size_t dynamic_bytes, const DeviceProfile& profile);
  /// Begins a new block, in which nothing has been written yet.
  void poison();
  /// The memory of a declaration, or nullptr the first time that this launch comes to it.
  void* find(const SharedSite& site) const {
    const auto index = static_cast<std::size_t>(site.index.load(std::memory_order_relaxed));
    return index < table_.size() ? table_[index] : nullptr;
  }
  /// Makes room for a declaration. Returns a text about the limit that it breaks, or "".
  std::string add(SharedSite& site);
  void* dynamic() const { return dynamic_; }
  /// The name of the shared memory that was written past its end in this block, or nullptr.
  const char* overrun() const;

 private:
  struct Region {
    std::size_t index;
    std::byte* begin;
    std::size_t bytes;
    const char* name;
    GuardBand red_zone;
  };
  void place_dynamic(std::size_t bytes);

  DeviceProfile profile_;
  std::size_t static_bytes_ = 0;
  std::size_t dynamic_bytes_ = 0;
  std::byte* dynamic_ = nullptr;
  std::byte* free_ = nullptr;  ///< the rest of the static pages
  GuardBand dynamic_slack_;
  std::vector<Region> regions_;
  std::vector<void*> table_;  ///< by SharedSite::index
  std::optional<GuardedPages> static_pages_;
  std::optional<GuardedPages> dynamic_pages_;
  std::optional<NamedMemory> dynamic_name_;
};

}  // namespace simt::executor
