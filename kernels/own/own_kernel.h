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

/// A tensor that forward leaves for backward, such as 1/std of each row. Nobody judges it.
struct SavedTensor {
  std::string name;
  std::vector<std::string> axes;  ///< of the pipeline
  DType dtype = DType::f32;
};

/// A kernel that is not of this tree. What it should compute is said by a graph alone: no code of
/// the oracle knows it (docs/bring-your-own.md).
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
  /// Scratch memory of one pass in bytes: the tensor `workspace`.
  std::function<std::size_t(const Call&)> workspace = {};
  /// Whether it gives the same bits again, under any schedule of its threads.
  bool deterministic = true;
};

/// The same kernel, compiled with a number that counts its additions in place of float
/// (kernels/own/counting_unit.h).
struct CountingKernel {
  std::optional<OwnKernel> kernel = {};
  std::string lack = {};  ///< why there is none; empty where nobody asked for it
};

/// As a system under test: `host`, compiled for the executor or plain host code, runs for
/// device=cpu, and `device` for device=cuda; where there is none such a Case is skipped. `counting`
/// measures the chains of its sums on the executor. Throws UsageError for a word that no Case line
/// can have, a pipeline or a contract that is none, and where `forward` is missing.
Kernel system_of(const std::optional<OwnKernel>& host,
                 const std::optional<OwnKernel>& device = std::nullopt,
                 const CountingKernel& counting = {});

}  // namespace gradproof
