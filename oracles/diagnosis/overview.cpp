// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/overview.h"

#include <algorithm>
#include <set>

#include "core/compare/bad_set.h"

namespace gradproof::diagnosis {
namespace {

constexpr std::size_t kShown = 8;
/// Entries of one batch: each takes some 50 bytes.
constexpr std::int64_t kMost = std::int64_t{1} << 21;

/// Whether the entry holds the bytes 0xFF that unwritten memory has, or these without the sign bit:
/// arithmetic passes the bits of a NaN on, and a compiler is free to negate it on the way.
bool is_poison(const Tensor& tensor, std::int64_t index) {
  const auto size = size_of(tensor.dtype());
  const std::byte* first =
      tensor.bytes().data() + static_cast<std::size_t>(tensor.position(index)) * size;
  const std::byte* top = first + size - 1;
  return (*top | std::byte{0x80}) == std::byte{0xFF} &&
         std::all_of(first, top, [](std::byte b) { return b == std::byte{0xFF}; });
}

/// Builds an Overview from all entries, batch by batch.
class OverviewBuilder {
 public:
  explicit OverviewBuilder(const Question& q)
      : q_(q), extents_(extents_of(q.got.shape(), q.claim.groups > 0 ? q.claim.block_width() : 0)) {
    if (q.claim.groups > 0 && target_of(q).matrix)
      overview_.by_unit.resize(static_cast<std::size_t>(q.claim.rows * q.claim.groups));
  }

  void take(const Observation& e) {
    for (std::size_t i = 0; i < e.got.size(); ++i)
      if (e.wrong[i] != 0) take_wrong(e, i);
    overview_.most_bits += most_bits(e);
    const auto keep = std::min(kShown, overview_.worst.size());
    std::partial_sort(overview_.worst.begin(), overview_.worst.begin() + static_cast<long>(keep),
                      overview_.worst.end(), [](const Entry& a, const Entry& b) {
                        return a.ratio > b.ratio || (a.ratio == b.ratio && a.index < b.index);
                      });
    overview_.worst.resize(keep);
  }

  Overview finish() {
    overview_.columns.assign(columns_.begin(), columns_.end());
    overview_.pattern = pattern_of(bad_, extents_, overview_.columns);
    return std::move(overview_);
  }

 private:
  void take_wrong(const Observation& e, std::size_t i) {
    const std::int64_t index = e.index[i];
    const std::int64_t col = e.target.shared ? 0 : index % q_.claim.cols;
    ++overview_.wrong;
    overview_.nonfinite += std::isfinite(e.got[i]) ? 0 : 1;
    overview_.poisoned += is_poison(q_.got, index) ? 1 : 0;
    ++overview_.by_block[col / q_.claim.block_width()];
    if (!overview_.by_unit.empty())
      ++overview_.by_unit[static_cast<std::size_t>(index / q_.claim.block_width())];
    overview_.worst.push_back({e.ratio[i], index});
    bad_.add(index, extents_);
    columns_.insert(col);
  }

  const Question& q_;
  Extents extents_;
  BadSet bad_;
  std::set<std::int64_t> columns_;
  Overview overview_;
};

}  // namespace

std::vector<std::int64_t> Overview::worst_entries() const {
  std::vector<std::int64_t> all;
  for (const Entry& entry : worst) all.push_back(entry.index);
  return all;
}

Overview overview_of(const Question& question) {
  Answer answer = answer_of(question);
  OverviewBuilder builder(question);
  std::optional<Observation> entries;
  const std::int64_t size = question.got.numel();
  for (std::int64_t first = 0; first < size; first += kMost) {
    entries = entries_of(question, answer, first, std::min(size, first + kMost));
    builder.take(*entries);
  }
  if (size > kMost) entries.reset();
  Overview overview = builder.finish();
  overview.answer = std::move(answer);
  overview.entries = std::move(entries);
  return overview;
}

}  // namespace gradproof::diagnosis
