// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/sealed_line.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr std::size_t kSlices = 8;
using SliceTables = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// The part of the checksum that each byte has when 0 to 7 bytes of 0 follow it. Eight bytes are
/// taken at once (Kounavis and Berry, A Systematic Approach to Building High Performance
/// Software-Based CRC Generators, 2005), because records are read by the hundred megabytes.
constexpr SliceTables slice_tables() {
  constexpr std::uint32_t kReflected = 0x82F63B78;  // of the polynomial 0x1EDC6F41
  SliceTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflected : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  return tables;
}

constexpr SliceTables kTables = slice_tables();

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  const auto byte_at = [&](std::size_t place) { return static_cast<unsigned char>(bytes[place]); };
  for (; bytes.size() >= kSlices; bytes.remove_prefix(kSlices)) {
    std::uint32_t next = 0;
    for (std::size_t place = 0; place < kSlices; ++place) {
      const std::uint32_t byte =
          place < sizeof(crc) ? (crc >> (8 * place)) ^ byte_at(place) : byte_at(place);
      next ^= kTables[kSlices - 1 - place][byte & 0xFF];
    }
    crc = next;
  }
  for (std::size_t place = 0; place < bytes.size(); ++place)
    crc = (crc >> 8) ^ kTables[0][(crc ^ byte_at(place)) & 0xFF];
  return ~crc;
}

std::string seal_of(std::string_view bytes) {
  return fmt::format(R"(,"crc":"{:08x}"}})", crc32c(bytes));
}

}  // namespace

std::string sealed(std::string_view object) {
  const std::string_view open = object.substr(0, object.size() - 1);  // without its last brace
  return std::string(open) + seal_of(open);
}

void require_seal(std::string_view line) {
  const std::size_t size = seal_of("").size();
  if (line.size() <= size || !line.substr(line.size() - size).starts_with(R"(,"crc":")"))
    throw InstrumentError("no checksum stands at the end of the line");
  const std::string_view bytes = line.substr(0, line.size() - size);
  if (line.substr(bytes.size()) != seal_of(bytes))
    throw InstrumentError("the line does not have the checksum at its end: it was changed");
}

std::string content_id(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

}  // namespace gradproof
