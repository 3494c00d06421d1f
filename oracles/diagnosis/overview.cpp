// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/overview.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/compare/bad_set.h"
#include "oracles/diagnosis/fit.h"

namespace gradproof::diagnosis {
namespace {

constexpr std::size_t kShown = 8;
/// Entries that are kept at most: each takes 64 bytes.
constexpr std::int64_t kMost = std::int64_t{1} << 21;

/// Whether the entry holds the bytes 0xFF that unwritten memory has.
bool is_poison(const Tensor& tensor, std::int64_t index) {
  const auto size = size_of(tensor.dtype());
  const std::byte* first =
      tensor.bytes().data() + static_cast<std::size_t>(tensor.position(index)) * size;
  return std::all_of(first, first + size, [](std::byte b) { return b == std::byte{0xFF}; });
}

/// Builds an Overview from the wrong entries.
class OverviewBuilder {
 public:
  explicit OverviewBuilder(const Question& q)
      : q_(q), extents_(extents_of(q.got.shape(), q.claim.groups > 0 ? q.claim.block_width() : 0)) {
    const Target target = target_of(q);
    shared_ = target.shared;
    if (q.claim.groups > 0 && target.matrix)
      overview_.by_unit.resize(static_cast<std::size_t>(q.claim.rows * q.claim.groups));
  }

  void take(const ComparedEntry& entry) {
    const std::int64_t width = q_.claim.block_width();
    const std::int64_t col = shared_ ? 0 : entry.index % q_.claim.cols;
    ++overview_.wrong;
    overview_.nonfinite += std::isfinite(entry.got) ? 0 : 1;
    overview_.poisoned += is_poison(q_.got, entry.index) ? 1 : 0;
    overview_.most_bits += most_bits(entry, q_.got.dtype());
    ++overview_.by_block[col / width];
    if (!overview_.by_unit.empty())
      ++overview_.by_unit[static_cast<std::size_t>(entry.index / width)];
    bad_.add(entry.index, extents_);
    columns_.insert(col);
    take_worst(entry);
  }

  Overview finish() {
    for (const ComparedEntry& entry : worst_) overview_.worst.push_back(entry.index);
    overview_.columns.assign(columns_.begin(), columns_.end());
    overview_.pattern = pattern_of(bad_, extents_, overview_.columns);
    return std::move(overview_);
  }

 private:
  void take_worst(const ComparedEntry& entry) {
    const auto behind = std::upper_bound(
        worst_.begin(), worst_.end(), entry.ratio,
        [](double ratio, const ComparedEntry& other) { return ratio > other.ratio; });
    worst_.insert(behind, entry);
    if (worst_.size() > kShown) worst_.pop_back();
  }

  const Question& q_;
  Extents extents_;
  bool shared_ = false;
  BadSet bad_;
  ComparedEntries worst_;
  std::set<std::int64_t> columns_;
  Overview overview_;
};

}  // namespace

Overview overview_of(const Question& question) {
  Answer answer = answer_of(question);
  OverviewBuilder builder(question);
  ComparedEntries entries;
  const std::int64_t size = question.got.numel();
  for (std::int64_t index = 0; index < size; ++index) {
    const ComparedEntry entry = compared(question, answer, index);
    if (entry.wrong) builder.take(entry);
    if (size <= kMost) entries.push_back(entry);
  }
  Overview overview = builder.finish();
  overview.answer = std::move(answer);
  overview.entries = std::move(entries);
  return overview;
}

}  // namespace gradproof::diagnosis
