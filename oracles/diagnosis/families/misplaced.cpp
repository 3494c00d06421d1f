// SPDX-License-Identifier: Apache-2.0
// These hypotheses find the right numbers in the place of others, or rounded to a narrower type.
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"
#include "oracles/diagnosis/narrow_types.h"
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

/// The prediction that the entry was rounded. The number before it was rounded may lie anywhere
/// within the bound: each number that this may be rounded to is right.
PredictedEntry through(const std::function<double(double)>& round, const ComparedEntry& entry) {
  const double truth = static_cast<double>(entry.truth);
  const double low = round(truth - entry.bound), high = round(truth + entry.bound);
  const bool is_rounded = round(entry.got) == entry.got && entry.got >= low && entry.got <= high;
  return {is_rounded ? entry.got : round(truth), is_rounded ? entry.bound : 0};
}

/// The value rounded towards 0, by a rounding to the nearest number of this precision.
double cut_off(const NarrowType& narrow, double value) {
  const double rounded = narrow.round(value);
  if (std::fabs(rounded) <= std::fabs(value) || !std::isfinite(rounded)) return rounded;
  // The next number towards 0 is nearest to what lies three quarters of their distance below.
  const double own = std::ldexp(1, std::ilogb(rounded) + 1 - narrow.precision);
  const bool is_power = std::ldexp(1, std::ilogb(rounded)) == std::fabs(rounded);
  const double distance = std::max(is_power ? own / 2 : own, 2 * narrow.underflow);
  return narrow.round(rounded - std::copysign(0.75 * distance, rounded));
}

void add_roundings(const WrongTensor& whole, Hypotheses& all) {
  const DType dtype = whole.got.dtype();
  for (const NarrowType& narrow : narrow_types()) {
    if (narrow.precision >= precision_of(dtype)) continue;
    all.push_back(predicted_each(
        fmt::format("rounded to {} on the way{}", narrow.name, narrow.more), Rank::misplaced,
        [narrow](const ComparedEntry& entry) { return through(narrow.round, entry); }));
    all.push_back(predicted_each(
        fmt::format("cut off to {} on the way, not rounded{}", narrow.name, narrow.more),
        Rank::misplaced, [narrow](const ComparedEntry& entry) {
          return through([&](double v) { return cut_off(narrow, v); }, entry);
        }));
  }
  for (const NarrowType& own : narrow_types()) {
    if (own.name != name_of(dtype)) continue;
    // The tolerance is half the bound, so that the neighbour, which rounding to nearest would give,
    // is not within it.
    all.push_back(predicted_each(
        fmt::format("cut off to {}, not rounded", own.name), Rank::misplaced,
        [own](const ComparedEntry& entry) {
          return PredictedEntry{cut_off(own, static_cast<double>(entry.truth)), entry.bound / 2};
        }));
  }
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
