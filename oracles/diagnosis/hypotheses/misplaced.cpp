// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/families.h"

namespace gradproof::diagnosis {
namespace {

constexpr std::int64_t kNowhere = -1;

/// Entry i holds the truth of entry source[i], or no entry's where that is kNowhere.
Explanation moved(std::string text, std::vector<std::int64_t> source) {
  return {
      std::move(text),
      [source = std::move(source)](const Observation& e) {
        if (source.size() != e.truth.size()) return Prediction{};
        Prediction p;
        for (const std::int64_t from : source) {
          const auto k = static_cast<std::size_t>(from < 0 ? 0 : from);
          p.value.push_back(from < 0 ? std::numeric_limits<LongDouble>::quiet_NaN() : e.truth[k]);
          p.tolerance.push_back(from < 0 ? 0 : e.bound[k]);
        }
        return p;
      },
      true};
}

/// The tensor was written with the strides of another tensor.
void add_layout(std::vector<Explanation>& all, const Observation& e, const TensorSpec& spec) {
  const Layout& own = e.replayed.question->got.layout();
  if (spec.layout.strides == own.strides || own.is_sparse() || spec.layout.is_sparse()) return;
  Layout written = spec.layout;
  written.offset = own.offset;
  std::vector<std::int64_t> at_position(static_cast<std::size_t>(own.capacity), kNowhere);
  const std::int64_t size = e.replayed.question->got.numel();
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t position = written.position(i);
    if (position < own.capacity) at_position[static_cast<std::size_t>(position)] = i;
  }
  std::vector<std::int64_t> source;
  for (std::int64_t i = 0; i < size; ++i)
    source.push_back(at_position[static_cast<std::size_t>(own.position(i))]);
  all.push_back(moved(fmt::format("written with the strides of {}", spec.name), std::move(source)));
}

void add_shift(std::vector<Explanation>& all, const Observation& e, const std::string& text,
               std::int64_t down, std::int64_t right) {
  const std::int64_t cols = e.target.shared ? 1 : e.replayed.cols();
  const std::int64_t rows = e.target.matrix ? e.replayed.rows() : 1;
  std::vector<std::int64_t> source;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    const std::int64_t row = i / cols + down;
    const std::int64_t col = i % cols + right;
    const bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
    source.push_back(inside ? row * cols + col : kNowhere);
  }
  all.push_back(moved("every wrong entry holds the right number of " + text, std::move(source)));
}

/// Every entry was rounded to a narrower type.
Explanation through(DType narrow) {
  return {fmt::format("rounded to {} on the way", name_of(narrow)), [narrow](const Observation& e) {
            Prediction p;
            for (std::size_t i = 0; i < e.got.size(); ++i) {
              const double rounded = round_to(narrow, e.got[i]);
              const double truth = static_cast<double>(e.truth[i]);
              const double half = std::fabs(truth) * unit_roundoff(narrow) * 2 +
                                  underflow_unit(narrow) + e.bound[i];
              p.value.push_back(std::fabs(rounded - truth) <= half ? rounded : truth);
              p.tolerance.push_back(rounded == e.got[i] ? e.bound[i] : 0);
            }
            return p;
          }};
}

/// The value rounded towards 0.
double cut_off(DType dtype, double value) {
  const double rounded = round_to(dtype, value);
  if (std::fabs(rounded) <= std::fabs(value)) return rounded;
  if (dtype == DType::f32) return std::nextafter(static_cast<float>(rounded), 0.0F);
  const int before = to_bits16(dtype, rounded) - 1;  // sign and magnitude
  return from_bits16(dtype, static_cast<std::uint16_t>(before));
}

/// The truth rounded towards 0. The tolerance is half the bound, so that the neighbour, which
/// rounding to nearest would give, is not within it.
Explanation truncated(DType dtype) {
  return {fmt::format("cut off to {}, not rounded", name_of(dtype)), [dtype](const Observation& e) {
            Prediction p;
            for (std::size_t i = 0; i < e.got.size(); ++i) {
              p.value.push_back(cut_off(dtype, static_cast<double>(e.truth[i])));
              p.tolerance.push_back(e.bound[i] / 2);
            }
            return p;
          }};
}

}  // namespace

std::vector<Explanation> misplaced(const Observation& all) {
  std::vector<Explanation> found;
  const Question& question = *all.replayed.question;
  if (all.target.matrix)
    for (const char* name : {"x", "dy"}) add_layout(found, all, question.claim.tensor(name));
  add_shift(found, all, "the next column", 0, 1);
  add_shift(found, all, "the column before", 0, -1);
  if (all.target.matrix) {
    add_shift(found, all, "the next row", 1, 0);
    add_shift(found, all, "the row before", -1, 0);
  }
  const DType dtype = question.got.dtype();
  for (const DType narrow : {DType::f32, DType::f16, DType::bf16})
    if (precision_of(narrow) < precision_of(dtype) && dtype != narrow)
      found.push_back(through(narrow));
  if (dtype != DType::f64) found.push_back(truncated(dtype));
  return found;
}

}  // namespace gradproof::diagnosis
