// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "core/claim/stage_traits.h"
#include "core/error.h"
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

/// Whether the Case leaves out that part of a norm.
bool is_absent(const StageParameter& parameter, const Case& c) {
  if (parameter.name.empty()) return false;
  return parameter.differentiable ? c.is("affine", "no") : c.is("track", "no");
}

/// The words of graphs that have a kind.
StageKind kind_of(const std::string& word) {
  static const std::map<std::string, StageKind, std::less<>> kinds{
      {"bias", StageKind::bias},
      {"scale", StageKind::scale},
      {"divide", StageKind::divide},
      {"silu", StageKind::swish},
      {"batch_norm", StageKind::batch_norm},
      {"group_norm", StageKind::group_norm}};
  const auto found = kinds.find(word);
  if (found == kinds.end()) throw InstrumentError("no kind of stage for the word '" + word + "'");
  return found->second;
}

Step step_of(const GraphStep& from, const Case& c) {
  Step step;
  step.name = from.value;
  step.kind = kind_of(from.stage);
  const StageTraits& traits = traits_of(step.kind);
  for (const StageParameter& parameter : traits.parameters) {
    const std::string name =
        parameter.name.empty() ? from.operands.at(1).name : std::string(parameter.name);
    step.parameters.push_back(is_absent(parameter, c) ? "" : name);
  }
  for (const StageScalar& number : traits.scalars)
    step.scalars.push_back(scalar(c, std::string(number.key)));
  return step;
}

Pipeline pipeline_of(const KernelSpec& spec, const Case& c) {
  Pipeline pipeline;
  for (const GraphStep& step : spec.pipeline.steps) pipeline.steps.push_back(step_of(step, c));
  const bool batch_norm = has_stage(spec.pipeline, "batch_norm");
  pipeline.differentiable = spec.definition.differentiable;
  pipeline.batch_statistics = !batch_norm || has_batch_statistics(c);
  pipeline.update_running = batch_norm && c.is("mode", "train") && c.is("track", "yes");
  return pipeline;
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
    for (const std::string& name : vectors_of(pipeline_))
      add(name, Role::parameter, dtype, vector_of(c_, name));
    if (!batch_norm() || !c_.is("track", "yes")) return;
    add("running_mean", Role::buffer, dtype, columns);
    add("running_var", Role::buffer, dtype, columns);
    add("num_batches_tracked", Role::buffer, DType::i64, Layout::contiguous({1}));
  }

  void statistics() {
    if (!has_norm()) return;
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

  const Graph& pipeline_;
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

bool has_batch_statistics(const Case& c) { return !c.is("mode", "eval") || c.is("track", "no"); }

Claim claim_of(const KernelSpec& spec, const Case& c) {
  Claim claim;
  claim.rows = c.integer("rows");
  claim.cols = c.integer("cols");
  claim.groups = has_stage(spec.pipeline, "group_norm") ? c.integer("groups") : 0;
  claim.forward = !c.is("op", "backward");
  claim.backward = !c.is("op", "forward");
  claim.pipeline = pipeline_of(spec, c);
  const std::vector<Step>& steps = claim.pipeline.steps;
  const bool takes_exp = std::any_of(steps.begin(), steps.end(),
                                     [](const Step& step) { return traits_of(step).takes_exp; });
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
