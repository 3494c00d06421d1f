// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace simt {

/// The byte of memory that nobody may touch, or that nobody has written: a NaN of every float type.
inline constexpr std::byte kPoison{0xFF};

/// The size of a page of memory in bytes.
std::size_t page_size();

/// Zeroed memory between two stretches that nobody may touch. Throws std::bad_alloc.
class GuardedPages {
 public:
  /// The number of addresses without memory on each side. It is so large that an index of another
  /// tensor, or of another dimension, does not land in a neighbour.
  static constexpr std::size_t kForbiddenBytes = std::size_t{1} << 24;

  /// Makes at least `bytes` bytes, rounded up to pages.
  explicit GuardedPages(std::size_t bytes);
  ~GuardedPages();
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  std::byte* begin() const { return begin_; }
  std::byte* end() const { return end_; }  ///< the first forbidden byte behind
  const std::byte* forbidden_begin() const { return begin_ - kForbiddenBytes; }
  const std::byte* forbidden_end() const { return end_ + kForbiddenBytes; }

 private:
  std::byte* begin_;
  std::byte* end_;
};

/// A stretch that only guards. It is filled with NaN bytes, so that a read from it shows in results
/// and a write is detected. AddressSanitizer, if it is on, reports any touch at once.
class GuardBand {
 public:
  GuardBand() = default;
  /// Fills [begin, end) with NaN bytes, and forbids it to AddressSanitizer.
  GuardBand(std::byte* begin, std::byte* end);
  /// The number of bytes from the start of the band up to the first write: its size if intact.
  std::size_t intact_bytes() const;
  bool intact() const { return intact_bytes() == size(); }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  /// Makes the stretch ordinary memory again.
  void lift() const;

 private:
  std::byte* begin_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace simt
