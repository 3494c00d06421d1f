// SPDX-License-Identifier: Apache-2.0
#include "simt/memory/guarded_pages.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace simt {
std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

GuardedPages::GuardedPages(std::size_t bytes) {
  const std::size_t page = page_size();
  const std::size_t usable = (bytes + page - 1) / page * page;
  const std::size_t all = usable + 2 * kForbiddenBytes;
  void* const base =
      mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  begin_ = static_cast<std::byte*>(base) + kForbiddenBytes;
  end_ = begin_ + usable;
  if (usable != 0 && mprotect(begin_, usable, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, all);
    throw std::bad_alloc();
  }
}

GuardedPages::~GuardedPages() {
  munmap(begin_ - kForbiddenBytes, static_cast<std::size_t>(end_ - begin_) + 2 * kForbiddenBytes);
}

GuardBand::GuardBand(std::byte* begin, std::byte* end) : begin_(begin), end_(end) {
  std::memset(begin_, 0xFF, size());
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(begin_, size());
#endif
}

std::size_t GuardBand::intact_bytes() const {
#if defined(__SANITIZE_ADDRESS__)
  return size();
#else
  const auto touched = std::find_if(begin_, end_, [](std::byte byte) { return byte != kPoison; });
  return static_cast<std::size_t>(touched - begin_);
#endif
}

void GuardBand::lift() const {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(begin_, size());
#endif
}

}  // namespace simt
