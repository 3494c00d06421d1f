// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "kernels/harness/guarded_tensor.h"
#include "kernels/kernel.h"

/// What run_kernel and run_interleaved are made of: tensors in the back-end's memory, and calls of
/// a kernel's entry points on them.
namespace gradproof {

void append(simt::Findings& all, simt::Findings more);

/// Memory of a claim's inputs, parameters, cotangents and buffers, which `replace` fills.
std::vector<GuardedTensor> place_given(const Claim& claim, simt::Backend backend, std::byte poison);

/// Memory of its outputs and gradients. `of` as in GuardedTensor.
std::vector<GuardedTensor> place_results(const Claim& claim, simt::Backend backend,
                                         std::byte poison, const std::string& of = "");

/// Puts the numbers of every tensor that `numbers` has; what had happened to those that are only
/// read.
simt::Findings replace(std::vector<GuardedTensor>& given, const Tensors& numbers);

/// Takes everything that a call left, and gives its memory back.
KernelRun leave(std::vector<GuardedTensor>& given, std::vector<GuardedTensor>& results, Keep keep,
                simt::Findings findings);

/// Passes of kernels and what stands between them: the findings of each.
using Steps = std::vector<std::function<simt::Findings()>>;

/// Until something is found.
simt::Findings run_steps(const Steps& steps);

/// Who calls a kernel: on a stream of his own, with one schedule, each pass with a workspace that
/// nobody wrote to.
class Caller {
 public:
  /// Throws simt::NoDevice. `kernel` must outlive this.
  Caller(const Kernel& kernel, const Case& c, const Execution& execution, std::byte poison);

  /// Of launches between here and its end; they are numbered anew in each.
  simt::Options options() const;
  Call call_on(std::vector<GuardedTensor>& given, std::vector<GuardedTensor>& results) const;

  /// What the executor found, and damage of the workspace.
  simt::Findings forward(const Call& call) const;
  simt::Findings backward(const Call& call) const;

  simt::Backend backend() const { return execution_.backend; }

 private:
  simt::Findings run_pass(const EntryPoints::Function& entry, Call call,
                          const std::string& name) const;

  const Kernel& kernel_;
  const EntryPoints& entry_;
  Call plain_;
  Execution execution_;
  std::byte poison_;
  simt::Stream stream_;
};

}  // namespace gradproof
