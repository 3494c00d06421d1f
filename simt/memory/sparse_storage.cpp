// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "simt/memory/guarded_pages.h"
#include "simt/memory/named_memory.h"
#include "simt/memory/storage.h"

namespace simt {
namespace {

using PageAnswers = std::vector<unsigned char>::const_iterator;

/// The first page from `at` on that is in memory according to mincore().
PageAnswers next_there(PageAnswers at, PageAnswers end) {
  constexpr std::uint64_t kEight = 0x0101010101010101;
  for (std::uint64_t eight = 0; end - at >= 8; at += 8) {
    std::memcpy(&eight, &*at, sizeof eight);
    if ((eight & kEight) != 0) break;
  }
  return std::find_if(at, end, [](unsigned char answer) { return (answer & 1) != 0; });
}

GuardedPages reserve(std::size_t bytes, const std::string& name) {
  try {
    return GuardedPages(bytes);
  } catch (const std::bad_alloc&) {
    throw NoRoom(too_large(name, bytes, "of addresses"));
  }
}

/// Reserved addresses, of which a page exists from its first upload on. The operating system knows
/// which other pages were touched, even by a read.
/// Offsets count from the first reserved byte, which is the start of a page.
class SparseStorage final : public Storage {
 public:
  SparseStorage(std::size_t bytes, const std::string& name)
      : pages_(reserve(kGuardBytes + rounded(bytes), name)),
        start_(size() - rounded(bytes)),
        named_(pages_, pages_.begin() + start_, bytes, name) {
    // MADV_NOHUGEPAGE keeps one touch from creating a huge page.
    madvise(pages_.begin(), size(), MADV_NOHUGEPAGE);
  }

  void* data() override { return pages_.begin() + start_; }

  void upload(const void* from, std::size_t bytes, std::size_t offset) override {
    const std::size_t begin = start_ + offset;
    for (std::size_t page = begin / page_size(); page * page_size() < begin + bytes; ++page)
      if (known_.insert(page).second)
        std::memset(pages_.begin() + page * page_size(), 0xFF, page_size());
    std::memcpy(pages_.begin() + begin, from, bytes);
    uploaded_.push_back({begin, begin + bytes});
  }

  void download(void* to, std::size_t bytes, std::size_t offset) const override {
    std::memcpy(to, pages_.begin() + start_ + offset, bytes);
  }

  std::string guard_damage() const override {
    const std::string near = damage_on_known_pages();
    return near.empty() ? touched_elsewhere() : near;
  }

 private:
  static std::size_t rounded(std::size_t bytes) {
    return (bytes + Memory::kAlignment - 1) / Memory::kAlignment * Memory::kAlignment;
  }
  std::size_t size() const { return static_cast<std::size_t>(pages_.end() - pages_.begin()); }

  /// The offset counted from the first byte of the memory; negative if the byte lies before it.
  std::int64_t byte(std::size_t offset) const {
    return static_cast<std::int64_t>(offset) - static_cast<std::int64_t>(start_);
  }

  /// Only the first and the last page of a gap can exist, because nothing was uploaded in between.
  std::string damage_on_known_pages() const {
    const std::size_t page = page_size();
    for (const Gap& gap : gaps_between(uploaded_, size())) {
      const std::size_t first = gap.begin / page;
      const std::size_t last = (gap.end - 1) / page;
      for (const std::size_t at : {first, last}) {
        if (!known_.contains(at)) continue;
        const std::byte* const begin = pages_.begin() + std::max(gap.begin, at * page);
        const std::byte* const end = pages_.begin() + std::min(gap.end, (at + 1) * page);
        const auto* const wrong =
            std::find_if(begin, end, [](std::byte byte) { return byte != kPoison; });
        if (wrong != end)
          return describe_gap_damage(byte(static_cast<std::size_t>(wrong - pages_.begin())));
      }
    }
    return {};
  }

  std::string touched_elsewhere() const {
    constexpr std::size_t kPages = std::size_t{1} << 20;  // a byte of the answer each
    const std::size_t all = size() / page_size();
    std::vector<unsigned char> resident(std::min(kPages, all));
    for (std::size_t first = 0; first < all; first += kPages) {
      const std::size_t count = std::min(kPages, all - first);
      const int error =
          mincore(pages_.begin() + first * page_size(), count * page_size(), resident.data());
      if (error != 0) return "cannot be looked through for stray writes";
      const PageAnswers end = resident.cbegin() + static_cast<std::ptrdiff_t>(count);
      // Nearly all pages are absent, and eight absent ones are skipped at once.
      for (PageAnswers at = next_there(resident.cbegin(), end); at != end;
           at = next_there(at + 1, end)) {
        const std::size_t page = first + static_cast<std::size_t>(at - resident.cbegin());
        if (!known_.contains(page))
          return "touched on the page at byte " + std::to_string(byte(page * page_size())) +
                 ", far from its elements";
      }
    }
    return {};
  }

  GuardedPages pages_;
  std::size_t start_;
  NamedMemory named_;
  std::set<std::size_t> known_;  ///< pages that an upload made
  std::vector<Gap> uploaded_;
};

}  // namespace

std::unique_ptr<Storage> make_sparse_storage(std::size_t bytes, const std::string& name) {
  return std::make_unique<SparseStorage>(bytes, name);
}

}  // namespace simt
