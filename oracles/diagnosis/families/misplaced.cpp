// SPDX-License-Identifier: Apache-2.0
// These hypotheses find the right numbers in the place of others, or rounded to a narrower type.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"
#include "oracles/diagnosis/same_places.h"

namespace gradproof::diagnosis {
namespace {

/// Predicts that each entry holds the truth of entry source(index), or a NaN for kNowhere.
template <class Source>
void add_written(std::string text, const Source& source, Hypotheses& all) {
  all.push_back(predicted(std::move(text), Rank::misplaced, [source](const WrongTensor& asked) {
    std::optional<Prediction> predicted{Prediction()};
    for (const ComparedEntry& entry : asked.entries) {
      const std::int64_t from = source(entry.index);
      if (from == kNowhere) {
        predicted->push_back({std::numeric_limits<LongDouble>::quiet_NaN(), 0});
        continue;
      }
      const ComparedEntry& other = asked.entries[static_cast<std::size_t>(from)];
      predicted->push_back({other.truth, other.bound});
    }
    return predicted;
  }));
  all.back().of_whole = true;
}

void add_strides(const WrongTensor& whole, Hypotheses& all) {
  const Layout& own = whole.got.layout();
  for (const auto& [name, tensor] : whole.inputs) {
    const Layout& written = tensor.layout();
    if (written.shape != own.shape || written.strides == own.strides || own.is_sparse() ||
        written.is_sparse())
      continue;
    add_written(
        fmt::format("written with the strides of {}", name),
        [from = same_places(own, written)](std::int64_t i) {
          return from[static_cast<std::size_t>(i)];
        },
        all);
  }
}

void add_neighbours(const WrongTensor& whole, Hypotheses& all) {
  const std::vector<std::string> axes = whole.axes();
  for (const std::string& axis : axes) {
    const Line line = line_along(whole.claim.extents, axes, axis);
    if (line.extent < 2) continue;
    for (const std::int64_t step : {1, -1})
      add_written(
          fmt::format("every wrong entry holds the right number of the place {} along {}",
                      step > 0 ? "behind it" : "before it", axis),
          [line, step](std::int64_t i) {
            const std::int64_t to = line.along(i) + step;
            return to < 0 || to >= line.extent ? kNowhere : line.moved(i, to);
          },
          all);
  }
}

/// A type that a number may have been rounded to on the way.
struct NarrowType {
  const char* name;
  int precision;
  double underflow;  ///< its largest rounding below the normal numbers
  double (*round)(double);
};

/// TF32 has the exponents of float32 and 11 bits; nothing else in the tree needs its rounding.
double to_tf32(double value) {
  const auto number = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  bits = (bits + 0xFFF + ((bits >> 13) & 1)) & ~std::uint32_t{0x1FFF};
  float rounded = 0;
  std::memcpy(&rounded, &bits, sizeof rounded);
  return std::isfinite(number) ? rounded : number;
}

const std::array<NarrowType, 4> kNarrowTypes{{
    {"f32 on the way", 24, underflow_unit(DType::f32),
     [](double v) { return round_to(DType::f32, v); }},
    {"f16 on the way", 11, underflow_unit(DType::f16),
     [](double v) { return round_to(DType::f16, v); }},
    {"f16 on the way, with the exponents of float32 (TF32)", 11, 0x1p-137, to_tf32},
    {"bf16 on the way", 8, underflow_unit(DType::bf16),
     [](double v) { return round_to(DType::bf16, v); }},
}};

/// The prediction that the entry was rounded to a narrower type.
PredictedEntry through(const NarrowType& narrow, const ComparedEntry& entry) {
  const double rounded = narrow.round(entry.got);
  const double truth = static_cast<double>(entry.truth);
  const double half =
      std::fabs(truth) * std::ldexp(2, -narrow.precision) + narrow.underflow + entry.bound;
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

void add_roundings(const WrongTensor& whole, Hypotheses& all) {
  const DType dtype = whole.got.dtype();
  for (const NarrowType& narrow : kNarrowTypes)
    if (narrow.precision < precision_of(dtype))
      all.push_back(
          predicted_each(fmt::format("rounded to {}", narrow.name), Rank::misplaced,
                         [narrow](const ComparedEntry& entry) { return through(narrow, entry); }));
  // The tolerance is half the bound, so that the neighbour, which rounding to nearest would give,
  // is not within it.
  if (dtype != DType::f64)
    all.push_back(predicted_each(
        fmt::format("cut off to {}, not rounded", name_of(dtype)), Rank::misplaced,
        [dtype](const ComparedEntry& entry) {
          return PredictedEntry{cut_off(dtype, static_cast<double>(entry.truth)), entry.bound / 2};
        }));
}

}  // namespace

std::vector<std::int64_t> same_places(const Layout& one, Layout other) {
  other.offset = one.offset;
  std::vector<std::int64_t> at_position(static_cast<std::size_t>(one.capacity), kNowhere);
  for (std::int64_t i = 0; i < numel(other.shape); ++i)
    if (const std::int64_t position = other.position(i); position < one.capacity)
      at_position[static_cast<std::size_t>(position)] = i;
  std::vector<std::int64_t> same;
  for (std::int64_t i = 0; i < numel(one.shape); ++i)
    same.push_back(at_position[static_cast<std::size_t>(one.position(i))]);
  return same;
}

void add_misplaced(const WrongTensor& whole, Hypotheses& all) {
  add_strides(whole, all);
  add_neighbours(whole, all);
  add_roundings(whole, all);
}

}  // namespace gradproof::diagnosis
