// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/stored_tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian");

template <class T>
void widen(const std::vector<char>& bytes, Tensor& into) {
  for (std::int64_t i = 0; i < into.numel(); ++i) {
    T value{};
    std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
    into.set(i, static_cast<double>(value));
  }
}

/// OCP 8-bit Floating Point Specification, revision 1.0: four bits of exponent and three of
/// fraction, no infinity, and one NaN of either sign.
double from_e4m3(std::uint8_t bits) {
  const int field = bits >> 3 & 15;
  const int fraction = bits & 7;
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if ((bits & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  return sign * std::ldexp(fraction + (field == 0 ? 0 : 8), std::max(field, 1) - 10);
}

/// The upper half of a float16.
double from_e5m2(std::uint8_t bits) {
  return from_bits16(DType::f16, static_cast<std::uint16_t>(bits << 8));
}

/// OCP Microscaling Formats Specification, version 1.0, section 5.4.1: a power of two, and one NaN.
double from_e8m0(std::uint8_t bits) {
  return bits == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
}

void decode(const std::vector<char>& bytes, double (*number_of)(std::uint8_t), Tensor& into) {
  for (std::int64_t i = 0; i < into.numel(); ++i)
    into.set(i, number_of(static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(i)])));
}

}  // namespace

std::uint64_t bytes_of(const ElementType& type, const Shape& shape, const std::string& name) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::uint64_t size = type.bytes;
  std::uint64_t reach = type.bytes;
  for (const std::int64_t extent : shape) {
    const auto count = static_cast<std::uint64_t>(extent);
    if (count > kMost || (count > 0 && reach > kMost / count))
      throw UsageError(fmt::format("tensor '{}' is larger than any file", name));
    size *= count;
    reach *= std::max<std::uint64_t>(count, 1);
  }
  return size;
}

Tensor read_stored(const StoredTensor& stored,
                   const std::function<void(char*, std::uint64_t)>& read) {
  Tensor t(stored.type->dtype, stored.shape);
  const std::uint64_t size = stored.end - stored.first;
  if (stored.type->bytes == size_of(t.dtype())) {
    if (size > 0) read(static_cast<char*>(t.data()), size);
    return t;
  }
  std::vector<char> bytes(size);
  read(bytes.data(), size);
  if (stored.type->word == "I32") widen<std::int32_t>(bytes, t);
  if (stored.type->word == "I16") widen<std::int16_t>(bytes, t);
  if (stored.type->word == "I8") widen<std::int8_t>(bytes, t);
  if (stored.type->word == "U8") widen<std::uint8_t>(bytes, t);
  if (stored.type->word == "F8_E4M3") decode(bytes, from_e4m3, t);
  if (stored.type->word == "F8_E5M2") decode(bytes, from_e5m2, t);
  if (stored.type->word == "F8_E8M0") decode(bytes, from_e8m0, t);
  if (stored.type->word == "BOOL") {
    for (char& byte : bytes) byte = byte == 0 ? 0 : 1;
    widen<std::uint8_t>(bytes, t);
  }
  return t;
}

}  // namespace gradproof
