// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "kernels/harness/calls.h"
#include "properties/laws/trial.h"

namespace gradproof {

/// An instance of the trial's kernel: memory that serves all its calls, and a stream.
class Instance {
 public:
  Instance(const Trial& t, const Tensors& inputs);

  /// Numbers in the place of those that were there.
  simt::Findings put(const Tensors& numbers) { return replace(given_, numbers); }

  /// Calls it as another Case of the same tensors says, on inputs and cotangents of `numbers`;
  /// everything that is written, as it is then.
  LawRun call(const Case& c, const Tensors& numbers);

  simt::Backend backend() const { return caller_->backend(); }
  KernelPass pass(bool backward) const;
  /// Enqueues a pass on this instance's stream.
  void launch(KernelPass& pass) const;

  /// Everything that is written. The memory is given back.
  KernelRun left(simt::Findings findings);

 private:
  void call_as(const Case& c);
  KernelRun look(simt::Findings findings) const;

  const Trial& trial_;
  std::unique_ptr<Caller> caller_;
  std::vector<GuardedTensor> given_, results_;
  Call call_;
};

}  // namespace gradproof
