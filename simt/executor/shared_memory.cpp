// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/shared_memory.h"

#include <cstring>

namespace simt::executor {
namespace {

constexpr const char* kDynamicName = "dynamic shared memory";
constexpr std::size_t kRedZone = 64;
constexpr std::size_t kLeastAlignment = 16;
constexpr std::size_t kRoomForRedZones = 64 * 1024;

int number_of(SharedSite& site) {
  static std::atomic<int> sites{0};
  int unnumbered = -1;
  if (site.index.load() < 0) site.index.compare_exchange_strong(unnumbered, sites.fetch_add(1));
  return site.index.load();
}

std::size_t align(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

void SharedMemory::begin_launch(std::size_t dynamic_bytes, const DeviceProfile& profile) {
  for (const Region& region : regions_) {
    region.red_zone.lift();
    table_[region.index] = nullptr;
  }
  regions_.clear();
  static_bytes_ = 0;
  const std::size_t room = profile.static_shared_bytes + kRoomForRedZones;
  if (!static_pages_ || profile.static_shared_bytes != profile_.static_shared_bytes) {
    static_pages_.emplace(room);
  }
  free_ = static_pages_->begin();
  profile_ = profile;
  if (dynamic_bytes != dynamic_bytes_ || !dynamic_) place_dynamic(dynamic_bytes);
}

/// Puts it at the end of its pages, so that the first byte past it (rounded up to 16) is forbidden.
void SharedMemory::place_dynamic(std::size_t bytes) {
  dynamic_slack_.lift();
  const std::size_t rounded = align(bytes, kLeastAlignment);
  const auto room = [&] {
    return static_cast<std::size_t>(dynamic_pages_->end() - dynamic_pages_->begin());
  };
  dynamic_name_.reset();
  if (!dynamic_pages_ || room() < rounded) dynamic_pages_.emplace(rounded);
  dynamic_bytes_ = bytes;
  dynamic_ = dynamic_pages_->end() - rounded;
  dynamic_name_.emplace(*dynamic_pages_, dynamic_, bytes, kDynamicName);
  dynamic_slack_ = GuardBand(dynamic_ + bytes, dynamic_pages_->end());
}

void SharedMemory::poison() {
  for (const Region& region : regions_) std::memset(region.begin, 0xFF, region.bytes);
  if (dynamic_bytes_ != 0) std::memset(dynamic_, 0xFF, dynamic_bytes_);
}

std::string SharedMemory::add(SharedSite& site) {
  const auto limit = [](std::size_t bytes, const char* what, std::size_t most) {
    return std::to_string(bytes) + " bytes of " + what + " shared memory, the device has " +
           std::to_string(most);
  };
  static_bytes_ = align(static_bytes_, site.alignment) + site.bytes;
  if (static_bytes_ > profile_.static_shared_bytes) {
    return limit(static_bytes_, "static", profile_.static_shared_bytes);
  }
  if (static_bytes_ + dynamic_bytes_ > profile_.opt_in_shared_bytes) {
    return limit(static_bytes_ + dynamic_bytes_, "static and dynamic",
                 profile_.opt_in_shared_bytes);
  }
  const std::size_t used = static_cast<std::size_t>(free_ - static_pages_->begin());
  const std::size_t start = align(used, std::max(site.alignment, kLeastAlignment));
  const std::size_t end = start + site.bytes;
  const std::size_t next = align(end, kLeastAlignment) + kRedZone;
  std::byte* const base = static_pages_->begin();
  if (next > static_cast<std::size_t>(static_pages_->end() - base)) {
    return "more declarations of shared memory than the executor has room for";
  }
  const auto index = static_cast<std::size_t>(number_of(site));
  if (index >= table_.size()) table_.resize(index + 1, nullptr);
  table_[index] = base + start;
  regions_.push_back(
      {index, base + start, site.bytes, site.name, GuardBand(base + end, base + next)});
  std::memset(base + start, 0xFF, site.bytes);
  free_ = base + next;
  return {};
}

const char* SharedMemory::overrun() const {
  for (const Region& region : regions_) {
    if (!region.red_zone.intact()) return region.name;
  }
  return dynamic_slack_.intact() ? nullptr : kDynamicName;
}

}  // namespace simt::executor
