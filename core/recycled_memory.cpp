// SPDX-License-Identifier: Apache-2.0
#include "core/recycled_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>

namespace gradproof {
namespace {

constexpr std::align_val_t kAlignment{kRecycledAlignment};

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kKeptBytes = 0;  // so that it sees each use of freed memory
#else
constexpr std::size_t kKeptBytes = 1 << 20;  ///< of each size, by one thread
#endif

/// Four sizes between two powers of two, from kRecycledAlignment on.
constexpr std::size_t kLeast = std::bit_width(kRecycledAlignment) - 1;
constexpr std::size_t kSizes = 4 * (std::bit_width(kRecycledBytes) - kLeast);

struct Size {
  std::size_t place = 0;
  std::size_t bytes = 0;
};

Size size_of(std::size_t asked) {
  const std::size_t units = std::max<std::size_t>(asked, kRecycledAlignment) - 1;
  const auto power = static_cast<std::size_t>(std::bit_width(units)) - 1;
  const std::size_t quarter = (std::size_t{1} << power) / 4;
  const std::size_t more = (units - (std::size_t{1} << power)) / quarter;
  return {4 * (power + 1 - kLeast) + more, (std::size_t{1} << power) + (more + 1) * quarter};
}

struct Freed {
  Freed* next = nullptr;
};

thread_local constinit bool thread_ended = false;

class FreedByThread {
 public:
  constexpr FreedByThread() = default;
  FreedByThread(const FreedByThread&) = delete;
  FreedByThread& operator=(const FreedByThread&) = delete;
  ~FreedByThread() {
    thread_ended = true;
    for (Freed* each : first_)
      while (each != nullptr) ::operator delete(std::exchange(each, each->next), kAlignment);
  }

  void* take(std::size_t place) {
    Freed* const found = first_[place];
    if (found == nullptr) return nullptr;
    first_[place] = found->next;
    --count_[place];
    return found;
  }
  bool keep(const Size& size, void* memory) {
    if ((count_[size.place] + 1) * size.bytes > kKeptBytes) return false;
    first_[size.place] = ::new (memory) Freed{first_[size.place]};
    ++count_[size.place];
    return true;
  }

 private:
  std::array<Freed*, kSizes> first_{};
  std::array<std::size_t, kSizes> count_{};
};

thread_local FreedByThread freed;

}  // namespace

void* take_recycled(std::size_t bytes) {
  const Size size = size_of(bytes);
  if (!thread_ended)
    if (void* const found = freed.take(size.place)) return found;
  return ::operator new(size.bytes, kAlignment);
}

void recycle(void* memory, std::size_t bytes) noexcept {
  if (thread_ended || !freed.keep(size_of(bytes), memory)) ::operator delete(memory, kAlignment);
}

}  // namespace gradproof
