// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/stored_tensor.h"

#include <algorithm>
#include <bit>
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
  if (stored.type->word == "BOOL") {
    for (char& byte : bytes) byte = byte == 0 ? 0 : 1;
    widen<std::uint8_t>(bytes, t);
  }
  return t;
}

}  // namespace gradproof
