// SPDX-License-Identifier: Apache-2.0
// A device answers an access that is not aligned to its type with an error; the processor here
// mostly returns the value. Neither notices an index past a thread's own array: registers and
// stack have no guard bands. So kernels are compiled with -fsanitize=alignment,bounds, and the
// functions that g++ then calls in front of such an access are defined here, in place of its own
// runtime (libsanitizer/ubsan/ubsan_handlers.h in GCC's sources).
#if !defined(__SANITIZE_ADDRESS__)  // that build links the runtime
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "simt/executor/block.h"
#include "simt/executor/findings.h"
#include "simt/memory/named_memory.h"

namespace simt::executor {
namespace {

/// The TypeMismatchData of the runtime.
struct Access {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
  const void* type;
  unsigned char log_alignment;
  unsigned char kind;  ///< 0 a load, 1 a store, others: members and references
};

std::string text_of(const Access& access, const void* address) {
  const char* const verb = access.kind == 0 ? "reads " : access.kind == 1 ? "writes " : "accesses ";
  const std::string named = describe_address(address);
  const std::string bytes = std::to_string(std::size_t{1} << access.log_alignment);
  return verb + (named.empty() ? "memory of its own" : named) + " at " +
         place(access.file, access.line) + " as something aligned to " + bytes + " bytes";
}

/// The OutOfBoundsData of the runtime, and its TypeDescriptor.
struct TypeName {
  std::uint16_t kind;
  std::uint16_t info;  ///< of an integer: twice the logarithm of its bits, and 1 if it has a sign
  char name[1];        ///< in quotes, longer than one
};
struct Subscript {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
  const TypeName* array;
  const TypeName* index;
};

std::string text_of(const Subscript& subscript, std::uintptr_t index) {
  const bool has_sign = (subscript.index->info & 1) != 0;
  const std::string at =
      has_sign ? std::to_string(static_cast<std::intptr_t>(index)) : std::to_string(index);
  return "takes element " + at + " of " + &subscript.array->name[0] + " at " +
         place(subscript.file, subscript.line);
}

/// Refuses an access: in a thread of a kernel this is a finding, on the host it ends the process.
[[noreturn]] void refuse(const char* kind, const std::string& text) {
  if (running.scheduler == nullptr) {
    std::fprintf(stderr, "gradproof: the host %s\n", text.c_str());
    std::abort();
  }
  running.scheduler->report_thread(kind, Where(), text);
  running.scheduler->abandon();
}

}  // namespace
}  // namespace simt::executor

extern "C" [[noreturn]] void __ubsan_handle_type_mismatch_v1_abort(void* data, void* address) {
  using namespace simt::executor;
  refuse("misaligned-access", text_of(*static_cast<const Access*>(data), address));
}

extern "C" [[noreturn]] void __ubsan_handle_out_of_bounds_abort(void* data, void* index) {
  using namespace simt::executor;
  const auto number = reinterpret_cast<std::uintptr_t>(index);
  refuse("array-bounds", text_of(*static_cast<const Subscript*>(data), number));
}
#endif
