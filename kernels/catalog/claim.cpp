// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/stages.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/layouts.h"

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

bool moves_statistics(const KernelSpec& system, const Case& c) {
  return system.has("batch_norm") && c.is("mode", "train") && c.is("track", "yes");
}

/// A tensor besides the norm's; of one number it has no axes.
std::string vector_text(const Case& c, const std::string& name) {
  return c.is(name, "one") ? name + "[]" : name;
}

/// A norm's call; `value` is what it takes.
std::string norm_text(const std::string& word, const std::string& value, const Case& c) {
  const bool evaluated = word == "batch_norm" && !has_batch_statistics(c);
  std::string text = word + (evaluated ? "_eval(" : "(") + value;
  if (evaluated) text += ", running_mean, running_var";
  if (c.is("affine", "yes")) text += ", weight, beta";
  if (word == "group_norm") text += fmt::format(", groups={}", c.integer("groups"));
  return fmt::format("{}, eps={})", text, scalar(c, "eps"));
}

/// What a training step leaves of the running statistics of `value`. Of a cumulative average the
/// momentum is not the graph's to say.
std::string moved_statistics(const std::string& value, const Case& c) {
  const std::string momentum =
      c.is_number("momentum") ? fmt::format(", momentum={}", scalar(c, "momentum")) : "";
  std::string text;
  for (const char* name : {"running_mean", "running_var"})
    text += fmt::format("; new_{0} = {0}({1}, {0}{2})", name, value, momentum);
  return text + "; outputs y new_running_mean new_running_var";
}

std::string call_text(const KernelSpec::Stage& stage, const std::string& value, const Case& c) {
  if (graph_stage(stage.word).is_norm()) return norm_text(stage.word, value, c);
  if (!stage.parameter.empty())
    return fmt::format("{}({}, {})", stage.word, value, vector_text(c, stage.parameter));
  return fmt::format(fmt::runtime(stage.word == "divide" ? "{}({}, 1)" : "{}({})"), stage.word,
                     value);
}

/// One assignment a stage: v0, v1, ... and y.
Graph graph_of(const KernelSpec& system, const Case& c) {
  std::string text;
  std::string moved;
  std::string value = "x";
  for (std::size_t k = 0; k < system.stages.size(); ++k) {
    const KernelSpec::Stage& stage = system.stages[k];
    if (stage.word == "batch_norm" && moves_statistics(system, c))
      moved = moved_statistics(value, c);
    const std::string name = k + 1 < system.stages.size() ? fmt::format("v{}", k) : "y";
    text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", name, call_text(stage, value, c));
    value = name;
  }
  Graph graph = parse_graph(text + moved);
  // A divisor may be any number, infinity too, which has no text in the language.
  for (GraphStep& step : graph.steps)
    for (GraphOperand& operand : step.operands)
      if (operand.is_number()) operand.number = scalar(c, step.stage);
  return graph;
}

/// Shape of a parameter by the word of the key that has its name.
Layout vector_of(const Case& c, const std::string& name) {
  const std::int64_t cols = c.integer("cols");
  if (c.is(name, "one")) return Layout::contiguous({1});
  if (c.is(name, "row")) return Layout::contiguous({1, cols});
  return Layout::contiguous({cols});
}

/// Collects the tensors of a claim in the order in which they are shown.
class Specs {
 public:
  Specs(const KernelSpec& system, const Case& c) : system_(system), c_(c) {}

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
  bool batch_norm() const { return system_.has("batch_norm"); }
  bool affine() const { return system_.has_norm() && c_.is("affine", "yes"); }

  void add(const std::string& name, Role role, DType dtype, const Layout& layout) {
    tensors_.push_back({name, role, dtype, layout});
  }
  void matrix(const std::string& name, Role role, const std::string& layout) {
    add(name, role, dtype_of(c_), layout_of(layout, rows(), cols()));
  }

  void parameters() {
    const DType dtype = parameters_of(c_);
    const Layout columns = Layout::contiguous({cols()});
    if (affine()) add("weight", Role::parameter, dtype, columns);
    if (affine()) add("beta", Role::parameter, dtype, columns);
    for (const std::string& name : system_.vectors())
      add(name, Role::parameter, dtype, vector_of(c_, name));
    if (!batch_norm() || !c_.is("track", "yes")) return;
    add("running_mean", Role::buffer, dtype, columns);
    add("running_var", Role::buffer, dtype, columns);
    add("num_batches_tracked", Role::buffer, DType::i64, Layout::contiguous({1}));
  }

  void statistics() {
    if (!system_.has_norm()) return;
    if (batch_norm() && rows() == 0 && has_batch_statistics(c_)) return;  // nothing has no mean
    const DType dtype = accumulation_of(dtype_of(c_));
    const Layout layout =
        Layout::contiguous(batch_norm() ? Shape{cols()} : Shape{rows(), c_.integer("groups")});
    add("mean", Role::output, dtype, layout);
    add("rstd", Role::output, dtype, layout);
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
        more.push_back({"d_" + spec.name, Role::gradient, spec.dtype, spec.layout});
    tensors_.insert(tensors_.end(), more.begin(), more.end());
  }

  const KernelSpec& system_;
  const Case& c_;
  std::vector<TensorSpec> tensors_;
};

/// Relative error of exp in units of u.
///   CPU, f32  glibc: 0.99991 measured over every negative float32
///   CPU, f64  glibc: 0.511 ulp of the result (sysdeps/ieee754/dbl-64/e_exp.c), up to 1.022 u
///   CUDA      both: 1 ulp of the rounded result (CUDA C++ Programming Guide, mathematical
///             functions), so 1.5 ulp or 3 u of the true one
double exp_error_of(const Case& c) {
  if (c.is("device", "cuda")) return 3;
  return c.is("dtype", "f64") ? 1.03 : 1;
}

}  // namespace

bool KernelSpec::has(std::string_view stage) const {
  return std::any_of(stages.begin(), stages.end(),
                     [&](const Stage& own) { return own.word == stage; });
}

std::vector<std::string> KernelSpec::vectors() const {
  std::vector<std::string> names;
  for (const Stage& stage : stages)
    if (!stage.parameter.empty()) names.push_back(stage.parameter);
  return names;
}

bool KernelSpec::has_norm() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const Stage& stage) { return graph_stage(stage.word).is_norm(); });
}

bool KernelSpec::takes_exp() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const Stage& stage) { return graph_stage(stage.word).takes("exp"); });
}

std::vector<std::string> KernelSpec::having_gradients() const {
  std::vector<std::string> names{"x"};
  if (has_norm()) names.insert(names.end(), {"weight", "beta"});
  for (const std::string& name : vectors()) names.push_back(name);
  return names;
}

bool is_asked(const std::string& grads, const std::string& name) {
  return ("+" + grads + "+").find("+" + name + "+") != std::string::npos;
}

bool has_batch_statistics(const Case& c) { return !c.is("mode", "eval") || c.is("track", "no"); }

Claim claim_of(const KernelSpec& system, const Case& c) {
  Claim claim;
  claim.graph = graph_of(system, c);
  claim.extents = {{"rows", c.integer("rows")}, {"cols", c.integer("cols")}};
  claim.forward = !c.is("op", "backward");
  claim.backward = !c.is("op", "forward");
  claim.differentiable = system.differentiable;
  claim.cumulative = moves_statistics(system, c) && !c.is_number("momentum");
  claim.contract = claim.groups() > 0 ? group_contract(system, c) : column_contract(system, c);
  claim.contract.storage = dtype_of(c);
  claim.contract.accumulation = claim.contract.scalar = accumulation_of(dtype_of(c));
  claim.contract.exp_error = system.takes_exp() ? exp_error_of(c) : 0;
  claim.tensors = Specs(system, c).all();
  return claim;
}

Call call_of(const KernelSpec& system, const Case& c) {
  Call call;
  call.rows = c.integer("rows");
  call.cols = c.integer("cols");
  call.groups = system.has("group_norm") ? c.integer("groups") : 0;
  call.dtype = dtype_of(c);
  call.parameters = parameters_of(c);
  if (system.has_norm()) call.eps = scalar(c, "eps");
  if (system.has("divide")) call.divide = scalar(c, "divide");
  if (!system.has("batch_norm")) return call;
  call.cumulative = !c.is_number("momentum");
  if (!call.cumulative) call.momentum = scalar(c, "momentum");
  call.training = c.is("mode", "train");
  call.batch_statistics = has_batch_statistics(c);
  return call;
}

}  // namespace gradproof
