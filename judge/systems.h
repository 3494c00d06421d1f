// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "judge/case_run.h"
#include "kernels/kernel.h"

namespace gradproof {

/// A model with a kernel behind its Linear, as a system under test (fixtures/models).
struct ModelPair {
  SchemaPtr schema;
  /// Draws network input, weights, parameters and buffers as the Case says, and runs one step: the
  /// run of the kernel behind the Linear on what the Linear gave. Throws what LibTorch throws, and
  /// simt::NoDevice for device=cuda where there is none.
  std::function<CaseRun(const Case&)> run;
  /// Judges such a step, its Linear included; `blank` is a Record of the Case that says nothing
  /// yet.
  std::function<std::vector<Record>(const Case&, const Record& blank, Detail)> check;
  /// The name in the model of a tensor that the kernel calls so: weight is bn.weight, x is z.
  std::function<std::string(const std::string& kernel_tensor)> tensor_name;
};

/// All that a worker can judge: a value that its main makes and passes to serve().
struct Systems {
  Catalog catalog;
  std::vector<ModelPair> pairs = {};

  /// The schemas for parse_case: those of the kernels, then those of the pairs.
  std::vector<SchemaPtr> schemas() const;

  /// The Case's pair; null if the Case is a kernel's.
  const ModelPair* pair_of(const Case& c) const;

  /// The name in records of a tensor that the kernel calls so.
  std::string tensor_name(const Case& c, const std::string& kernel_tensor) const;
};

}  // namespace gradproof
