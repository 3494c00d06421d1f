// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/call.h"

namespace gradproof {

struct Kernel;

/// A tensor that forward saves for backward, such as 1/std of each row. It is not judged.
struct SavedTensor {
  std::string name;
  std::vector<std::string> axes;  ///< of the pipeline
  DType dtype = DType::f32;
};

/// A kernel that is not of this tree. Only a graph says what it should compute: no code of the
/// oracle knows the kernel (docs/bring-your-own.md).
///
/// The entry points get a Call: contiguous tensors by name (each tensor of the pipeline, `y` for
/// each output y, to backward also `dy` and `d_x` for each tensor x that has a gradient), extents
/// by axis, and the stream on which all work is enqueued. Call::backend says where the tensors are:
/// in the host's memory for the executor and for host code, or on the device.
struct OwnKernel {
  std::string word;           ///< of its Case lines; no blank, and no '{' in front
  std::string pipeline;       ///< a line of the language of graphs (docs/graphs.md)
  std::string contract = {};  ///< what it promises of its arithmetic (docs/contracts.md)
  EntryPoints::Function forward;
  EntryPoints::Function backward = {};  ///< empty: the outputs alone are judged
  std::vector<DType> dtypes = {DType::f32};
  std::vector<SavedTensor> saved = {};
  /// The bytes of scratch memory of one pass, which the tensor `workspace` views.
  std::function<std::size_t(const Call&)> workspace = {};
  /// True if the kernel gives the same bits again, under any schedule of its threads.
  bool deterministic = true;
};

/// The kernel compiled with a number that counts its additions in place of float
/// (kernels/own/counting_unit.h).
struct CountingKernel {
  std::optional<OwnKernel> kernel = {};
  std::string lack = {};  ///< why there is none; empty where nobody asked for it
};

/// Makes a system under test: `host`, compiled for the executor or plain host code, runs for
/// device=cpu, and `device` for device=cuda; without one its Cases are skipped. `counting` measures
/// the chains of its sums on the executor. Throws UsageError for a word that no Case line can have,
/// a pipeline or a contract that is none, and a missing `forward`.
Kernel system_of(const std::optional<OwnKernel>& host,
                 const std::optional<OwnKernel>& device = std::nullopt,
                 const CountingKernel& counting = {});

}  // namespace gradproof
