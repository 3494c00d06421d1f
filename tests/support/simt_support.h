// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simt/host.h"
#include "simt/memory/buffer.h"

/// Helpers that the tests of the executor share.
namespace simt::testing {

/// Seeds of Order::random within which a schedule-dependent fault must show.
constexpr std::uint64_t kSeeds = 20;

/// Forward, reverse and every random seed.
inline std::vector<Options> all_schedules() {
  std::vector<Options> schedules{{.order = Order::forward}, {.order = Order::reverse}};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    schedules.push_back({.order = Order::random, .seed = seed});
  }
  return schedules;
}

/// 0, 1, 2, ...: sums of few of them are exact in float.
inline std::vector<float> counting(std::size_t size) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i);
  return values;
}

inline Buffer<float> cpu_buffer(const std::vector<float>& values, const char* name) {
  Buffer<float> buffer(Backend::cpu, values.size(), name);
  buffer.upload(values);
  return buffer;
}

/// The error a launch ended with, or nothing.
template <class Run>
std::optional<ExecutionError> error_of(Run run) {
  try {
    run();
  } catch (const ExecutionError& error) {
    return error;
  }
  return std::nullopt;
}

/// The text of the error, as "deadlock: ...", or "no finding".
inline std::string text_of(const std::optional<ExecutionError>& error) {
  return error ? error->what() : "no finding";
}

inline bool found(const std::optional<ExecutionError>& error, const char* kind) {
  return error && error->has(kind);
}

}  // namespace simt::testing
