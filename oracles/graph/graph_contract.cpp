// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/graph_contract.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/stages.h"
#include "oracles/graph/functions/declared_functions.h"

namespace gradproof {
namespace {

/// The coarser of two types.
DType coarser(DType a, DType b) { return unit_roundoff(a) < unit_roundoff(b) ? b : a; }

/// True if the step has parameters, and none of the storage type. A norm's running statistics do
/// not count: with them alone InstanceNorm computes in the type of x (measured).
bool has_finer_parameters(const GraphStep& s, const GraphTypes& types) {
  const GraphStage& row = graph_stage(s.stage);
  bool any = false;
  for (std::size_t k = 1; k < s.operands.size(); ++k) {
    const DType type = types.of(s.operands[k].name);
    if (type == DType::i64 || (row.is_norm() && row.operands[k].is_running())) continue;
    if (unit_roundoff(type) >= unit_roundoff(types.storage())) return false;
    any = true;
  }
  return any;
}

/// True if has_finer_parameters() holds for all steps of the stage.
bool all_have_finer_parameters(const Graph& graph, const GraphTypes& types,
                               std::string_view stage) {
  return std::all_of(graph.steps.begin(), graph.steps.end(), [&](const GraphStep& s) {
    return s.stage != stage || has_finer_parameters(s, types);
  });
}

/// If each operator's result is stored, it is rounded before its conversion to a finer type; a
/// parameter's gradient has the parameter's type. With float32 parameters LibTorch's norms keep all
/// in float32 but what their adjoints write into d_x first, and LayerNorm's sums, whose buffers
/// have the type of x (the sources of libtorch_graph_contract()).
void take_types(const Graph& graph, const GraphTypes& types, GraphContract& c) {
  const auto take = [&](const std::string& name, DType natural) {
    const DType type = types.of(name);
    const DType rounded = c.stored_values ? coarser(type, natural) : type;
    if (rounded != c.storage) c.results[name] = rounded;
  };
  for (const std::string& output : graph.outputs) take(output, c.storage);
  for (const GraphTensor& t : graph.tensors)
    if (has_gradient(t.part)) take("d_" + t.name, types.of(t.name));
  for (auto& [stage, parts] : c.stored_parts)
    if (all_have_finer_parameters(graph, types, stage))
      std::erase_if(parts, [&](StoredPart part) {
        const bool of_layer_norm = part == StoredPart::parameter_sums && stage == "layer_norm";
        return part != StoredPart::projection && part != StoredPart::normalised && !of_layer_norm;
      });
}

/// The parts that operators of LibTorch keep in a storage type of 16 bits, by stage.
///
/// With parameters of the same 16 bits the saved statistics have them too (layer_norm.cpp,
/// group_norm.cpp, Normalization.cpp); the buffers of LayerNorm's parameter gradients as well
/// (layer_norm_kernel.cpp). BatchNorm's forward reads its saved statistics, and folds them with
/// weight and bias into two numbers of the same type (batch_norm_kernel.cpp); its
/// adjoint writes what it takes off into d_x first, and subtracts in that type. Pools add what
/// their windows give an element in d_x itself (AvgPoolKernel.cpp). log_softmax keeps the sum so,
/// and its logarithm (vec_log_softmax_lastdim_chunk_kernel) or that and the largest number.
/// In evaluation BatchNorm computes in float32 where all lies one after the other, else in the
/// storage type (Normalization.cpp, batch_norm_cpu_transform_input_template and the backward one);
/// InstanceNorm repeats weight and bias, whose gradients are then sums of stored sums. Training's
/// update of the running statistics is in it too (batch_norm_cpu_update_stats_template), and so
/// are an nll_loss' cascade and its count of labels (LossNLL.cpp, nll_loss_out_frame).
/// Without oneDNN's kernels of 16 bits a convolution is a matrix product for each sample, whose
/// gradient of the weight is added to that of the samples before; what taps of a window give one
/// number is stored, and added in the storage type (ConvolutionMM2d.cpp, im2col.h,
/// NaiveConvolutionTranspose2d.cpp).
decltype(GraphContract::stored_parts) libtorch_stored_parts() {
  using enum StoredPart;
  return {{"layer_norm", {saved_statistics, parameter_sums}},
          {"group_norm", {saved_statistics}},
          {"batch_norm",
           {saved_statistics, used_statistics, folded_affine, parameter_sums, projection}},
          {"instance_norm",
           {saved_statistics, used_statistics, folded_affine, parameter_sums, projection}},
          {"batch_norm_eval", {each_operation}},
          {"instance_norm_eval", {each_operation, sample_sums}},
          {"running_mean", {used_statistics, each_operation}},
          {"running_var", {used_statistics, each_operation}},
          {"nll_loss", {loss_sum}},
          {"conv", {parameter_sums, overlapping_sums}},
          {"conv_transpose", {parameter_sums, overlapping_sums}},
          {"avg_pool", {overlapping_sums}},
          {"pad", {overlapping_sums}},
          {"take", {overlapping_sums}},
          {"put", {overlapping_sums}},
          {"max_pool", {overlapping_sums}},
          {"log_softmax", {log_sum}}};
}

}  // namespace

std::string GraphContract::why() const {
  const bool narrow = unit_roundoff(storage) > unit_roundoff(accumulation);
  std::vector<std::string> names;
  std::copy_if(stored_names.begin(), stored_names.end(), std::back_inserter(names),
               [&](const std::string& name) { return stores_value(name); });
  const std::string stored = stored_values   ? "each value"
                             : names.empty() ? "no value between"
                                             : fmt::format("{}", fmt::join(names, " "));
  std::string results_text;
  for (const auto& [name, type] : results)
    results_text += fmt::format(", {} in {}", name, name_of(type));
  return fmt::format("each step in {}, sums in any order, larger of the usual forms{}{}",
                     name_of(accumulation), declared.empty() ? "" : ", but " + declared,
                     narrow ? fmt::format(", {} stored in {}", stored, name_of(storage)) : "") +
         results_text;
}

StoredType GraphContract::stored_between() const {
  StoredType type = stored_type_of(storage, accumulation);
  if (!stored_values) type.unit = 0;
  return type;
}

const StepContract& GraphContract::step(std::string_view value) const {
  const auto said = steps.find(value);
  return said == steps.end() ? every : said->second;
}

bool GraphContract::stores(std::string_view stage, StoredPart part) const {
  const auto found = stored_parts.find(stage);
  return found != stored_parts.end() && found->second.contains(part);
}

bool GraphContract::stores_value(std::string_view name) const {
  return stored_names.contains(name) && result_type(name).unit != 0;
}

DType GraphContract::result_dtype(std::string_view name) const {
  const auto found = results.find(name);
  return found == results.end() ? storage : found->second;
}

StoredType GraphContract::result_type(std::string_view name) const {
  return stored_type_of(result_dtype(name), accumulation);
}

/// aten/src/ATen/native of pytorch 2.11: means before squares (BatchNorm, InstanceNorm) or Welford
/// (LayerNorm, GroupNorm), never E[x^2] - E[x]^2; exp and log by Sleef, within 1 ulp.
GraphContract libtorch_graph_contract(DType storage) {
  GraphContract c;
  c.storage = storage;
  c.accumulation = storage == DType::f64 ? DType::f64 : DType::f32;
  // BatchNorm and InstanceNorm go back by dx = (dy - sum / N - (x - mean) k) invstd weight.
  parse_declared_contract(
      "variance=two_pass+welford maximum=subtracted maximum_gradient=none division=divided "
      "weighting=last",
      {})
      .every.apply(c.every);
  c.functions = libtorch_functions(storage, c.accumulation);
  c.stored_parts = libtorch_stored_parts();
  // sigmoid_backward: dy (1 - y) y, each operation in it: on a CPU in float16 alone
  // (BinaryOpsKernel.cpp), on a GPU in either type (BinaryMiscBackwardOpsKernels.cu).
  if (storage != c.accumulation) c.stored_parts["sigmoid"] = {StoredPart::slope_factors};
  return c;
}

GraphContract libtorch_graph_contract(const Graph& graph, const GraphTypes& types) {
  GraphContract c = libtorch_graph_contract(types.storage());
  take_types(graph, types, c);
  return c;
}

GraphContract graph_contract(DType storage, const DeclaredContract& declared) {
  GraphContract c;
  c.storage = storage;
  const GraphContract of_libtorch = libtorch_graph_contract(storage);
  c.accumulation = declared.accumulation.value_or(of_libtorch.accumulation);
  c.stored_values = declared.stores_each_value();
  c.stored_names = {declared.stored_names.begin(), declared.stored_names.end()};
  if (c.stored_values) {
    c.stored_parts = of_libtorch.stored_parts;
    // A norm with a beta does not get it: that would hide a count of N - 1 in bfloat16 (0.8% of 64
    // numbers).
    c.stored_parts["rms_norm"].insert(StoredPart::normalised);
  }
  // LibTorch's GroupNorm on a GPU (group_norm_kernel.cu) keeps mean and rstd in the type of x.
  if (declared.stored == DeclaredContract::Stored::all_and_statistics)
    for (const GraphStage& stage : graph_stages())
      if (stage.statistics == StageStatistics::own)
        c.stored_parts[std::string(stage.word)].insert(StoredPart::rounded_statistics);
  c.functions = functions_of(declared, of_libtorch.functions);
  using enum DeclaredContract::Literals;
  const bool is_coarse = unit_roundoff(storage) > unit_roundoff(c.accumulation);
  if (is_coarse && declared.literals.value_or(c.stored_values ? stored : exact) == stored)
    c.functions.literal = unit_roundoff(storage) / (1 - unit_roundoff(storage));
  c.flush_to_zero =
      declared.subnormals == DeclaredContract::Subnormals::flushed && c.accumulation == DType::f32;
  declared.every.apply(c.every);
  for (const auto& [value, said] : declared.steps) {
    StepContract step = c.every;
    said.apply(step);
    c.steps.emplace(value, step);
  }
  c.declared = to_string(declared);
  return c;
}

GraphContract graph_contract(const Graph& graph, const GraphTypes& types,
                             const DeclaredContract& declared) {
  GraphContract c = graph_contract(types.storage(), declared);
  take_types(graph, types, c);
  return c;
}

}  // namespace gradproof
