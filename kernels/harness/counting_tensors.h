// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "simt/counted.h"
#include "simt/memory/buffer.h"

namespace gradproof {

/// The tensors of a Case in numbers that count, each in memory of the executor between guard bands;
/// results are NaN until they are written. Numbers of 16 bits take as much memory as others.
class CountingTensors {
 public:
  CountingTensors(const Claim& claim, const Tensors& inputs);

  /// The call with these tensors and a workspace of so many bytes that nobody wrote to.
  Call with_tensors(Call call, std::size_t workspace);

  std::vector<simt::Counted> numbers(const std::string& tensor) const;

  /// From here on no number has gone through an addition.
  void start_anew();

  /// What was written outside of a tensor or of the workspace; empty: nothing was.
  std::string damage() const;

 private:
  using Numbers = simt::Buffer<simt::Counted>;
  void* place_numbers(const std::string& name, std::size_t count, const Tensor* from);
  void* place_labels(const std::string& name, std::size_t count, const Tensor* from);

  ByName<Numbers> numbers_;
  ByName<simt::Buffer<std::int64_t>> labels_;
  Views views_;
};

/// A number that counts takes at most so many times the memory of the one that it stands for.
inline constexpr std::size_t kTimesAsLarge = sizeof(simt::Counted) / sizeof(std::uint16_t);

/// Runs forward on the tensors, then backward where `between` lets it; what was wrong with it, or
/// nothing. A write outside of the tensors is wrong.
std::string run_counting(const Kernel& kernel, const Case& c, const Execution& execution,
                         CountingTensors& tensors, const std::function<bool()>& between);

}  // namespace gradproof
