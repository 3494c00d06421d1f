// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/claim/claim.h"
#include "core/tensor/philox.h"
#include "core/tensor/tensor.h"

namespace gradproof::oracle_tests {

inline constexpr double kNoMomentum = std::numeric_limits<double>::quiet_NaN();

/// Shape of a bias, scale or multiply: (1), (cols) or (1, cols).
enum class VectorShape { one, cols, row };

/// A claim about one of the eight fused systems, as data.
struct ClaimOptions {
  std::string system = "batchnorm_bias_divide_swish";
  std::int64_t rows = 7;
  std::int64_t cols = 3;
  std::int64_t groups = 0;  ///< of the systems with a GroupNorm; 0: one
  VectorShape vector = VectorShape::one;
  bool affine = true;
  bool training = true;
  bool closed = false;              ///< Contract::scale_in_closed_form, of scale_batchnorm
  double eps = 0x1.4f8b58p-17;      // 1e-5 in float32
  double momentum = 0x1.99999ap-4;  // 0.1 in float32
  double divide = -2.5;
  std::int64_t lanes = 32;
  std::int64_t chunk = 1 << 30;   ///< rows that one set of lanes takes; chunks meet in lanes again
  DType parameters = DType::i64;  ///< i64: as the storage
  Contract contract = {};
};

inline const std::vector<std::string>& system_names() {
  static const std::vector<std::string> names{
      "bias_divide_swish",    "batchnorm_bias_divide_swish",
      "scale_batchnorm",      "swish_bias_groupnorm",
      "swish_bias",           "groupnorm",
      "swish_multiply_swish", "groupnorm_swish_multiply_swish"};
  return names;
}

inline bool has_group_norm(const ClaimOptions& o) {
  return o.system.find("groupnorm") != std::string::npos;
}

inline std::int64_t groups_of(const ClaimOptions& o) {
  return has_group_norm(o) ? std::max<std::int64_t>(o.groups, 1) : 0;
}

/// The call of the stage that a system is named by.
inline std::string call_text(const ClaimOptions& o, const std::string& word,
                             const std::string& value) {
  const std::string vector = o.vector == VectorShape::one ? word + "[]" : word;
  const std::string affine = o.affine ? ", weight, beta" : "";
  if (word == "swish") return fmt::format("silu({})", value);
  if (word == "bias") return fmt::format("bias({}, {})", value, vector);
  if (word == "scale" || word == "multiply") return fmt::format("scale({}, {})", value, vector);
  if (word == "divide") return fmt::format("divide({}, {})", value, o.divide);
  if (word == "groupnorm")
    return fmt::format("group_norm({}{}, groups={}, eps={})", value, affine, groups_of(o), o.eps);
  return o.training ? fmt::format("batch_norm({}{}, eps={})", value, affine, o.eps)
                    : fmt::format("batch_norm_eval({}, running_mean, running_var{}, eps={})", value,
                                  affine, o.eps);
}

/// A momentum that is none is the claim's to say.
inline std::string moved_statistics(const ClaimOptions& o, const std::string& value) {
  const double momentum = std::isnan(o.momentum) ? 0.1 : o.momentum;
  return fmt::format(
      "; new_mean = running_mean({0}, running_mean, momentum={1}); "
      "new_var = running_var({0}, running_var, momentum={1}); outputs y new_mean new_var",
      value, momentum);
}

/// The stages that a system is named by.
inline Graph graph_of(const ClaimOptions& o) {
  std::string text;
  std::string moved;
  std::string value = "x";
  std::string rest = o.system + "_";
  for (int k = 0; !rest.empty(); ++k) {
    const std::string word = rest.substr(0, rest.find('_'));
    rest = rest.substr(word.size() + 1);
    const std::string name = rest.empty() ? "y" : fmt::format("v{}", k);
    if (word == "batchnorm" && o.training) moved = moved_statistics(o, value);
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", name, call_text(o, word, value));
    value = name;
  }
  return parse_graph(text + moved);
}

/// The graph has first what its text declares with axes.
inline std::vector<GraphTensor> in_order_of_use(const Graph& graph) {
  std::vector<GraphTensor> used;
  const auto is_known = [&](const GraphTensor& t) {
    return std::any_of(used.begin(), used.end(), [&](const auto& u) { return u.name == t.name; });
  };
  for (const GraphStep& step : graph.steps)
    for (const GraphOperand& operand : step.operands)
      for (const GraphTensor& t : graph.tensors)
        if (t.name == operand.name && !is_known(t)) used.push_back(t);
  return used;
}

inline void add_parameters(std::vector<TensorSpec>& tensors, const ClaimOptions& o,
                           const Graph& graph, DType dtype) {
  const Layout column = Layout::contiguous({o.cols});
  const Layout row = Layout::contiguous({1, o.cols});
  for (const GraphTensor& tensor : in_order_of_use(graph)) {
    if (tensor.part == TensorPart::input) continue;
    const bool norms =
        tensor.name == "weight" || tensor.name == "beta" || tensor.part != TensorPart::parameter;
    const Layout vector = tensor.axes.empty()                      ? Layout::contiguous({1})
                          : o.vector == VectorShape::row && !norms ? row
                                                                   : column;
    const Role role = has_gradient(tensor.part) ? Role::parameter : Role::buffer;
    tensors.push_back({tensor.name, role, dtype, vector});
  }
  if (o.system.find("batchnorm") != std::string::npos)
    tensors.push_back({"num_batches_tracked", Role::buffer, DType::i64, Layout::contiguous({1})});
}

inline std::vector<TensorSpec> tensors_of(const ClaimOptions& o, const Graph& graph) {
  const Layout matrix = Layout::contiguous({o.rows, o.cols});
  const DType t = o.contract.storage;
  const DType p = o.parameters == DType::i64 ? t : o.parameters;
  std::vector<TensorSpec> tensors{{"x", Role::input, t, matrix}};
  add_parameters(tensors, o, graph, p);
  const std::vector<TensorSpec> inputs = tensors;
  tensors.push_back({"dy", Role::cotangent, t, matrix});
  tensors.push_back({"y", Role::output, t, matrix});
  if (o.system.find("norm") != std::string::npos && (o.rows > 0 || has_group_norm(o))) {
    const Layout saved = has_group_norm(o) ? Layout::contiguous({o.rows, groups_of(o)})
                                           : Layout::contiguous({o.cols});
    tensors.push_back({"mean", Role::output, o.contract.accumulation, saved});
    tensors.push_back({"rstd", Role::output, o.contract.accumulation, saved});
  }
  tensors.push_back({"d_x", Role::gradient, t, matrix});
  for (const TensorSpec& spec : inputs)
    if (spec.role == Role::parameter)
      tensors.push_back({"d_" + spec.name, Role::gradient, spec.dtype, spec.layout});
  return tensors;
}

/// The longest chain of additions over a unit. Two additions join two of Welford's sums of squares;
/// a lane's first two numbers need none.
inline std::int64_t chain_of(const ClaimOptions& o, std::int64_t length, bool welford) {
  const std::int64_t rows = std::min(length, o.chunk);
  const std::int64_t chunks = (length + o.chunk - 1) / o.chunk;
  const std::int64_t plain = tree_chain(rows, o.lanes) + tree_chain(chunks, o.lanes);
  if (!welford) return plain;
  const std::int64_t in_lane = (rows + o.lanes - 1) / o.lanes - 1;
  const std::int64_t joins = tree_chain(std::min(rows, o.lanes), o.lanes);
  const std::int64_t squares =
      std::max<std::int64_t>(0, in_lane - 1) + 2 * (joins + tree_chain(chunks, o.lanes));
  return std::max(plain, squares);
}

inline Claim make_claim(const ClaimOptions& o) {
  Claim claim;
  claim.graph = graph_of(o);
  claim.extents = {{"rows", o.rows}, {"cols", o.cols}};
  claim.cumulative = std::isnan(o.momentum);
  claim.contract = o.contract;
  claim.contract.scale_in_closed_form = o.closed && o.system == "scale_batchnorm";
  const std::int64_t unit = claim.groups() > 0 ? claim.block_width() : o.rows;
  const std::string shape = "lanes and a tree";
  claim.contract.reductions = {
      {"statistics", unit, chain_of(o, unit, o.contract.variance == Variance::welford), shape},
      {"gradients", unit, tree_chain(unit, o.lanes), shape},
      {"parameters", o.rows, tree_chain(o.rows, o.lanes), shape},
      {"shared", o.cols, tree_chain(o.cols, o.lanes), shape}};
  claim.tensors = tensors_of(o, claim.graph);
  return claim;
}

/// Numbers for every input of a claim: x = offset + scale N(0,1), dy = 1 + N(0,1), no identities.
inline Tensors make_inputs(const Claim& claim, std::uint64_t seed, double scale = 1,
                           double offset = 0) {
  Tensors tensors;
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role == Role::output || spec.role == Role::gradient) continue;
    const Stream stream(seed, spec.name);
    Tensor tensor(spec.dtype, spec.layout);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double normal = stream.normal(static_cast<std::uint64_t>(i));
      double value = 1 + 0.3 * normal;
      if (spec.role == Role::input) value = offset + scale * normal;
      if (spec.role == Role::cotangent) value = 1 + normal;
      if (spec.name == "running_var") value = 0.2 + std::abs(normal);
      if (spec.dtype == DType::i64) value = 7;
      tensor.set(i, value);
    }
    tensors.emplace(spec.name, std::move(tensor));
  }
  return tensors;
}

}  // namespace gradproof::oracle_tests
