// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/judged_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"

namespace gradproof::diagnosis {
namespace {

/// Elements of x in a part.
constexpr std::int64_t kPart = 4096;
/// A group with more elements than this is divided, into so many columns at least if it has them.
constexpr std::int64_t kLarge = 2 * kPart;
constexpr std::int64_t kFewest = 16;

Indices numbers_to(std::int64_t size) {
  Indices all(at(size));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

/// The numbers of these counts, in chunks of `each`: those with the largest counts first, but in
/// rising order in each chunk. Without counts the one chunk is empty.
std::vector<Indices> chunks_of(const Indices& counts, std::int64_t each) {
  Indices all = numbers_to(std::ssize(counts));
  std::stable_sort(all.begin(), all.end(),
                   [&](std::int64_t a, std::int64_t b) { return counts[at(a)] > counts[at(b)]; });
  std::vector<Indices> chunks;
  auto first = all.begin();
  do {
    const auto last = first + std::min<std::ptrdiff_t>(each, all.end() - first);
    std::sort(first, last);
    chunks.emplace_back(first, last);
    first = last;
  } while (first != all.end());
  return chunks;
}

}  // namespace

std::size_t user_of(const CompiledPipeline& pipeline, std::size_t slot) {
  for (std::size_t step = 0; step < pipeline.lines.size(); ++step)
    for (const int number : pipeline.lines[step].numbers)
      if (number == static_cast<int>(slot)) return step;
  throw InstrumentError("no step uses '" + pipeline.numbers[slot].name + "'");
}

CompiledPipeline replayed_pipeline(const Claim& claim) {
  CompiledPipeline pipeline(claim);
  for (CompiledStep& line : pipeline.lines) line.scaled_by = CompiledStep::kAbsent;
  return pipeline;
}

Indices JudgedGradient::wrong_entries() const {
  Indices all;
  for (std::int64_t index = 0; index < got.numel(); ++index)
    if (entry(index).wrong) all.push_back(index);
  return all;
}

ComparedEntry JudgedGradient::entry(std::int64_t index) const {
  const std::size_t i = at(index);
  const double number = got.at(index);
  const NumberClass want = class_of(truth.hi[i]);
  const bool off_range = !truth.any_nonfinite.empty() && truth.any_nonfinite[i] != 0;
  const bool same = class_of(number) == want;
  const bool finite = same && want == NumberClass::finite;
  const double error = finite ? std::fabs((number - truth.hi[i]) - truth.lo[i]) : 0;
  const bool is_wrong = same ? error > truth.bound[i] + truth.radius[i]
                             : !(off_range && class_of(number) != NumberClass::finite);
  const LongDouble low = finite || !same ? LongDouble(truth.lo[i]) : LongDouble(0);
  const double infinity = std::numeric_limits<double>::infinity();
  const double ratio = !is_wrong ? 0 : error == 0 ? infinity : error / truth.bound[i];
  return {index, number, LongDouble(truth.hi[i]) + low, truth.bound[i], ratio, is_wrong};
}

std::vector<Part> JudgedGradient::parts() const {
  const std::int64_t block = claim.block_width();
  const bool by_row = is_grouped() && matrix;
  const bool by_column = is_grouped() && !matrix && !shared && claim.rows() * block > kLarge &&
                         has_given() && user_of(pipeline, slot) >= pipeline.norm;
  const std::int64_t width = shared ? claim.cols() : by_column ? 1 : block;
  const std::int64_t size = std::max<std::int64_t>(1, by_row ? claim.cols() : claim.rows() * width);
  Indices counts(at(by_row ? claim.rows() : claim.cols() / width));
  for (const std::int64_t index : wrong)
    if (!shared) ++counts[at(by_row ? row_of(index) : col_of(index) / width)];
  std::vector<Part> all;
  const std::int64_t fewest = by_column ? std::min(kFewest, block) : 1;
  for (const Indices& pieces : chunks_of(counts, std::max(fewest, kPart / size))) {
    Part& part = all.emplace_back();
    part.rows = by_row ? pieces : numbers_to(claim.rows());
    if (by_row) part.columns = numbers_to(claim.cols());
    for (const std::int64_t piece : pieces)
      for (std::int64_t i = 0; i < width && !by_row; ++i) part.columns.push_back(piece * width + i);
  }
  return all;
}

}  // namespace gradproof::diagnosis
