// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/stages.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/layouts.h"
#include "kernels/catalog/pipeline_parts.h"
#include "kernels/catalog/refusals.h"

namespace gradproof {
namespace {

DType accumulation_of(DType dtype) { return dtype == DType::f64 ? DType::f64 : DType::f32; }

DType dtype_of(const Case& c) { return parse_dtype(c.text("dtype")); }

DType parameters_of(const Case& c) {
  return c.is("params", "same") ? dtype_of(c) : parse_dtype(c.text("params"));
}

double scalar(const Case& c, const std::string& key) {
  if (!c.is_number(key)) return std::numeric_limits<double>::quiet_NaN();
  return round_to(accumulation_of(dtype_of(c)), c.real(key));
}

bool moves_statistics(const KernelSpec& spec, const Case& c) {
  return has_stage(spec.pipeline, "batch_norm") && c.is("mode", "train") && c.is("track", "yes");
}

/// The text of a tensor that is not the norm's; a tensor of one number has no axes.
std::string vector_text(const Case& c, const std::string& name) {
  return c.is(name, "one") ? name + "[]" : name;
}

/// The text of a norm's call; `value` is the norm's input.
std::string norm_text(const std::string& word, const std::string& value, const Case& c) {
  const bool evaluated = word == "batch_norm" && !has_batch_statistics(c);
  std::string text = word + (evaluated ? "_eval(" : "(") + value;
  if (evaluated) text += ", running_mean, running_var";
  if (c.is("affine", "yes")) text += ", weight, beta";
  if (word == "group_norm") text += fmt::format(", groups={}", c.integer("groups"));
  return fmt::format("{}, eps={})", text, scalar(c, "eps"));
}

/// The text of the running statistics of `value` after a training step. The graph does not say the
/// momentum of a cumulative average.
std::string moved_statistics(const std::string& value, const Case& c) {
  const std::string momentum =
      c.is_number("momentum") ? fmt::format(", momentum={}", scalar(c, "momentum")) : "";
  std::string text;
  for (const char* name : {"running_mean", "running_var"})
    text += fmt::format("; new_{0} = {0}({1}, {0}{2})", name, value, momentum);
  return text + "; outputs y new_running_mean new_running_var";
}

/// The text of a pipeline step as the Case has it; a number operand is 1 here and is set later.
std::string call_text(const GraphStep& step, const std::string& value, const Case& c) {
  const GraphStage& row = graph_stage(step.stage);
  if (row.is_norm()) return norm_text(step.stage, value, c);
  std::string text = step.stage + "(" + value;
  for (std::size_t k = 1; k < step.operands.size(); ++k)
    text += ", " + (step.operands[k].is_number() ? "1" : vector_text(c, step.operands[k].name));
  for (const StageOption& option : row.options)
    if (option.words.empty())
      text += fmt::format(", {}={}", option.key, scalar(c, std::string(option.key)));
  return text + ")";
}

/// The graph has one assignment for each stage: v0, v1, ... and y.
Graph graph_of(const KernelSpec& spec, const Case& c) {
  std::string text;
  std::string moved;
  std::string value = "x";
  const std::vector<GraphStep>& steps = spec.pipeline.steps;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].stage == "batch_norm" && moves_statistics(spec, c))
      moved = moved_statistics(value, c);
    const std::string name = k + 1 < steps.size() ? fmt::format("v{}", k) : "y";
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", name, call_text(steps[k], value, c));
    value = name;
  }
  Graph graph = parse_graph(text + moved);
  // A divisor may be any number, also infinity, which has no text in the language of graphs.
  for (GraphStep& step : graph.steps)
    for (GraphOperand& operand : step.operands)
      if (operand.is_number()) operand.number = scalar(c, step.stage);
  return graph;
}

/// The axes of a parameter, from the word of the key that has the parameter's name.
std::vector<std::string> axes_of_vector(const Case& c, const std::string& name) {
  if (c.is(name, "one")) return {""};
  if (c.is(name, "row")) return {"", "cols"};
  return {"cols"};
}

/// Collects the tensors of a claim in the order in which they are shown.
class Specs {
 public:
  Specs(const Graph& pipeline, const Case& c) : pipeline_(pipeline), c_(c) {}

  std::vector<TensorSpec> all() {
    matrix("x", Role::input, c_.text("layout"));
    parameters();
    if (!c_.is("op", "forward")) matrix("dy", Role::cotangent, c_.text("dy_layout"));
    const std::string& out = c_.text(c_.is("out_layout", "same") ? "layout" : "out_layout");
    matrix("y", Role::output, out);
    statistics();
    if (!c_.is("op", "forward")) gradients(out);
    return std::move(tensors_);
  }

 private:
  std::int64_t rows() const { return c_.integer("rows"); }
  std::int64_t cols() const { return c_.integer("cols"); }
  bool has_norm() const { return norm_of(pipeline_) != nullptr; }
  bool batch_norm() const { return has_stage(pipeline_, "batch_norm"); }
  bool affine() const { return has_norm() && c_.is("affine", "yes"); }

  /// Adds a contiguous tensor of these axes.
  void add(const std::string& name, Role role, DType dtype, std::vector<std::string> axes) {
    Shape shape;
    for (const std::string& axis : axes) shape.push_back(axis.empty() ? 1 : c_.integer(axis));
    tensors_.push_back({name, role, dtype, Layout::contiguous(shape), std::move(axes)});
  }
  void matrix(const std::string& name, Role role, const std::string& layout) {
    tensors_.push_back(
        {name, role, dtype_of(c_), layout_of(layout, rows(), cols()), {"rows", "cols"}});
  }

  void parameters() {
    const DType dtype = parameters_of(c_);
    if (affine()) add("weight", Role::parameter, dtype, {"cols"});
    if (affine()) add("beta", Role::parameter, dtype, {"cols"});
    for (const std::string& name : vectors_of(pipeline_))
      add(name, Role::parameter, dtype, axes_of_vector(c_, name));
    if (!batch_norm() || !c_.is("track", "yes")) return;
    add("running_mean", Role::buffer, dtype, {"cols"});
    add("running_var", Role::buffer, dtype, {"cols"});
    add("num_batches_tracked", Role::buffer, DType::i64, {""});
  }

  void statistics() {
    if (!has_norm()) return;
    if (batch_norm() && rows() == 0 && has_batch_statistics(c_)) return;  // nothing has no mean
    const DType dtype = accumulation_of(dtype_of(c_));
    const std::vector<std::string> axes = batch_norm() ? std::vector<std::string>{"cols"}
                                                       : std::vector<std::string>{"rows", "groups"};
    add("mean", Role::output, dtype, axes);
    add("rstd", Role::output, dtype, axes);
  }

  bool wants(const std::string& name) const {
    if (c_.is("grads", "input")) return name == "x";
    if (c_.is("grads", "parameters")) return name != "x";
    return c_.is("grads", "all") || is_asked(c_.text("grads"), name);
  }

  void gradients(const std::string& out) {
    if (wants("x")) matrix("d_x", Role::gradient, out);
    std::vector<TensorSpec> more;
    for (const TensorSpec& spec : tensors_)
      if (spec.role == Role::parameter && wants(spec.name))
        more.push_back({"d_" + spec.name, Role::gradient, spec.dtype, spec.layout, spec.axes});
    tensors_.insert(tensors_.end(), more.begin(), more.end());
  }

  const Graph& pipeline_;
  const Case& c_;
  std::vector<TensorSpec> tensors_;
};

/// The relative error of exp in units of u.
///   CPU, f32  glibc: 0.99991 measured over every negative float32
///   CPU, f64  glibc: 0.511 ulp of the result (sysdeps/ieee754/dbl-64/e_exp.c), up to 1.022 u
///   CUDA      both: 1 ulp of the rounded result (CUDA C++ Programming Guide, mathematical
///             functions), so 1.5 ulp or 3 u of the true one
double exp_error_of(const Case& c) {
  if (c.is("device", "cuda")) return 3;
  return c.is("dtype", "f64") ? 1.03 : 1;
}

}  // namespace

bool has_batch_statistics(const Case& c) { return !c.is("mode", "eval") || c.is("track", "no"); }

Claim claim_of(const KernelSpec& spec, const Case& c) {
  Claim claim;
  claim.graph = graph_of(spec, c);
  claim.extents = {{"rows", c.integer("rows")}, {"cols", c.integer("cols")}};
  claim.forward = !c.is("op", "backward");
  claim.backward = !c.is("op", "forward");
  claim.cumulative = moves_statistics(spec, c) && !c.is_number("momentum");
  const std::vector<GraphStep>& steps = spec.pipeline.steps;
  const bool takes_exp = std::any_of(steps.begin(), steps.end(), [](const GraphStep& step) {
    return graph_stage(step.stage).takes("exp");
  });
  claim.contract = spec.definition.contract(spec.pipeline, c);
  claim.contract.storage = dtype_of(c);
  claim.contract.accumulation = claim.contract.scalar = accumulation_of(dtype_of(c));
  claim.contract.exp_error = takes_exp ? exp_error_of(c) : 0;
  claim.tensors = Specs(spec.pipeline, c).all();
  return claim;
}

Call call_of(const KernelSpec& spec, const Case& c) {
  Call call;
  call.dtype = dtype_of(c);
  call.parameters = parameters_of(c);
  call.operands = operand_names(spec.pipeline);
  for (const std::string& number : call.operands.numbers) call.scalars[number] = scalar(c, number);
  if (norm_of(spec.pipeline) != nullptr) call.scalars["eps"] = scalar(c, "eps");
  for (const char* extent : {"rows", "cols"}) call.extents[extent] = c.integer(extent);
  if (has_stage(spec.pipeline, "group_norm")) call.extents["groups"] = c.integer("groups");
  if (!has_stage(spec.pipeline, "batch_norm")) return call;
  call.scalars["momentum"] = scalar(c, "momentum");  // NaN: the average of all batches
  call.flags["training"] = c.is("mode", "train");
  call.flags["batch_statistics"] = has_batch_statistics(c);
  return call;
}

}  // namespace gradproof
