// SPDX-License-Identifier: Apache-2.0
#include "judge/model_pairs/linear_system.h"

#include <cmath>

#include <ATen/ATen.h>
#include <dlfcn.h>

#include "core/case/inputs.h"
#include "core/parallel.h"
#include "core/tensor/fill.h"
#include "fixtures/models/weights.h"
#include "judge/model_pairs/linear_records.h"
#include "judge/model_pairs/linear_step.h"
#include "judge/model_pairs/pairs.h"
#include "simt/memory/buffer.h"

namespace gradproof {
namespace {

/// The Linear's numbers: uniform in +-1/sqrt(in) as LibTorch draws them, or whole.
Tensor drawn(const Case& c, const std::string& name, const Shape& shape) {
  const Stream stream(seed_of(c), name);
  const bool whole = c.is("weights", "integers");
  const double size = 1 / std::sqrt(static_cast<double>(c.integer("in")));
  const double offset = name == "linear.bias" ? c.real("offset") : 0;
  Tensor tensor(DType::f32, shape);
  const std::int64_t of_row = tensor.numel() / std::max<std::int64_t>(shape[0], 1);
  for_each_index(shape[0], [&](std::int64_t row) {
    const auto first = static_cast<std::uint64_t>(row * of_row);
    std::vector<double> line(static_cast<std::size_t>(of_row));
    stream.uniforms(first, line.size(), line.data());
    for (std::size_t k = 0; k < line.size(); ++k)
      line[k] = (whole ? static_cast<double>(stream.bits(first + k) % 17) - 8
                       : size * (2 * line[k] - 1)) +
                offset;
    tensor.write(row * of_row, of_row, line.data());
  });
  return tensor;
}

void put(const at::Tensor& into, Tensor values) {
  const at::NoGradGuard no_gradients;
  into.copy_(torch_view(values).view(into.sizes()));  // num_batches_tracked has no dimension
}

/// Parameters and buffers of the epilogue, drawn as make_inputs draws a kernel's, and the Linear's.
void put_state(const Case& c, LinearModel& model) {
  const StateDict state = state_dict(model);
  const Case of_kernel =
      kernel_case(model, c.integer("rows")).with("seed", std::to_string(c.integer("seed")));
  Claim claim = model_kernels().of(of_kernel).claim(of_kernel);
  std::erase_if(claim.tensors, [](const TensorSpec& spec) {
    return spec.role != Role::parameter && spec.role != Role::buffer;
  });
  for (auto& [name, values] : make_inputs(of_kernel, claim))
    put(state.at(model.names().of(name)), values);
  const std::string linear = model.names().linear;
  put(state.at(linear + ".weight"),
      drawn(c, "linear.weight", {c.integer("cols"), c.integer("in")}));
  put(state.at(linear + ".bias"), drawn(c, "linear.bias", {c.integer("cols")}));
}

/// The worker links LibTorch's CPU half; the other registers itself when it is loaded, once.
void load_cuda() {
  static const void* const library = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw simt::NoDevice("device=cuda: no libtorch_cuda.so on this machine");
}

/// Whole numbers: every gradient of the Linear is then exact where its other factor is whole.
Tensor whole_d_z(const Case& c, const Shape& shape) {
  const Stream stream(seed_of(c), "d_z");
  Tensor d_z(DType::f32, shape);
  for_each_index(shape.at(0), [&](std::int64_t row) {
    for (std::int64_t i = row * shape.at(1); i < (row + 1) * shape.at(1); ++i)
      d_z.set(i, static_cast<double>(stream.bits(static_cast<std::uint64_t>(i)) % 17) - 8);
  });
  return d_z;
}

Tensor network_input(const Case& c) {
  Tensor input(DType::f32, Shape{c.integer("rows"), c.integer("in")});
  fill(c, Stream(seed_of(c), "input"), 0, input);
  return input;
}

}  // namespace

LinearRun run_linear(const Case& c) { return run_linear(c, {}); }

LinearRun run_linear(const Case& c, std::function<at::Tensor(const at::Tensor& z)> product) {
  const std::shared_ptr<LinearModel> model = linear_pair_of(c.word()).build(c);
  put_state(c, *model);
  if (c.is("device", "cuda")) {
    load_cuda();
    if (!at::hasCUDA()) throw simt::NoDevice("device=cuda: LibTorch has no CUDA device here");
    model->to(at::kCUDA);
  }
  const std::int64_t groups = c.schema().has("groups") ? c.integer("groups") : 0;
  const auto cotangent = [&](const Tensor& z) {
    Tensor dy(DType::f32, z.shape());
    fill_cotangent(c, Stream(seed_of(c), "dy"), groups, z, dy);
    return dy;
  };
  refuse_another_epilogue(c, *model);
  ModelStep step{network_input(c), cotangent, c.text("op"), std::move(product)};
  if (c.is("d_z", "integers")) step.d_z = [&](const Shape& shape) { return whole_d_z(c, shape); };
  return run_step(*model, std::move(step));
}

std::string record_name(const Case& c, const std::string& kernel_tensor) {
  return linear_pair_of(c.word()).names.of(kernel_tensor);
}

std::vector<ModelPair> model_pairs() {
  std::vector<ModelPair> all;
  for (const SchemaPtr& schema : linear_schemas()) {
    const PairNames& names = linear_pair_of(schema->word).names;
    all.push_back({schema, [](const Case& c) { return epilogue_of(run_linear(c)); }, linear_records,
                   [&names](const std::string& tensor) { return names.of(tensor); }});
  }
  return all;
}

}  // namespace gradproof
