// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "simt/counted.h"
#include "simt/memory/buffer.h"

namespace gradproof {

/// The tensors of a Case in numbers that count, each in the executor's memory between guard bands;
/// results are NaN until they are written. Numbers of 16 bits take as much memory as others.
class CountingTensors {
 public:
  CountingTensors(const Claim& claim, const Tensors& inputs);

  /// The call with these tensors and a workspace of so many bytes that nobody wrote to.
  Call with_tensors(Call call, std::size_t workspace);

  std::vector<simt::Counted> numbers(const std::string& tensor) const;

  /// Resets all counts: after this call no number has gone through an addition.
  void start_anew();

  /// The first write outside of a tensor or of the workspace, in words; empty if there is none.
  std::string damage() const;

 private:
  using Numbers = simt::Buffer<simt::Counted>;
  void* place_numbers(const std::string& name, std::size_t count, const Tensor* from);
  void* place_labels(const std::string& name, std::size_t count, const Tensor* from);

  ByName<Numbers> numbers_;
  ByName<simt::Buffer<std::int64_t>> labels_;
  Views views_;
};

/// A number that counts takes at most so many times the memory of the number it replaces.
inline constexpr std::size_t kTimesAsLarge = sizeof(simt::Counted) / sizeof(std::uint16_t);

/// Runs forward on the tensors, then backward if `between` returns true; returns a text about what
/// was wrong, or "". A write outside of the tensors is wrong.
std::string run_counting(const Kernel& kernel, const Case& c, const Execution& execution,
                         CountingTensors& tensors, const std::function<bool()>& between);

}  // namespace gradproof
