// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace gradproof {

/// The evidence for a chain of additions.
enum class ChainSource {
  consistent,  ///< no shorter chain puts the tensor within its certain bound
  measured     ///< the code's own source ran on a number that counts its additions
};
/// The name: "consistent" or "measured".
std::string_view name_of(ChainSource source);
/// Throws InstrumentError for a name of no source.
ChainSource parse_chain_source(std::string_view name);

/// The additions that a number of a tensor's sums goes through, one after the other
/// (docs/contracts.md).
struct SumChain {
  ChainSource source = ChainSource::consistent;
  std::int64_t additions = 0;
  std::int64_t most = 0;  ///< of the longest of these sums in any order
  friend bool operator==(const SumChain&, const SumChain&) = default;
};

/// The chain in words: "consistent with chains of 24 additions or more of 4095", and so on.
std::string chain_text(const SumChain& chain);

}  // namespace gradproof
