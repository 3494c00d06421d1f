// SPDX-License-Identifier: Apache-2.0
#include "judge/model_pairs/linear_step.h"

#include <cstring>

#include <ATen/ATen.h>

#include "core/error.h"
#include "core/tensor/digest.h"
#include "fixtures/models/weights.h"

namespace gradproof {
namespace {

DType dtype_of(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return DType::f32;
    case at::kDouble:
      return DType::f64;
    case at::kHalf:
      return DType::f16;
    case at::kBFloat16:
      return DType::bf16;
    case at::kLong:
      return DType::i64;
    default:
      throw InstrumentError("a model's tensor of an unknown type");
  }
}

at::ScalarType scalar_type_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return at::kFloat;
    case DType::f64:
      return at::kDouble;
    case DType::f16:
      return at::kHalf;
    case DType::bf16:
      return at::kBFloat16;
    case DType::i64:
      return at::kLong;
  }
  throw InstrumentError("an unknown dtype");
}

/// One step in its order. Whatever is large is copied once and freed on LibTorch's side.
class LinearStep {
 public:
  LinearStep(LinearModel& model, ModelStep step)
      : model_(model),
        state_(state_dict(model)),
        step_(std::move(step)),
        backward_(step_.op != "forward") {}

  LinearRun run() {
    result_.epilogue = claim_for(step_.input.shape().at(0));
    result_.name = model_.names().linear;
    result_.linear.emplace("input", std::move(step_.input));
    model_.zero_grad();
    ops::Normalized last = forward();
    if (backward_) {
      Tensor& dy =
          result_.inputs.emplace("dy", step_.cotangent(get(result_.inputs, "x"))).first->second;
      last.y.backward(torch_view(dy).to(last.y.device()));
      last = {};
      keep_gradients();
    }
    for (const auto& [name, tensor] : result_.run.tensors)
      result_.run.digests.emplace(name, digest(tensor));
    return std::move(result_);
  }

 private:
  Claim claim_for(std::int64_t rows) const {
    const Case c = kernel_case(model_, rows, step_.op);
    return model_kernels().of(c).claim(c);
  }

  at::Tensor state(const std::string& kernel_tensor) const {
    return state_.at(model_.names().of(kernel_tensor));
  }

  /// The state in the kernel's shape: LibTorch's num_batches_tracked has no dimension.
  at::Tensor state(const TensorSpec& spec) const {
    return state(spec.name).detach().view(spec.layout.shape);
  }

  /// z goes into the kernel's inputs, the results of the kernel's forward into the run.
  ops::Normalized forward() {
    const at::Device device = model_.parameters().at(0).device();
    input_ = torch_view(result_.linear.at("input")).to(device).requires_grad_(true);
    at::Tensor z = model_.linear()(input_);
    if (step_.product) z = step_.product(z);
    result_.inputs.emplace("x", values_of(z));
    for (const TensorSpec& spec : result_.epilogue.tensors)
      if (spec.role == Role::parameter || spec.role == Role::buffer)
        result_.inputs.emplace(spec.name, values_of(state(spec)));
    for (const char* part : {".weight", ".bias"})
      if (const auto found = state_.find(result_.name + part); found != state_.end())
        result_.linear.emplace(found->first, values_of(found->second));
    if (backward_) watch(z);
    const ops::Normalized last = model_.epilogue(z);
    for (const auto& [name, tensor] :
         {std::pair("y", last.y), std::pair("mean", last.mean), std::pair("rstd", last.rstd)})
      if (result_.epilogue.has(name)) result_.run.tensors.emplace(name, values_of(tensor));
    for (const TensorSpec& spec : result_.epilogue.tensors)
      if (spec.role == Role::buffer) result_.run.tensors.emplace(spec.name, values_of(state(spec)));
    return last;
  }

  /// Keeps what comes back through z, and puts something else in its place where that is asked for.
  void watch(at::Tensor& z) {
    z.register_hook([this](const at::Tensor& d_z) {
      result_.run.tensors.insert_or_assign("d_x", values_of(d_z));
    });
    if (!step_.d_z) return;
    z.register_hook([this](const at::Tensor& d_z) {
      Tensor& own =
          result_.linear.insert_or_assign("d_z", step_.d_z(d_z.sizes().vec())).first->second;
      return torch_view(own).to(d_z.device());
    });
  }

  void keep_gradients() {
    for (const TensorSpec& spec : result_.epilogue.tensors)
      if (spec.role == Role::gradient && spec.name != "d_x")
        result_.run.tensors.emplace(spec.name, gradient(state(spec.name.substr(2)), spec.name));
    result_.linear.emplace("d_input", gradient(input_, "d_input"));
    input_.mutable_grad().reset();
    for (const char* part : {".weight", ".bias"})
      if (const auto found = state_.find(result_.name + part); found != state_.end())
        result_.linear.emplace("d_" + found->first, gradient(found->second, "d_" + found->first));
    if (!result_.run.tensors.contains("d_x"))
      throw InstrumentError("the model gives z no gradient");
  }

  static Tensor gradient(const at::Tensor& of, const std::string& name) {
    if (!of.grad().defined()) throw InstrumentError("the model gives no gradient " + name);
    return values_of(of.grad());
  }

  LinearModel& model_;
  StateDict state_;
  ModelStep step_;
  bool backward_;
  at::Tensor input_;
  LinearRun result_;
};

}  // namespace

Tensor values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().cpu().contiguous();
  Tensor copy(dtype_of(flat.scalar_type()), flat.sizes().vec());
  if (flat.numel() > 0) std::memcpy(copy.data(), flat.const_data_ptr(), flat.nbytes());
  return copy;
}

at::Tensor torch_view(Tensor& tensor) {
  if (!tensor.is_dense()) throw InstrumentError("LibTorch gets dense tensors here");
  return at::from_blob(tensor.data(), tensor.shape(), scalar_type_of(tensor.dtype()));
}

const Catalog& model_kernels() {
  static const Catalog all = catalog();
  return all;
}

Case kernel_case(const LinearModel& model, std::int64_t rows, const std::string& op) {
  const std::int64_t cols = model.linear()->options.out_features();
  const bool cuda = model.linear()->weight.is_cuda();  // the contract hangs on the back-end's exp
  return parse_case(model.kernel_text() + (cuda ? " device=cuda" : "") + " rows=" +
                        std::to_string(rows) + " cols=" + std::to_string(cols) + " op=" + op,
                    model_kernels().schemas());
}

LinearRun run_step(LinearModel& model, ModelStep step) {
  return LinearStep(model, std::move(step)).run();
}

}  // namespace gradproof
