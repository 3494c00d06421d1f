// SPDX-License-Identifier: Apache-2.0
#include "simt/memory/named_memory.h"

#include <mutex>
#include <utility>
#include <vector>

namespace simt {
namespace {

struct Known {
  std::mutex mutex;
  std::vector<NamedMemory*> memories;
  /// It is never destroyed: the pool's threads, whose memory is noted here, end after main() has.
  static Known& instance() {
    static Known& known = *new Known;
    return known;
  }
};

ElementNames bytes_of(const std::string& name, std::size_t bytes) {
  return {name + " (" + std::to_string(bytes) + " bytes)",
          [name](std::int64_t byte) { return name + " at byte " + std::to_string(byte); }};
}

}  // namespace

NamedMemory::NamedMemory(const GuardedPages& pages, const std::byte* begin, std::size_t bytes,
                         const std::string& name)
    : pages_(pages), begin_(begin), end_(begin + bytes), names_(bytes_of(name, bytes)) {
  const std::lock_guard lock(Known::instance().mutex);
  Known::instance().memories.push_back(this);
}

NamedMemory::~NamedMemory() {
  const std::lock_guard lock(Known::instance().mutex);
  std::erase(Known::instance().memories, this);
}

bool NamedMemory::knows(const std::byte* address) const {
  return address >= pages_.forbidden_begin() && address < pages_.forbidden_end();
}

std::string NamedMemory::describe(const std::byte* address) const {
  const std::string place = names_.at(address - begin_);
  if (address < begin_)
    return place + ", " + std::to_string(begin_ - address) + " bytes before " + names_.whole;
  if (address < end_) return place;
  return place + ", " + std::to_string(address - end_) + " bytes past the end of " + names_.whole;
}

std::string describe_address(const void* address) {
  const auto* const byte = static_cast<const std::byte*>(address);
  const std::lock_guard lock(Known::instance().mutex);
  for (const NamedMemory* memory : Known::instance().memories)
    if (memory->knows(byte)) return memory->describe(byte);
  return {};
}

void name_elements(const void* memory, const ElementNames& names) {
  const std::lock_guard lock(Known::instance().mutex);
  for (NamedMemory* known : Known::instance().memories)
    if (known->begin_ == memory) known->names_ = names;
}

}  // namespace simt
