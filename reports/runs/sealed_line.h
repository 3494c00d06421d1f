// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gradproof {

/// The text of a JSON object, without a line feed, that gets one more key behind its others: `crc`,
/// 8 hex digits, the CRC-32C (Castagnoli; RFC 3720, appendix B.4) of all bytes in front of
/// `,"crc":`. It finds every flipped bit of the line and every change of up to 32 bits in a row.
std::string sealed(std::string_view object);

/// Throws InstrumentError for a line that does not end with the checksum of what stands before it.
void require_seal(std::string_view line);

/// 16 hex digits that name a text: 64-bit FNV-1a of its bytes.
std::string content_id(std::string_view text);

}  // namespace gradproof
