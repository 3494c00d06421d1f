// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

constexpr std::int64_t kNowhere = -1;

/// Predicts each entry of the whole gradient from what it is and its truth.
template <class Entry>
void add_each(Hypotheses& all, const std::string& text, const Entry& entry) {
  all.add(text, [entry](const Observation& e) {
    Prediction p;
    for (std::size_t i = 0; i < e.entries.size(); ++i) p.push_back(entry(e.entries, i));
    return p;
  });
}

/// Entry i holds the truth of entry source[i], or no entry's where that is kNowhere.
void add_moved(Hypotheses& all, const std::string& text, std::vector<std::int64_t> source) {
  add_each(all, text, [source = std::move(source)](const ComparedEntries& entries, std::size_t i) {
    if (source[i] == kNowhere)
      return PredictedEntry{std::numeric_limits<LongDouble>::quiet_NaN(), 0};
    const ComparedEntry& from = entries[static_cast<std::size_t>(source[i])];
    return PredictedEntry{from.truth, from.bound};
  });
}

/// The tensor was written with the strides of another tensor.
void add_written(Hypotheses& all, const TensorSpec& spec) {
  const Tensor& got = all.replay.question->got;
  const Layout& own = got.layout();
  if (spec.layout.strides == own.strides || own.is_sparse() || spec.layout.is_sparse()) return;
  Layout written = spec.layout;
  written.offset = own.offset;
  std::vector<std::int64_t> at_position(static_cast<std::size_t>(own.capacity), kNowhere);
  for (std::int64_t i = 0; i < got.numel(); ++i)
    if (const std::int64_t position = written.position(i); position < own.capacity)
      at_position[static_cast<std::size_t>(position)] = i;
  std::vector<std::int64_t> source;
  for (std::int64_t i = 0; i < got.numel(); ++i)
    source.push_back(at_position[static_cast<std::size_t>(own.position(i))]);
  add_moved(all, fmt::format("written with the strides of {}", spec.name), std::move(source));
}

void add_shift(Hypotheses& all, const std::string& text, std::int64_t down, std::int64_t right) {
  const Target& target = all.sample.target;
  const std::int64_t cols = target.shared ? 1 : all.claim.cols;
  const std::int64_t rows = target.matrix ? all.claim.rows : 1;
  std::vector<std::int64_t> source;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    const std::int64_t row = i / cols + down;
    const std::int64_t col = i % cols + right;
    const bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
    source.push_back(inside ? row * cols + col : kNowhere);
  }
  add_moved(all, "every wrong entry holds the right number of " + text, std::move(source));
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
  const bool matrix = all.sample.target.matrix;
  if (matrix)
    for (const char* name : {"x", "dy"}) add_written(all, all.claim.tensor(name));
  add_shift(all, "the next column", 0, 1);
  add_shift(all, "the column before", 0, -1);
  if (matrix) add_shift(all, "the next row", 1, 0);
  if (matrix) add_shift(all, "the row before", -1, 0);
  const DType dtype = all.replay.question->got.dtype();
  for (const DType narrow : {DType::f32, DType::f16, DType::bf16})
    if (precision_of(narrow) < precision_of(dtype) && dtype != narrow)
      add_each(all, fmt::format("rounded to {} on the way", name_of(narrow)),
               [narrow](const ComparedEntries& entries, std::size_t i) {
                 return through(narrow, entries[i]);
               });
  // The tolerance is half the bound, so that the neighbour, which rounding to nearest would give,
  // is not within it.
  if (dtype != DType::f64)
    add_each(all, fmt::format("cut off to {}, not rounded", name_of(dtype)),
             [dtype](const ComparedEntries& entries, std::size_t i) {
               return PredictedEntry{cut_off(dtype, static_cast<double>(entries[i].truth)),
                                     entries[i].bound / 2};
             });
}

}  // namespace gradproof::diagnosis
