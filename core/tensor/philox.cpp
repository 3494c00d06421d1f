// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/philox.h"

#include <algorithm>

namespace gradproof {
namespace {

constexpr int kRounds = 10;

std::uint32_t high(std::uint64_t product) { return static_cast<std::uint32_t>(product >> 32); }
std::uint32_t low(std::uint64_t product) { return static_cast<std::uint32_t>(product); }

/// The 32-bit FNV-1a hash.
std::uint32_t hash(std::string_view text) {
  std::uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = 0xD2511F53ull * c[0];
    const std::uint64_t p1 = 0xCD9E8D57ull * c[2];
    c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  return c;
}

std::vector<Compilation<StreamLoops (*)()>> stream_loop_compilations() {
  return compilations_of([]<InstructionSet set>() { return &stream_loops_of<set>; });
}

const StreamLoops& stream_loops() {
  static const StreamLoops loops = widest(stream_loop_compilations()).make();
  return loops;
}

Stream::Stream(std::uint64_t seed, std::string_view name)
    : key_{{low(seed), high(seed)}, hash(name)} {}

std::uint64_t Stream::bits(std::uint64_t index) const {
  const auto r = philox({low(index), high(index), key_.name, 0}, {key_.key[0], key_.key[1]});
  return (static_cast<std::uint64_t>(r[0]) << 32) | r[1];
}

double Stream::uniform(std::uint64_t index) const {
  return static_cast<double>(((bits(index) >> 12) << 1) | 1u) * 0x1p-53;
}

double Stream::normal(std::uint64_t index) const {
  double number = 0;
  normals(index, 1, &number);
  return number;
}

void Stream::bits(std::uint64_t first, std::size_t count, std::uint64_t* out) const {
  stream_loops().bits(key_, first, count, out);
}

void Stream::uniforms(std::uint64_t first, std::size_t count, double* out) const {
  stream_loops().uniforms(key_, first, count, out);
}

void Stream::normals(std::uint64_t first, std::size_t count, double* out) const {
  stream_loops().normals(key_, first, count, out);
}

std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t wanted,
                                      std::string_view stream) {
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
