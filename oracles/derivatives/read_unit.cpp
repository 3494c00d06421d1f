// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/read_unit.h"

#include <algorithm>

#include "core/tensor/philox.h"

namespace gradproof {

std::int64_t places(const PipelineTarget& target, std::size_t tensor) {
  if (target.movable(tensor).input) return target.geometry().unit_size();
  return target.shared(tensor) ? 1 : target.geometry().columns();
}

std::int64_t entry_at(const PipelineTarget& target, std::size_t tensor, std::int64_t unit,
                      std::int64_t place) {
  const Geometry& geometry = target.geometry();
  if (target.movable(tensor).input) return geometry.first(unit) + place * geometry.stride();
  return target.shared(tensor) ? 0 : geometry.first_column(unit) + place;
}

Values<double> random_direction(const PipelineTarget& target, std::size_t tensor, std::int64_t unit,
                                std::uint64_t seed) {
  const Stream stream(seed, target.tensors()[tensor].name);
  const std::int64_t count = places(target, tensor);
  Values<double> result;
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(stream.normal(static_cast<std::uint64_t>(entry_at(target, tensor, unit, i))));
  return result;
}

std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t wanted,
                                      const std::string& stream) {
  const Stream random(0, stream);
  const std::int64_t taken = std::min(count, wanted);
  std::vector<std::int64_t> result;
  for (std::int64_t k = 0; k < taken; ++k) {
    const std::int64_t first = count * k / taken;
    const std::int64_t size = count * (k + 1) / taken - first;
    const double fraction = random.uniform(static_cast<std::uint64_t>(k));
    result.push_back(first + static_cast<std::int64_t>(fraction * static_cast<double>(size)));
  }
  return result;
}

}  // namespace gradproof
