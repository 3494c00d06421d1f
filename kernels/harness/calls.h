// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "kernels/harness/guarded_tensor.h"
#include "kernels/kernel.h"
#include "simt/stream.h"

/// The parts of run_kernel and run_interleaved: tensors in the back-end's memory, and calls of a
/// kernel's entry points on them.
namespace gradproof {

void append(simt::Findings& all, simt::Findings more);

/// The memory of a claim's inputs, parameters, cotangents and buffers, which `replace` fills. `of`
/// is used as in GuardedTensor.
std::vector<GuardedTensor> place_given(const Claim& claim, simt::Backend backend, std::byte poison,
                                       const std::string& of = "");

/// The memory of the claim's outputs and gradients.
std::vector<GuardedTensor> place_results(const Claim& claim, simt::Backend backend,
                                         std::byte poison, const std::string& of = "");

/// Puts the numbers of every tensor that `numbers` has; returns the changes that had happened to
/// those that are only read.
simt::Findings replace(std::vector<GuardedTensor>& given, const Tensors& numbers);

/// Takes everything that a call left, and gives the memory of the call back.
KernelRun leave(std::vector<GuardedTensor>& given, std::vector<GuardedTensor>& results, Keep keep,
                simt::Findings findings);

/// The passes of kernels and the work between them; each step returns its findings.
using Steps = std::vector<std::function<simt::Findings()>>;

/// Runs the steps until one has findings, and returns these.
simt::Findings run_steps(const Steps& steps);

/// One pass that is ready to be enqueued, with a workspace that nobody wrote to and that lives
/// until the pass has ended.
class KernelPass {
 public:
  KernelPass(const EntryPoints::Function& entry, Call call, std::size_t workspace,
             const std::string& name, std::byte poison, const simt::Stream& stream);

  /// Enqueues the pass. Uploads must have ended, because the stream does not wait for them.
  void launch();
  /// Waits for the end of the pass; returns the executor's findings and damage of the workspace.
  simt::Findings finish();

 private:
  const EntryPoints::Function& entry_;
  Call call_;
  simt::Memory workspace_;
  const simt::Stream& stream_;
  simt::Findings findings_;
};

/// The caller of a kernel: it has a stream of its own, one schedule, and for each pass a workspace
/// that nobody wrote to.
class Caller {
 public:
  /// Throws simt::NoDevice. `kernel` must outlive the Caller.
  Caller(const Kernel& kernel, const Case& c, const Execution& execution, std::byte poison);

  /// The options of the launches until this object ends. Each object numbers its launches anew.
  simt::Options options() const;
  Call call_on(std::vector<GuardedTensor>& given, std::vector<GuardedTensor>& results) const;

  KernelPass forward_pass(const Call& call) const;
  KernelPass backward_pass(const Call& call) const;
  /// These run the pass from its launch to its end.
  simt::Findings forward(const Call& call) const { return run(forward_pass(call)); }
  simt::Findings backward(const Call& call) const { return run(backward_pass(call)); }

  simt::Backend backend() const { return execution_.backend; }

 private:
  simt::Findings run(KernelPass pass) const;

  const Kernel& kernel_;
  const EntryPoints& entry_;
  Call plain_;
  Execution execution_;
  std::byte poison_;
  simt::Stream stream_;
};

}  // namespace gradproof
