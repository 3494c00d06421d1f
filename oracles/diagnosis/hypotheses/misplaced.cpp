// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// Predicts each entry from what it is and its truth.
template <class Predicted>
void add_each(Hypotheses& all, const std::string& text, const Predicted& predicted) {
  all.add(text, [predicted](const Replay& replay) {
    Prediction p;
    for (const ComparedEntry& entry : replay.entries) p.push_back(predicted(entry));
    return p;
  });
}

/// Each entry holds the truth of the entry source(index), or no entry's where that is kNowhere.
template <class Source>
void add_moved(Hypotheses& all, const std::string& text, const Source& source) {
  add_each(all, text, [source, &gradient = all.gradient](const ComparedEntry& entry) {
    const std::int64_t from = source(entry.index);
    if (from == kNowhere) return PredictedEntry{std::numeric_limits<LongDouble>::quiet_NaN(), 0};
    const ComparedEntry other = gradient.entry(from);
    return PredictedEntry{other.truth, other.bound};
  });
}

/// The tensor was written with the strides of another tensor.
void add_written(Hypotheses& all, const TensorSpec& spec) {
  const Tensor& got = all.gradient.got;
  const Layout& own = got.layout();
  if (spec.layout.strides == own.strides || own.is_sparse() || spec.layout.is_sparse()) return;
  Layout written = spec.layout;
  written.offset = own.offset;
  add_moved(all, "written with the strides of " + spec.name,
            [from = same_places(own, written)](std::int64_t index) {
              return from[static_cast<std::size_t>(index)];
            });
}

void add_shift(Hypotheses& all, const std::string& text, std::int64_t down, std::int64_t right) {
  const std::int64_t cols = all.gradient.shared ? 1 : all.claim.cols;
  const std::int64_t rows = all.gradient.matrix ? all.claim.rows : 1;
  add_moved(all, "every wrong entry holds the right number of " + text, [=](std::int64_t index) {
    const std::int64_t row = index / cols + down;
    const std::int64_t col = index % cols + right;
    const bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
    return inside ? row * cols + col : kNowhere;
  });
}

/// The entry was rounded to a narrower type.
PredictedEntry through(DType narrow, const ComparedEntry& entry) {
  const double rounded = round_to(narrow, entry.got);
  const double truth = static_cast<double>(entry.truth);
  const double half =
      std::fabs(truth) * unit_roundoff(narrow) * 2 + underflow_unit(narrow) + entry.bound;
  return {std::fabs(rounded - truth) <= half ? rounded : truth,
          rounded == entry.got ? entry.bound : 0};
}

/// The value rounded towards 0.
double cut_off(DType dtype, double value) {
  const double rounded = round_to(dtype, value);
  if (std::fabs(rounded) <= std::fabs(value)) return rounded;
  if (dtype == DType::f32) return std::nextafter(static_cast<float>(rounded), 0.0F);
  const int before = to_bits16(dtype, rounded) - 1;  // sign and magnitude
  return from_bits16(dtype, static_cast<std::uint16_t>(before));
}

}  // namespace

void add_misplaced(Hypotheses& all) {
  const bool matrix = all.gradient.matrix;
  if (matrix)
    for (const char* name : {"x", "dy"}) add_written(all, all.claim.tensor(name));
  add_shift(all, "the next column", 0, 1);
  add_shift(all, "the column before", 0, -1);
  if (matrix) add_shift(all, "the next row", 1, 0);
  if (matrix) add_shift(all, "the row before", -1, 0);
  const DType dtype = all.gradient.got.dtype();
  for (const DType narrow : {DType::f32, DType::f16, DType::bf16})
    if (precision_of(narrow) < precision_of(dtype))
      add_each(all, fmt::format("rounded to {} on the way", name_of(narrow)),
               [narrow](const ComparedEntry& entry) { return through(narrow, entry); });
  // The tolerance is half the bound, so that the neighbour, which rounding to nearest would give,
  // is not within it.
  if (dtype != DType::f64)
    add_each(
        all, fmt::format("cut off to {}, not rounded", name_of(dtype)),
        [dtype](const ComparedEntry& entry) {
          return PredictedEntry{cut_off(dtype, static_cast<double>(entry.truth)), entry.bound / 2};
        });
}

}  // namespace gradproof::diagnosis
