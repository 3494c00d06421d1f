// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/draw.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/kernel.h"

namespace gradproof {

std::vector<SchemaPtr> schemas_of(const CalibrationPlan& plan) {
  std::vector<SchemaPtr> all = plan.catalog.schemas();
  if (plan.kernels.empty()) return all;
  std::erase_if(all, [&](const SchemaPtr& schema) {
    return std::find(plan.kernels.begin(), plan.kernels.end(), schema->word) == plan.kernels.end();
  });
  return all;
}

std::vector<double> extremes_of(DType dtype) {
  const double largest = largest_finite(dtype);
  const double normal = std::ldexp(1.0, min_exponent_of(dtype));
  const double smallest = normal * std::ldexp(1.0, 1 - precision_of(dtype));
  return {largest, largest / 3, std::sqrt(largest) * 2, normal, std::sqrt(normal), smallest};
}

namespace {

/// Now and then a batch or a group that the kernels stream in parts, on either side of their
/// limits.
std::vector<std::string> large_sizes(const Schema& schema, const RandomBits& next) {
  constexpr std::uint64_t kSeldom = 64;
  if (next() % kSeldom != 0) return {};
  static const std::vector<std::vector<std::string>> kTall{
      {"rows=512"}, {"rows=513"}, {"rows=1024"}, {"rows=1025"}, {"rows=1537"}, {"rows=2100"}};
  static const std::vector<std::vector<std::string>> kWide{{"rows=3", "cols=1024", "groups=1"},
                                                           {"rows=3", "cols=1025", "groups=1"},
                                                           {"rows=2", "cols=2060", "groups=2"},
                                                           {"rows=5", "cols=1999", "groups=1"},
                                                           {"rows=513", "cols=24"},
                                                           {"rows=1030", "cols=12"}};
  const auto& choices = schema.has("groups") ? kWide : kTall;
  return choices[next() % choices.size()];
}

}  // namespace

Case draw_fairly(const CalibrationPlan& plan, std::int64_t number, const RandomBits& next) {
  const std::vector<SchemaPtr> all = schemas_of(plan);
  const SchemaPtr& schema = all.at(next() % all.size());
  const std::string dtype = draw_text(schema->key("dtype", ""), next);
  std::vector<std::string> pinned{
      fmt::format("seed={}", number),
      "dtype=" + dtype,
      "fill=" + draw_fill(schema->key("fill", ""), next, extremes_of(parse_dtype(dtype))),
  };
  for (const std::string& size : large_sizes(*schema, next)) pinned.push_back(size);
  return without_giants(draw_case(schema, pinned, next));
}

}  // namespace gradproof
