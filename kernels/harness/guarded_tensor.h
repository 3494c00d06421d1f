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

/// The damage of a stretch of memory: at most one finding, and none that is `known`.
std::vector<simt::Finding> damage_of(const simt::Memory& memory,
                                     const std::vector<simt::Finding>& known);

/// The bytes of fresh memory, NaN in every floating type; and those of a second run, a finite
/// number: an unwritten element differs between the two, also if the truth is NaN.
inline constexpr std::byte kPoison{0xFF};
inline constexpr std::byte kOtherPoison{0x5A};

/// Fills fresh memory with the byte.
void fill_with(simt::Memory& memory, std::byte poison);

/// One tensor of a claim in the back-end's memory, between guard bands. The memory of a sparse
/// layout is sparse too.
class GuardedTensor {
 public:
  /// A tensor's elements and padding after a run, and the findings about its memory. A tensor that
  /// is only read is compared and not kept.
  struct Left {
    Tensor tensor;
    std::vector<simt::Finding> findings;
  };

  /// Fills the memory with poison. Findings call it by the tensor's name and `of`: "y of another
  /// call". Throws simt::NoDevice and simt::NoRoom.
  GuardedTensor(const TensorSpec& spec, simt::Backend backend, std::byte poison,
                const std::string& of = "");

  const TensorSpec& spec() const { return spec_; }
  bool is_written() const;
  View view();

  /// Puts numbers into the same memory, which holds them from now on.
  void put(const Tensor& numbers);
  /// The elements, with the padding of a layout that is not sparse.
  Tensor download() const;
  /// The checksum of all bytes, or of the elements if the layout is sparse. One word that differs
  /// always changes the checksum.
  std::uint64_t checksum() const;
  /// The finding if a tensor that is only read has changed since `put`.
  std::vector<simt::Finding> changed() const;

  /// Gives the memory back. `known` are the findings that launches have made already.
  Left leave(const std::vector<simt::Finding>& known);

 private:
  std::size_t bytes_at(std::int64_t position) const;

  TensorSpec spec_;
  std::byte poison_;
  std::optional<simt::Memory> memory_;
  std::optional<std::uint64_t> put_;  ///< the checksum of what was put there
};

}  // namespace gradproof
