// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "simt/memory/guarded_pages.h"

namespace simt {

/// How findings call memory and what lies in it.
struct ElementNames {
  std::string whole;  ///< "weight[128]"
  /// "weight[3]", of a byte counted from the first one, which may lie outside.
  std::function<std::string(std::int64_t byte)> at;
};

/// Memory of the executor that is known by name for as long as this lives: the address of a
/// fault in it, or near it, is reported with the name.
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

/// "weight[3]", "weight[320], 768 bytes past the end of weight[128]", "weight[-3], 12
/// bytes before weight[128]"; empty for an address in no executor memory, nor near one.
std::string describe_address(const void* address);

/// Names what lies in the Memory whose data() this is; without it findings count bytes. Nothing
/// happens for memory of the device.
void name_elements(const void* memory, const ElementNames& names);

}  // namespace simt
