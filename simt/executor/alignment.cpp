// SPDX-License-Identifier: Apache-2.0
// A device answers an access that is not aligned to its type with an error, the processor here
// mostly with the value. So kernels are compiled with -fsanitize=alignment, and what g++ then calls
// in front of such an access is defined here, in place of its own runtime
// (libsanitizer/ubsan/ubsan_handlers.h in GCC's sources).
#if !defined(__SANITIZE_ADDRESS__)  // that build links the runtime
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "simt/executor/block.h"
#include "simt/executor/findings.h"
#include "simt/memory/named_memory.h"

namespace simt::executor {
namespace {

/// TypeMismatchData of the runtime.
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

}  // namespace
}  // namespace simt::executor

extern "C" [[noreturn]] void __ubsan_handle_type_mismatch_v1_abort(void* data, void* address) {
  using namespace simt::executor;
  const auto& access = *static_cast<const Access*>(data);
  if (running.scheduler == nullptr) {
    std::fprintf(stderr, "gradproof: the host %s\n", text_of(access, address).c_str());
    std::abort();
  }
  running.scheduler->report_thread("misaligned-access", Where(), text_of(access, address));
  running.scheduler->abandon();
}
#endif
