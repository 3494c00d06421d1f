// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "simt/memory/guarded_pages.h"

namespace simt {

/// The names that findings give to memory and to its elements.
struct ElementNames {
  std::string whole;  ///< "weight[128]"
  /// "weight[3]" for a byte, counted from the first byte of the memory; it may lie outside.
  std::function<std::string(std::int64_t byte)> at;
};

/// Memory of the executor that has a name while the NamedMemory lives: the address of a fault in
/// the memory, or near it, is reported with the name.
class NamedMemory {
 public:
  NamedMemory(const GuardedPages& pages, const std::byte* begin, std::size_t bytes,
              const std::string& name);
  ~NamedMemory();
  NamedMemory(const NamedMemory&) = delete;
  NamedMemory& operator=(const NamedMemory&) = delete;

 private:
  friend std::string describe_address(const void* address);
  friend void name_elements(const void* memory, const ElementNames& names);
  bool knows(const std::byte* address) const;
  std::string describe(const std::byte* address) const;

  const GuardedPages& pages_;
  const std::byte* begin_;
  const std::byte* end_;
  ElementNames names_;
};

/// The text "weight[3]", "weight[320], 768 bytes past the end of weight[128]" or "weight[-3], 12
/// bytes before weight[128]"; empty if the address is neither in nor near the executor's memory.
std::string describe_address(const void* address);

/// Names the elements of the Memory whose data() is `memory`; without names findings count bytes.
/// The call does nothing for memory of the device.
void name_elements(const void* memory, const ElementNames& names);

}  // namespace simt
