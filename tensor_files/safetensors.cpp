// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/safetensors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/whole_file.h"

namespace gradproof {
namespace {

/// In bytes, the limit of the reference (MAX_HEADER_SIZE).
constexpr std::uint64_t kLongestHeader = 100'000'000;

struct OpenFile {
  std::ifstream stream;
  std::uint64_t data = 0;  ///< where the tensors' bytes begin
  StoredHeader header;
};

std::uint64_t size_of_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw UsageError(fmt::format("cannot read '{}': Is a directory", path));
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw UsageError(fmt::format("cannot read '{}': {}", path, error.message()));
  return size;
}

OpenFile opened(const std::string& path) {
  OpenFile file;
  const std::uint64_t size = size_of_file(path);
  file.stream.open(path, std::ios::binary);
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("'{}' is no safetensors file: {}", path, what));
  };
  if (!file.stream)
    throw UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::uint64_t length = 0;
  if (size < sizeof length) refuse(fmt::format("it has {} bytes", size));
  std::array<char, sizeof length> bytes{};
  file.stream.read(bytes.data(), bytes.size());
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > size - sizeof length)
    refuse(
        fmt::format("its header is to have {} bytes, and {} follow", length, size - sizeof length));
  if (length > kLongestHeader)
    refuse(
        fmt::format("its header is to have {} bytes; at most {} are read", length, kLongestHeader));
  std::string header(length, '\0');
  file.stream.read(header.data(), static_cast<std::streamsize>(length));
  if (!file.stream) refuse("it ends within its header");
  file.data = sizeof length + length;
  try {
    file.header = parse_safetensors_header(header, size - file.data);
  } catch (const UsageError& error) {
    refuse(error.what());
  }
  return file;
}

Tensor tensor_of(OpenFile& file, const StoredTensor& stored, const std::string& path) {
  file.stream.seekg(static_cast<std::streamoff>(file.data + stored.first));
  return read_stored(stored, [&](char* to, std::uint64_t size) {
    file.stream.read(to, static_cast<std::streamsize>(size));
    if (!file.stream) throw UsageError(fmt::format("cannot read '{}' to its end", path));
  });
}

/// The word of the first, hence widest, element type that is read as the dtype.
std::string_view word_of(DType dtype) {
  return std::ranges::find(element_types(), dtype, &ElementType::dtype)->word;
}

/// The text of the header, padded so that the tensors begin at a multiple of 8 bytes.
std::string header_of(const Tensors& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::uint64_t at = 0;
  for (const auto& [name, t] : tensors) {
    const std::uint64_t end = at + static_cast<std::uint64_t>(t.numel()) * size_of(t.dtype());
    header[name] = {{"dtype", word_of(t.dtype())},
                    {"shape", t.shape()},
                    {"data_offsets", std::array<std::uint64_t, 2>{at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace

StoredHeader safetensors_header(const std::string& path) { return opened(path).header; }

Tensors read_safetensors(const std::string& path) {
  OpenFile file = opened(path);
  Tensors tensors;
  for (const auto& [name, stored] : file.header.tensors)
    tensors.emplace(name, tensor_of(file, stored, path));
  return tensors;
}

void write_safetensors(const std::string& path, const Tensors& tensors) {
  const std::string header = header_of(tensors);
  const std::uint64_t length = header.size();
  write_whole_file(path, [&](std::ostream& stream) {
    std::array<char, sizeof length> bytes{};
    std::memcpy(bytes.data(), &length, sizeof length);
    stream.write(bytes.data(), bytes.size());
    stream.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const auto& [name, t] : tensors) {
      const std::size_t size = static_cast<std::size_t>(t.numel()) * size_of(t.dtype());
      stream.write(reinterpret_cast<const char*>(t.first()), static_cast<std::streamsize>(size));
    }
  });
}

}  // namespace gradproof
