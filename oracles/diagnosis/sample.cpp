// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/sample.h"

#include <algorithm>
#include <numeric>

namespace gradproof::diagnosis {
namespace {

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
