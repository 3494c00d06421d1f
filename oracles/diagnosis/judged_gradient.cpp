// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/judged_gradient.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/claim/stage_traits.h"
#include "core/error.h"

namespace gradproof::diagnosis {
namespace {

/// Elements of x in a part.
constexpr std::int64_t kPart = 4096;
/// A group with more elements than this is divided, into so many rows or columns at least.
constexpr std::int64_t kLarge = 2 * kPart;
constexpr std::int64_t kFewest = 16;

/// The numbers 0 to size - 1, in chunks of `each`: those with the largest counts first, but in
/// rising order in each chunk.
std::vector<Indices> chunks_of(std::int64_t size, std::int64_t each, const Indices& counts) {
  Indices all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  std::stable_sort(all.begin(), all.end(), [&](std::int64_t a, std::int64_t b) {
    return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
  });
  std::vector<Indices> chunks;
  std::int64_t first = 0;
  do {  // where there are no numbers, the chunk is empty
    chunks.emplace_back(all.begin() + first, all.begin() + std::min(size, first + each));
    std::sort(chunks.back().begin(), chunks.back().end());
    first += each;
  } while (first < size);
  return chunks;
}

}  // namespace

Use use_of(const CompiledPipeline& pipeline, std::size_t slot) {
  for (std::size_t step = 0; step < pipeline.lines.size(); ++step)
    for (std::size_t place = 0; place < 2; ++place)
      if (pipeline.lines[step].numbers[place] == static_cast<int>(slot)) return {step, place};
  throw InstrumentError("no step uses '" + pipeline.numbers[slot].name + "'");
}

JudgedGradient::JudgedGradient(const Claim& of, const Tensors& from,
                               const std::optional<GivenStatistics>& taken,
                               const std::string& gradient, const Tensor& kernels,
                               const Answer& answer)
    : claim(of),
      inputs(from),
      given(taken),
      got(kernels),
      truth(answer),
      geometry(of),
      pipeline(of),
      matrix(of.is_matrix(of.tensor(gradient))) {
  // A parameter's gradient is summed term by term: no stage gives it in closed form.
  for (CompiledStep& line : pipeline.lines) line.scaled_by = CompiledStep::kAbsent;
  if (!matrix) slot = pipeline.number(gradient.substr(2));
  shared = !matrix && pipeline.numbers[slot].shared;
  for (std::int64_t index = 0; index < got.numel(); ++index)
    if (entry(index).wrong) wrong.push_back(index);
}

ComparedEntry JudgedGradient::entry(std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
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

bool JudgedGradient::is_chain() const {
  int norms = 0;
  for (std::size_t k = 0; k < pipeline.lines.size(); ++k) {
    if (pipeline.lines[k].input != k) return false;
    norms += traits_of(pipeline.lines[k].kind).is_norm() ? 1 : 0;
  }
  return norms <= 1;
}

std::vector<Part> JudgedGradient::parts() const {
  const bool divided = is_grouped() && claim.rows * claim.block_width() > kLarge && has_given();
  const bool by_row = divided && matrix;
  const bool by_column = divided && !matrix && use_of(pipeline, slot).step >= pipeline.norm;
  const std::int64_t width = by_column ? 1 : claim.block_width();
  const std::int64_t pieces = claim.cols / width;
  const std::int64_t height = by_row ? std::max(kFewest, kPart / width) : claim.rows;
  Indices counts(static_cast<std::size_t>(pieces));
  Indices of_units(static_cast<std::size_t>(by_row ? pieces * claim.rows : 0));
  for (const std::int64_t index : wrong) {
    const std::int64_t piece = shared ? 0 : col_of(index) / width;
    ++counts[static_cast<std::size_t>(piece)];
    if (by_row) ++of_units[static_cast<std::size_t>(piece * claim.rows + row_of(index))];
  }
  const std::int64_t most = kPart / std::max<std::int64_t>(1, height * width);
  const std::int64_t each = shared ? pieces : std::max(by_column ? kFewest : 1, most);
  std::vector<Part> all;
  for (const Indices& chunk : chunks_of(pieces, each, counts)) {
    Indices columns;
    for (const std::int64_t piece : chunk)
      for (std::int64_t i = 0; i < width; ++i) columns.push_back(piece * width + i);
    const auto of_piece = of_units.begin() + (by_row ? chunk.front() * claim.rows : 0);
    const Indices of_rows = by_row ? Indices(of_piece, of_piece + claim.rows)
                                   : Indices(static_cast<std::size_t>(claim.rows));
    for (Indices& rows : chunks_of(claim.rows, std::max<std::int64_t>(1, height), of_rows))
      all.push_back({std::move(rows), columns});
  }
  return all;
}

}  // namespace gradproof::diagnosis
