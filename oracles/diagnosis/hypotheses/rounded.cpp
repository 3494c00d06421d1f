// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/families.h"

namespace gradproof::diagnosis {
namespace {

/// The most chunks of a hypothesis.
constexpr std::int64_t kMostChunks = 512;

/// `count` chunks of `rows` rows each; the first `longer` chunks have one row more.
struct Chunks {
  std::int64_t count = 1;
  std::int64_t rows = 1;
  std::int64_t longer = 0;

  std::int64_t first(std::int64_t chunk) const { return chunk * rows + std::min(chunk, longer); }
};

/// Rows shared out evenly over the chunks, the longer chunks first.
Chunks chunks_of(std::int64_t rows, std::int64_t count) {
  return {count, rows / count, rows % count};
}

/// Sums of the terms of the first 0, 1, ... rows of a column.
Matrix prefix_of(const ReplayedPipeline& replayed, const Terms& terms, std::int64_t col) {
  Matrix prefix(1);
  for (std::int64_t row = 0; row < replayed.rows(); ++row) {
    const TrackedReal term = terms(static_cast<std::size_t>(row * replayed.cols() + col));
    const TrackedReal& before = prefix.back();
    prefix.push_back({before.value + term.value, before.error + term.error + size_of(term)});
  }
  return prefix;
}

/// A sum of rounded sums, and how far a kernel's sum may be off.
struct Rounded {
  LongDouble value = 0;
  double tolerance = 0;

  /// Adds the rounded sum of a chunk. The kernel's sum may lie on the other side of a rounding
  /// boundary: then it is rounded to the neighbour.
  void add(DType narrow, const TrackedReal& part, double unit) {
    const double middle = static_cast<double>(part.value);
    const double off = 2 * unit * part.error;
    const double low = round_to(narrow, middle - off);
    const double high = round_to(narrow, middle + off);
    value += round_to(narrow, middle);
    tolerance += off + (high - low);
  }
};

Rounded rounded_sum(const Matrix& prefix, const Chunks& chunks, DType narrow, double unit) {
  Rounded sum;
  for (std::int64_t k = 0; k < chunks.count; ++k) {
    const TrackedReal& from = prefix[static_cast<std::size_t>(chunks.first(k))];
    const TrackedReal& to = prefix[static_cast<std::size_t>(chunks.first(k + 1))];
    sum.add(narrow, {to.value - from.value, to.error - from.error}, unit);
  }
  return sum;
}

Prediction predicted(const Observation& e, const Chunks& chunks, DType narrow) {
  const ReplayedPipeline& replayed = e.replayed;
  const Terms terms = terms_of_parameter(replayed, {}, e.target, replayed.computed->cotangents);
  const double unit = unit_roundoff(replayed.question->claim.contract.accumulation);
  const double last = unit_roundoff(replayed.question->got.dtype());
  Prediction p;
  for (std::int64_t col = 0; col < replayed.cols(); ++col) {
    const Rounded sum = rounded_sum(prefix_of(replayed, terms, col), chunks, narrow, unit);
    p.value.push_back(sum.value);
    p.tolerance.push_back(sum.tolerance + last * static_cast<double>(std::fabs(sum.value)));
  }
  return p;
}

std::string chunks_text(const Chunks& chunks, DType narrow) {
  const std::string rows = chunks.longer == 0
                               ? fmt::format("{}", chunks.rows)
                               : fmt::format("{} or {}", chunks.rows, chunks.rows + 1);
  return fmt::format("the sums of {} chunks of {} rows are rounded to {}", chunks.count, rows,
                     name_of(narrow));
}

}  // namespace

std::vector<Explanation> rounded_sums(const Observation& e) {
  const Contract& contract = e.replayed.question->claim.contract;
  if (e.target.matrix || e.target.shared || !e.sound) return {};
  if (precision_of(contract.storage) >= precision_of(contract.accumulation)) return {};
  const DType narrow = contract.storage;
  std::vector<Explanation> all;
  const std::int64_t rows = e.replayed.rows();
  for (std::int64_t count = 2; count <= std::min(rows, kMostChunks); ++count) {
    const Chunks chunks = chunks_of(rows, count);
    all.push_back({chunks_text(chunks, narrow), [chunks, narrow](const Observation& part) {
                     return predicted(part, chunks, narrow);
                   }});
  }
  return all;
}

}  // namespace gradproof::diagnosis
