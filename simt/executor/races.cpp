// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/races.h"

#include <algorithm>
#include <cstring>

#include "simt/memory/living_memory.h"
#include "simt/memory/named_memory.h"
#include "simt/races.h"

namespace simt {
namespace {

thread_local int race_scopes = 0;

}  // namespace

RaceScope::RaceScope() { ++race_scopes; }
RaceScope::~RaceScope() { --race_scopes; }

namespace executor {
namespace {

/// The most bytes that a launch compares: each block compares every byte. This takes some 2 s.
constexpr std::uint64_t kMostCompared = std::uint64_t{1} << 34;

}  // namespace

bool looks_for_races(const Grid& grid) {
  if (race_scopes == 0 || grid.blocks() < 2) return false;
  std::uint64_t bytes = 0;
  for (const auto memory : living_memory()) bytes += memory.size();
  return bytes <= kMostCompared / grid.blocks();
}

Races::Races(Grid& grid) : grid_(grid) {
  for (const auto memory : living_memory())
    memories_.push_back({memory.data(), {memory.begin(), memory.end()}});
}

void Races::block_finished(std::uint64_t block) {
  for (Watched& memory : memories_) look_at(memory, static_cast<std::uint32_t>(block));
}

void Races::look_at(Watched& memory, std::uint32_t block) {
  constexpr std::size_t kAtOnce = 256;
  const std::size_t size = memory.before.size();
  for (std::size_t first = 0; first < size; first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, size - first);
    if (std::memcmp(memory.now + first, memory.before.data() + first, count) == 0) continue;
    if (memory.changed_by.empty()) memory.changed_by.assign(size, kNobody);
    for (std::size_t i = first; i < first + count; ++i) {
      if (memory.now[i] == memory.before[i]) continue;
      if (memory.changed_by[i] != kNobody && !first_)
        first_ = {memory.now + i, memory.changed_by[i], block};
      memory.changed_by[i] = block;
      memory.before[i] = memory.now[i];
    }
  }
}

void Races::report() {
  if (!first_ || grid_.has_atomics()) return;
  grid_.findings().add(first_->later, "race", Where(),
                       "blocks " + std::to_string(first_->earlier) + " and " +
                           std::to_string(first_->later) + " both change " +
                           describe_address(first_->at) +
                           ", and the launch has no atomic operation");
}

}  // namespace executor
}  // namespace simt
