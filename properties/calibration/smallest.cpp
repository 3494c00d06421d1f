// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/smallest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "properties/calibration/draw.h"
#include "properties/calibration/faults.h"

namespace gradproof {
namespace {

/// The tensor with some elements times 1 + change.
Tensor changed(const Tensor& tensor, const std::vector<std::int64_t>& where, double change) {
  Tensor other = tensor;
  for (const std::int64_t i : where) other.set(i, other.at(i) * (1 + change));
  return other;
}

/// The smallest change, to 1%, from which on those elements are convicted.
double bisect(const Tensor& got, const Answer& answer, const std::vector<std::int64_t>& where) {
  const auto convicted = [&](double exponent) {
    return compare(changed(got, where, std::exp2(exponent)), answer).bad > 0;
  };
  double low = -60, high = 20;
  if (!convicted(high)) return std::numeric_limits<double>::infinity();
  constexpr double kClose = 0.0144;  // log2(1.01)
  while (high - low > kClose) {
    const double middle = (low + high) / 2;
    (convicted(middle) ? high : low) = middle;
  }
  return std::exp2(high);
}

/// The indices in the order of bound over size; those without a finite quotient are left out.
std::vector<std::int64_t> by_sensitivity(const Answer& answer) {
  std::vector<std::int64_t> order;
  const auto relative = [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    return answer.bound[k] / std::abs(answer.hi[k]);
  };
  for (std::int64_t i = 0; i < answer.size(); ++i)
    if (std::isfinite(relative(i))) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::int64_t a, std::int64_t b) { return relative(a) < relative(b); });
  return order;
}

std::vector<std::int64_t> middle_column(const Shape& shape) {
  const std::int64_t cols = shape.size() == 2 ? shape[1] : 1;
  std::vector<std::int64_t> indices;
  for (std::int64_t i = cols / 2; i < numel(shape); i += cols) indices.push_back(i);
  return indices;
}

/// True if a fault of that kind is convicted in most of some tries: what is left out may be nearly
/// 0.
bool mostly(const Catalog& catalog, const Case& c, std::uint64_t seed,
            const std::function<std::optional<Planted>(const CalibrationResult&,
                                                       const RandomBits&)>& plant) {
  constexpr int kTries = 9;
  const RandomBits next = random_bits(seed, "largest");
  const CalibrationResult result = kernel_subject(catalog, c);
  int convicted = 0;
  for (int k = 0; k < kTries; ++k)
    if (const auto planted = plant(result, next))
      convicted += std::any_of(planted->changed.begin(), planted->changed.end(), [&](auto& item) {
        return compare(item.second, result.answers.at(item.first)).bad > 0;
      });
  return 2 * convicted > kTries;
}

/// The Case with N rows of a column, or N channels of a group, summed; all else is small.
Case sized(const Case& c, std::int64_t summands, bool over_rows) {
  const bool groups = c.schema().has("groups");
  if (over_rows || !groups) return c.with("rows", std::to_string(summands)).with("cols", "4");
  return c.with("rows", "4").with("groups", "1").with("cols", std::to_string(summands));
}

}  // namespace

Smallest smallest_faults(const CalibrationResult& result, const std::string& tensor) {
  const Tensor& got = get(result.got, tensor);
  const Answer& answer = result.answers.at(tensor);
  const std::vector<std::int64_t> order = by_sensitivity(answer);
  const double none = std::numeric_limits<double>::infinity();
  if (order.empty()) return {none, none, none};
  return {bisect(got, answer, {order.front()}), bisect(got, answer, {order[order.size() / 2]}),
          bisect(got, answer, middle_column(got.shape()))};
}

Largest largest_sums(const Catalog& catalog, const SchemaPtr& schema, const std::string& dtype,
                     std::uint64_t seed) {
  constexpr std::int64_t kMost = 1 << 15;
  Largest largest;
  const Case c = Case(schema).with("dtype", dtype).with("seed", std::to_string(seed));
  bool more = true;
  for (std::int64_t n = 2; more && n <= kMost; n *= 2) {
    more = mostly(catalog, sized(c, n, false), seed, plant_in_statistics);
    if (more) largest.statistics = n;
  }
  more = true;
  for (std::int64_t n = 2; more && n <= kMost; n *= 2) {
    more = mostly(catalog, sized(c.schema().has("groups") ? c.with("groups", "1") : c, n, true),
                  seed, plant_in_gradients);
    if (more) largest.gradients = n;
  }
  return largest;
}

}  // namespace gradproof
