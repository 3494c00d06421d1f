// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/fibers/stack.h"

#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
/// By default GCC 13 gives each fiber a second stack to find uses of a frame that has returned;
/// this would take 1 MB for each thread of a kernel.
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }
#endif

namespace simt::executor {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackBytes = 256 * 1024;
#else
constexpr std::size_t kStackBytes = 64 * 1024;
#endif
constexpr std::size_t kLine = 64;
constexpr std::size_t kColours = 61;

}  // namespace

StackPool::~StackPool() {
  for (const Mapping& mapping : mappings_) munmap(mapping.base, mapping.bytes);
}

void StackPool::grow() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = kStackBytes + page;
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  mappings_.push_back({base, bytes});
  // mprotect may fail if the process has too many mappings; the stack works all the same.
  static_cast<void>(mprotect(base, page, PROT_NONE));
  auto* const bottom = static_cast<std::byte*>(base) + page;
  const std::size_t colour = stacks_.size() % kColours * kLine;
  stacks_.push_back(std::make_unique<Stack>(Stack{bottom, bottom + kStackBytes - colour}));
  idle_.push_back(stacks_.back().get());
}

void StackPool::reclaim() {
  idle_.clear();
  for (const auto& stack : stacks_) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack->bottom, stack->size());
#endif
    idle_.push_back(stack.get());
  }
}

}  // namespace simt::executor
