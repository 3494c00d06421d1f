// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/unit_directions.h"

#include <algorithm>

namespace gradproof {

std::vector<Differentiated> differentiated(const Claim& claim, const CompiledPipeline& compiled) {
  std::vector<Differentiated> result;
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role != Role::gradient) continue;
    const std::string name = spec.name.substr(2);
    if (claim.tensor(name).role == Role::input) {
      result.push_back({name, {true, 0}, false});
    } else {
      const std::size_t number = compiled.number(name);
      result.push_back({name, {false, number}, compiled.numbers[number].shared});
    }
  }
  return result;
}

std::int64_t places(const Differentiated& tensor, const Geometry& geometry) {
  if (tensor.movable.input) return geometry.unit_size();
  return tensor.shared ? 1 : geometry.columns();
}

std::int64_t entry_of(const Differentiated& tensor, const Geometry& geometry, std::int64_t unit,
                      std::int64_t place) {
  if (tensor.movable.input) return geometry.first(unit) + place * geometry.stride();
  return tensor.shared ? 0 : geometry.first_column(unit) + place;
}

Values<double> random_direction(const Differentiated& tensor, const Geometry& geometry,
                                std::int64_t unit, std::uint64_t seed) {
  const Stream stream(seed, tensor.name);
  Values<double> result;
  for (std::int64_t i = 0; i < places(tensor, geometry); ++i)
    result.push_back(
        stream.normal(static_cast<std::uint64_t>(entry_of(tensor, geometry, unit, i))));
  return result;
}

std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t wanted,
                                      const Stream& stream) {
  const std::int64_t taken = std::min(count, wanted);
  std::vector<std::int64_t> result;
  for (std::int64_t k = 0; k < taken; ++k) {
    const std::int64_t first = count * k / taken;
    const std::int64_t size = count * (k + 1) / taken - first;
    const double fraction = stream.uniform(static_cast<std::uint64_t>(k));
    result.push_back(first + static_cast<std::int64_t>(fraction * static_cast<double>(size)));
  }
  return result;
}

}  // namespace gradproof
