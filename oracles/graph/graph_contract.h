// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/graph/contract/declared_contract.h"
#include "core/graph/contract/error_bound.h"
#include "core/graph/contract/step_contract.h"
#include "core/graph/graph_types.h"
#include "core/tensor/dtype.h"
#include "oracles/graph/functions/function_errors.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {

/// The parts of a stage, besides its value, that are kept in the storage type.
enum class StoredPart {
  saved_statistics,  ///< mean and 1/std, as the adjoint reads them
  used_statistics,   ///< the same as the value takes them
  folded_affine,     ///< the two numbers of x alpha + shift
  parameter_sums,    ///< running sums of the gradients of weight and beta
  projection,        ///< mean(g), the sum and mean of g xhat, and all that the adjoint takes off g
  overlapping_sums,  ///< of the gradients that several windows give one element, and each of them
  log_sum,           ///< of a log_softmax the sum, and its logarithm or m + that
  each_operation,    ///< of value and adjoint
  sample_sums,       ///< of the gradients of weight and beta, those of one sample
  loss_sum,          ///< of an nll_loss the running sum, and how many labels there are
  slope_factors,     ///< of an elementwise adjoint a factor of f', and dy times it
  rounded_statistics,  ///< mean and 1/std once they are computed, before the value takes them
  normalised           ///< xhat as weight and beta are applied to it, and weight dy
};

/// The promises of code that computes a graph about its arithmetic. The defaults are those of code
/// that declares nothing: sums in any order, and for each step every form that occurs in practice.
struct GraphContract {
  DType storage = DType::f32;
  DType accumulation = DType::f32;
  /// The types of outputs and gradients ("d_x") that are not rounded to `storage`.
  DTypes results = {};
  /// A float32 result below the smallest normal number may become 0, and an operand there may count
  /// as 0; float64 never does.
  bool flush_to_zero = false;
  bool stored_values = true;  ///< every operator's result is rounded to the storage type
  /// Without stored_values: the values that are stored and may be read so by later steps.
  std::set<std::string, std::less<>> stored_names = {};
  StepContract every;
  std::map<std::string, StepContract, std::less<>> steps = {};  ///< of single steps, by value
  std::string declared = {};                                    ///< as canonical text
  FunctionErrors functions;
  ErrorBound bound = ErrorBound::certain;

  std::map<std::string, std::set<StoredPart>, std::less<>> stored_parts = {};  ///< by stage

  const StepContract& step(std::string_view value) const;
  FormSet forms(const GraphStep& of, FormPart part) const {
    return step(of.value).of(part, of.stage);
  }
  bool stores(std::string_view stage, StoredPart part) const;
  /// True if a step's value of that name is stored although not every one is.
  bool stores_value(std::string_view name) const;
  /// The type that each operator's result is rounded to; with unit 0, none is rounded.
  StoredType stored_between() const;
  /// The type that an output or gradient is rounded to.
  DType result_dtype(std::string_view name) const;
  StoredType result_type(std::string_view name) const;
  /// The text for a verdict that names the contract.
  std::string why() const;
};

/// The options of the statistics that a step takes.
struct StatisticsOf {
  double eps = 0;
  bool centred = true;  ///< the mean is taken off
  std::string_view stage;
  const StepContract& contract;
};

/// The contract of LibTorch's operators on the CPU, one after the other, of one type.
GraphContract libtorch_graph_contract(DType storage);
/// The contract of LibTorch's operators with the types of a graph.
GraphContract libtorch_graph_contract(const Graph& graph, const GraphTypes& types);

/// The contract of code about which something is declared. If it stores each value, each stage also
/// keeps in the storage type the parts that LibTorch does.
GraphContract graph_contract(DType storage, const DeclaredContract& declared);
GraphContract graph_contract(const Graph& graph, const GraphTypes& types,
                             const DeclaredContract& declared);

}  // namespace gradproof
