// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/sealed_line.h"

#include <cstdint>

#include <boost/crc.hpp>
#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

std::uint32_t crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
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
