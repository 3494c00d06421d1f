// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/overview.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/compare/bad_set.h"

namespace gradproof::diagnosis {
namespace {

constexpr std::size_t kShown = 8;
/// Entries that are kept at most: each takes 64 bytes.
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

/// Elements of x in the sample on which an explanation is tested first, and in each part on which
/// it is then verified.
constexpr std::int64_t kSample = 4096;
constexpr std::int64_t kTile = std::int64_t{1} << 13;
/// The least rows or columns that are sampled of a block with more than 2 kSample elements.
constexpr std::int64_t kFewest = 16;

using Indices = std::vector<std::int64_t>;

Indices numbers(std::int64_t first, std::int64_t last) {
  Indices all(static_cast<std::size_t>(last - first));
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::int64_t size_of_block(const Claim& claim) {
  return std::max<std::int64_t>(1, claim.rows * claim.block_width());
}

bool has_given_statistics(const Question& q) { return q.given && q.given->mean.numel() > 0; }

/// Whether each row of a group can be replayed alone: its statistics are given, and it decides its
/// entries, or its part of the sum of a gradient of one number.
bool has_rows_of_their_own(const Question& q) {
  const Target target = target_of(q);
  return q.claim.groups > 0 && (target.matrix || target.shared) && has_given_statistics(q);
}

/// Whether each column of a group can be replayed alone: the gradient sums cotangents behind the
/// norm, whose statistics are given.
bool has_columns_of_their_own(const Question& q) {
  const CompiledPipeline compiled(q.claim);
  const std::optional<Use> use = use_of(compiled, target_of(q));
  return use.value_or(Use{}).step >= compiled.norm && has_given_statistics(q);
}

/// The blocks with the most wrong entries.
Indices sampled_blocks(const Question& q, const Overview& overview) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranked;
  for (const auto& [block, count] : overview.by_block) ranked.emplace_back(-count, block);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(std::max<std::int64_t>(
                                            1, kSample / size_of_block(q.claim)))));
  Indices blocks;
  for (const auto& [count, block] : ranked) blocks.push_back(block);
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

/// `wanted` of the indices whose count is at least half of the largest count, spread evenly.
Indices spread(const Indices& counts, std::int64_t wanted) {
  const std::int64_t most = *std::max_element(counts.begin(), counts.end());
  Indices many;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0 && 2 * counts[i] >= most) many.push_back(static_cast<std::int64_t>(i));
  const auto size = static_cast<std::int64_t>(many.size());
  if (size <= wanted) return many;
  Indices some;
  for (std::int64_t k = 0; k < wanted; ++k)
    some.push_back(many[static_cast<std::size_t>(k * (size - 1) / (wanted - 1))]);
  return some;
}

/// The rows of this block with many wrong entries.
Indices sampled_rows(const Claim& claim, const Overview& overview, std::int64_t block) {
  Indices counts;
  for (std::int64_t row = 0; row < claim.rows; ++row)
    counts.push_back(overview.by_unit[static_cast<std::size_t>(row * claim.groups + block)]);
  return spread(counts, std::max(kFewest, kSample / claim.block_width()));
}

/// The columns whose sum is wrong, of these.
Indices sampled_columns(const Claim& claim, const Overview& overview, const Indices& columns) {
  Indices counts(static_cast<std::size_t>(claim.cols));
  for (const std::int64_t col : overview.columns)
    if (std::binary_search(columns.begin(), columns.end(), col))
      counts[static_cast<std::size_t>(col)] = 1;
  return spread(counts, std::max(kFewest, kSample / claim.rows));
}

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

std::vector<Part> parts_of(const Question& q) {
  const Claim& claim = q.claim;
  std::vector<Part> all;
  if (has_rows_of_their_own(q)) {
    const std::int64_t each =
        std::max<std::int64_t>(1, kTile / std::max<std::int64_t>(1, claim.cols));
    for (std::int64_t first = 0; first < claim.rows; first += each)
      all.push_back({numbers(first, std::min(claim.rows, first + each)), numbers(0, claim.cols)});
    return all;
  }
  const std::int64_t each = std::max<std::int64_t>(1, kTile / size_of_block(claim));
  for (std::int64_t first = 0; first < claim.blocks(); first += each)
    all.push_back(part_of(claim, numbers(first, std::min(claim.blocks(), first + each))));
  return all;
}

Part sample_of(const Question& q, const Overview& overview) {
  const Claim& claim = q.claim;
  const Target target = target_of(q);
  if (target.shared) return part_of(claim, numbers(0, claim.blocks()));
  const Indices blocks = sampled_blocks(q, overview);
  Part part = part_of(claim, blocks);
  if (claim.groups == 0 || size_of_block(claim) <= 2 * kSample) return part;
  if (has_rows_of_their_own(q))
    part.rows = sampled_rows(claim, overview, blocks.front());
  else if (!target.matrix && has_columns_of_their_own(q))
    part.columns = sampled_columns(claim, overview, part.columns);
  return part;
}

}  // namespace gradproof::diagnosis
