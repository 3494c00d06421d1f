// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "core/claim.h"
#include "core/tensor.h"
#include "simt/buffer.h"
#include "simt/host.h"

namespace gradproof {

/// What was found wrong with a stretch of memory; at most one finding, none that stands in `told`.
std::vector<simt::Finding> damage_of(const simt::Memory& memory,
                                     const std::vector<simt::Finding>& told);

/// Fresh memory's bytes, NaN in every floating type; and those of a second run, which are a finite
/// number: what nobody wrote differs between the two, also where the truth is NaN.
inline constexpr std::byte kPoison{0xFF};
inline constexpr std::byte kOtherPoison{0x5A};

/// Writes the byte all over fresh memory.
void fill_with(simt::Memory& memory, std::byte poison);

/// One tensor of a claim in the back-end's memory, between guard bands: the given numbers, or
/// poison where there are none. A sparse layout's memory is sparse too.
class Placed {
 public:
  /// What a run left in the memory, elements and padding, and what it did beside it. A tensor that
  /// is only read is compared and not kept.
  struct Left {
    Tensor tensor;
    std::vector<simt::Finding> findings;
  };

  /// `spec` and `given` must outlive this. Throws simt::NoDevice and simt::NoRoom.
  Placed(const TensorSpec& spec, const Tensor* given, simt::Backend backend, std::byte poison);

  const TensorSpec& spec() const { return *spec_; }
  bool is_written() const;
  View view();

  /// Gives the memory back. `told`: what launches have found already.
  Left leave(const std::vector<simt::Finding>& told);

 private:
  std::size_t bytes_at(std::int64_t position) const;
  Tensor download() const;
  bool holds_what_was_given() const;

  const TensorSpec* spec_;
  const Tensor* given_;
  std::byte poison_;
  std::optional<simt::Memory> memory_;
};

}  // namespace gradproof
