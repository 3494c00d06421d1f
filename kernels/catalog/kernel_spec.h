// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/catalog/entries.h"
#include "kernels/kernel.h"

namespace gradproof {

/// One row of the catalog as data: everything else (keys, refusals, tensors, claim, arguments)
/// follows from the stages.
struct KernelSpec {
  struct Stage {
    std::string word;            ///< of the graph's stage (core/graph/stages.h)
    std::string parameter = {};  ///< of bias and scale: the tensor's name
  };
  std::string word;
  std::string summary;  ///< the formula, in Python's words
  std::vector<Stage> stages;
  int differentiable = 2;  ///< Claim::differentiable; all stages of today are smooth

  bool has(std::string_view stage) const;
  bool has_norm() const;
  /// Whether a stage takes the contract's exp.
  bool takes_exp() const;
  /// bias, scale, multiply: the parameters besides a norm's own.
  std::vector<std::string> vectors() const;
  /// x and all parameters, in the order of their gradients.
  std::vector<std::string> having_gradients() const;
};

/// Whether a text of the key `grads` names this one of several: "x+beta" names x and beta, "all"
/// nobody.
bool is_asked(const std::string& grads, const std::string& name);

/// What a Case line of the system may say.
SchemaPtr schema_of(const KernelSpec& system, const std::map<std::string, Mutant>& mutants);

/// Pipeline and tensors; the contract comes from column_contract or group_contract.
Claim claim_of(const KernelSpec& system, const Case& c);

/// The call that a Case asks for.
Call call_of(const KernelSpec& system, const Case& c);

/// Whether a BatchNorm of this Case takes the batch's own statistics.
bool has_batch_statistics(const Case& c);

/// What the kernels of kernels/device/column_*.cuh and group_*.cuh promise: reductions and forms.
Contract column_contract(const KernelSpec& system, const Case& c);
Contract group_contract(const KernelSpec& system, const Case& c);

/// Sizes on both sides of each limit where their path changes.
std::vector<Factor> column_limits(const KernelSpec& system, DType dtype);
std::vector<Factor> group_limits(DType dtype);

/// Scratch memory of one pass in bytes.
std::size_t column_workspace(const KernelSpec& system, const Call& call);
std::size_t group_workspace(const KernelSpec& system, const Call& call);

}  // namespace gradproof
