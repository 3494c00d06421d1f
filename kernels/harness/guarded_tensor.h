// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"
#include "simt/host.h"
#include "simt/memory/buffer.h"

namespace gradproof {

/// What was found wrong with a stretch of memory: at most one finding, none that is `known`.
std::vector<simt::Finding> damage_of(const simt::Memory& memory,
                                     const std::vector<simt::Finding>& known);

/// Fresh memory's bytes, NaN in every floating type; and those of a second run, which are a finite
/// number: what nobody wrote differs between the two, also where the truth is NaN.
inline constexpr std::byte kPoison{0xFF};
inline constexpr std::byte kOtherPoison{0x5A};

/// Writes the byte all over fresh memory.
void fill_with(simt::Memory& memory, std::byte poison);

/// One tensor of a claim in the back-end's memory, between guard bands. A sparse layout's memory is
/// sparse too.
class GuardedTensor {
 public:
  /// What a run left in the memory, elements and padding, and what it did beside it. A tensor that
  /// is only read is compared and not kept.
  struct Left {
    Tensor tensor;
    std::vector<simt::Finding> findings;
  };

  /// All poison. Findings call its memory by its name and `of`: "y of another call". Throws
  /// simt::NoDevice and simt::NoRoom.
  GuardedTensor(const TensorSpec& spec, simt::Backend backend, std::byte poison,
                const std::string& of = "");

  const TensorSpec& spec() const { return spec_; }
  bool is_written() const;
  View view();

  /// The numbers that it holds from now on, in the same memory.
  void put(const Tensor& numbers);
  /// The elements, with the padding of a layout that is not sparse.
  Tensor download() const;
  /// The checksum of all bytes, or of the elements where the layout is sparse. One word that
  /// differs always shows.
  std::uint64_t checksum() const;
  /// What happened to a tensor that is only read since `put`.
  std::vector<simt::Finding> changed() const;

  /// Gives the memory back. `known`: what launches have found already.
  Left leave(const std::vector<simt::Finding>& known);

 private:
  std::size_t bytes_at(std::int64_t position) const;

  TensorSpec spec_;
  std::byte poison_;
  std::optional<simt::Memory> memory_;
  std::optional<std::uint64_t> put_;  ///< the checksum of what was put there
};

}  // namespace gradproof
