// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "oracles/truth/fast_tier.h"

namespace gradproof {

/// Reads a claim's text on one unit after the other in one arithmetic, and does nothing else.
class UnitReader {
 public:
  virtual ~UnitReader() = default;
  virtual void take_numbers(const Unit<double>& numbers) = 0;
  /// Something that depends on the result.
  virtual double read(const UnitNumbers& unit) = 0;
};

/// The two halves of the fast tier, each alone, in every compilation of it.
struct ReaderPair {
  std::unique_ptr<UnitReader> truth;
  std::unique_ptr<UnitReader> bound;
};
ReaderPair readers_baseline(const Claim& claim, const CompiledPipeline& compiled);
ReaderPair readers_fma(const Claim& claim, const CompiledPipeline& compiled);
ReaderPair readers_avx512(const Claim& claim, const CompiledPipeline& compiled);

}  // namespace gradproof
