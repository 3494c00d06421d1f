// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/threshold.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "properties/calibration/draw.h"
#include "properties/calibration/subject.h"

namespace gradproof {
namespace {

/// The positive finite numbers of a type, in order.
class PositiveNumbers {
 public:
  explicit PositiveNumbers(DType dtype)
      : spare_(53 - precision_of(dtype)),
        first_(place_of(std::ldexp(1.0, min_exponent_of(dtype) + 1 - precision_of(dtype)))),
        last_(place_of(largest_finite(dtype))) {}

  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }
  std::int64_t place_of(double value) const { return std::bit_cast<std::int64_t>(value) >> spare_; }
  double at(std::int64_t place) const {
    return std::bit_cast<double>(std::clamp(place, first_, last_) << spare_);
  }

 private:
  int spare_;
  std::int64_t first_, last_;
};

/// The quantity that is looked at on both sides of a threshold.
struct Watched {
  std::string tensor;
  bool of_bound;  ///< rather than of the kernel's result
  bool low;       ///< where numbers vanish, rather than where they overflow
};

bool is_vanishing(const Answer& answer, std::size_t i) {
  return std::abs(answer.hi[i]) <= answer.bound[i];
}

/// True if any element of the tensor is beyond the threshold.
bool is_beyond(const Catalog& catalog, const Case& c, const Watched& watched) {
  const CalibrationResult result = kernel_subject(catalog, c);
  const auto found = result.answers.find(watched.tensor);
  if (found == result.answers.end()) return false;
  const Answer& answer = found->second;
  const Tensor& got = get(result.got, watched.tensor);
  const double normal = std::ldexp(1.0, min_exponent_of(got.dtype()));
  for (std::int64_t k = 0; k < got.numel(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const bool low = watched.of_bound ? is_vanishing(answer, i) : std::abs(got.at(k)) < normal;
    const bool high = watched.of_bound ? std::isinf(answer.bound[i]) : !std::isfinite(got.at(k));
    if (watched.low ? low : high) return true;
  }
  return false;
}

/// A key that makes units few; they may have any length.
std::string few_units(const Schema& schema, const RandomBits& next) {
  return fmt::format("{}={}", schema.has("groups") ? "rows" : "cols", 1 + next() % 3);
}

/// A word of the key that takes a number.
std::string draw_scalable(const Key& key, const RandomBits& next) {
  std::vector<std::string> words = key.words;
  std::erase_if(words,
                [](const std::string& word) { return word.back() != ':' || word == "every:"; });
  return words.at(next() % words.size());
}

/// The last place on the way from `inside` to `beyond` that is not beyond.
std::int64_t bisect(std::int64_t inside, std::int64_t beyond,
                    const std::function<bool(std::int64_t)>& is_beyond_at) {
  while (std::abs(beyond - inside) > 1) {
    const std::int64_t middle = inside + (beyond - inside) / 2;
    (is_beyond_at(middle) ? beyond : inside) = middle;
  }
  return inside;
}

/// The distance to one of the two neighbours or further: small and large ones are equally likely.
std::int64_t draw_distance(const RandomBits& next) {
  constexpr std::uint64_t kOctaves = 21;
  const std::uint64_t octave = std::uint64_t{1} << next() % kOctaves;
  const auto distance = static_cast<std::int64_t>(octave - 1 + next() % octave);
  return next() % 2 == 0 ? distance : -distance;
}

}  // namespace

Case draw_at_threshold(const CalibrationPlan& plan, std::int64_t number, const RandomBits& next) {
  const std::vector<SchemaPtr> all = schemas_of(plan);
  const SchemaPtr& schema = all.at(next() % all.size());
  const std::string key = next() % 4 == 0 ? "dy" : "fill";
  const std::string word = draw_scalable(schema->key(key, ""), next);
  const Case drawn = without_giants(
      draw_case(schema,
                {fmt::format("seed={}", number), few_units(*schema, next),
                 "dtype=" + draw_text(schema->key("dtype", ""), next), key + "=" + word + "1"},
                next));
  const CalibrationResult start = kernel_subject(plan.catalog, drawn);
  std::vector<std::string> tensors;
  for (const auto& [name, answer] : start.answers)
    if (get(start.got, name).dtype() != DType::i64) tensors.push_back(name);
  if (tensors.empty()) return drawn;
  Watched watched{tensors[next() % tensors.size()], next() % 2 == 0, next() % 4 == 0};

  const PositiveNumbers numbers(parse_dtype(drawn.text("dtype")));
  const auto at = [&](std::int64_t place) {
    return drawn.with(key, fmt::format("{}{}", word, numbers.at(place)));
  };
  const auto beyond = [&](std::int64_t place) {
    return is_beyond(plan.catalog, at(place), watched);
  };
  const std::int64_t end = watched.low ? numbers.first() : numbers.last();
  const std::int64_t inside = beyond(end) ? bisect(numbers.place_of(1), end, beyond) : end;
  return at(inside + draw_distance(next));
}

}  // namespace gradproof
