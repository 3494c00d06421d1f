// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/stored_tensor.h"

#include <algorithm>
#include <array>
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
double whole(const char* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

double truth(const char* bytes) { return *bytes == 0 ? 0 : 1; }

/// OCP 8-bit Floating Point Specification, revision 1.0: four bits of exponent and three of
/// fraction, no infinity, and one NaN of either sign.
double from_e4m3(const char* bytes) {
  const auto bits = static_cast<std::uint8_t>(*bytes);
  const int field = bits >> 3 & 15;
  const int fraction = bits & 7;
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if ((bits & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  return sign * std::ldexp(fraction + (field == 0 ? 0 : 8), std::max(field, 1) - 10);
}

/// The upper half of a float16.
double from_e5m2(const char* bytes) {
  const auto bits = static_cast<std::uint8_t>(*bytes);
  return from_bits16(DType::f16, static_cast<std::uint16_t>(bits << 8));
}

/// OCP Microscaling Formats Specification, version 1.0, section 5.4.1: a power of two, and one NaN.
double from_e8m0(const char* bytes) {
  const auto bits = static_cast<std::uint8_t>(*bytes);
  return bits == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
}

}  // namespace

std::span<const ElementType> element_types() {
  static constexpr std::array kTypes{ElementType{"F64", "<f8", DType::f64, 8},
                                     ElementType{"F32", "<f4", DType::f32, 4},
                                     ElementType{"F16", "<f2", DType::f16, 2},
                                     ElementType{"BF16", "", DType::bf16, 2},
                                     ElementType{"I64", "<i8", DType::i64, 8},
                                     ElementType{"I32", "<i4", DType::i64, 4, whole<std::int32_t>},
                                     ElementType{"I16", "<i2", DType::i64, 2, whole<std::int16_t>},
                                     ElementType{"I8", "|i1", DType::i64, 1, whole<std::int8_t>},
                                     ElementType{"U8", "|u1", DType::i64, 1, whole<std::uint8_t>},
                                     ElementType{"BOOL", "|b1", DType::f32, 1, truth},
                                     ElementType{"F8_E4M3", "", DType::f32, 1, from_e4m3},
                                     ElementType{"F8_E5M2", "", DType::f32, 1, from_e5m2},
                                     ElementType{"F8_E8M0", "", DType::f32, 1, from_e8m0}};
  return kTypes;
}

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
  if (stored.type->number == nullptr) {
    if (size > 0) read(static_cast<char*>(t.data()), size);
    return t;
  }
  std::vector<char> bytes(size);
  read(bytes.data(), size);
  for (std::int64_t i = 0; i < t.numel(); ++i)
    t.set(i,
          stored.type->number(bytes.data() + static_cast<std::uint64_t>(i) * stored.type->bytes));
  return t;
}

}  // namespace gradproof
