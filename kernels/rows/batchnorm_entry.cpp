// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/batchnorm_entry.h"

#include "core/error.h"
#include "kernels/batchnorm_bias_divide_swish.h"
#include "kernels/rows/batchnorm_claim.h"
#include "mutant_list.h"

// The entry points of every unit of the .cu, told apart by namespace.
#define GRADPROOF_DECLARE_UNIT(unit)                                      \
  namespace gradproof::unit {                                             \
  template <class T>                                                      \
  void batchnorm_bias_divide_swish_forward(const BatchNormForward<T>&);   \
  template <class T>                                                      \
  void batchnorm_bias_divide_swish_backward(const BatchNormBackward<T>&); \
  }
#define GRADPROOF_DECLARE_MUTANT(name) GRADPROOF_DECLARE_UNIT(mutant_##name)
GRADPROOF_DECLARE_UNIT(host)
GRADPROOF_DECLARE_UNIT(device)
GRADPROOF_MUTANTS(GRADPROOF_DECLARE_MUTANT)

namespace gradproof {
namespace {

View find(const Views& views, std::string_view name) {
  const auto found = views.find(name);
  return found == views.end() ? View{} : found->second;
}

template <class T>
Matrix<T> matrix(const Views& views, std::string_view name) {
  const View view = find(views, name);
  if (view.shape.size() != 2) throw InstrumentError("no matrix '" + std::string(name) + "'");
  return {view.as<T>(), view.strides[0], view.strides[1]};
}

float* vector(const Views& views, std::string_view name) { return find(views, name).as<float>(); }

float number(const Case& c, std::string_view key) {
  return c.is_number(key) ? static_cast<float>(c.real(key)) : 0.0f;
}

BatchNormForward<float> forward_arguments(const Case& c, const Views& views) {
  BatchNormForward<float> a{};
  a.rows = c.integer("rows");
  a.cols = c.integer("cols");
  a.x = matrix<const float>(views, "x");
  a.y = matrix<float>(views, "y");
  a.weight = vector(views, "weight");
  a.beta = vector(views, "beta");
  a.bias = vector(views, "bias");
  a.bias_stride = c.is("bias", "one") ? 0 : 1;
  a.running_mean = vector(views, "running_mean");
  a.running_var = vector(views, "running_var");
  a.num_batches_tracked = find(views, "num_batches_tracked").as<std::int64_t>();
  a.mean = vector(views, "mean");
  a.rstd = vector(views, "rstd");
  a.eps = number(c, "eps");
  a.momentum = number(c, "momentum");
  a.divide = number(c, "divide");
  a.cumulative = !c.is_number("momentum");
  a.training = c.is("mode", "train");
  a.workspace = vector(views, "workspace");
  return a;
}

BatchNormBackward<float> backward_arguments(const Case& c, const Views& views) {
  BatchNormBackward<float> a{};
  a.rows = c.integer("rows");
  a.cols = c.integer("cols");
  a.x = matrix<const float>(views, "x");
  a.dy = matrix<const float>(views, "dy");
  a.d_x = matrix<float>(views, "d_x");
  a.weight = vector(views, "weight");
  a.beta = vector(views, "beta");
  a.bias = vector(views, "bias");
  a.bias_stride = c.is("bias", "one") ? 0 : 1;
  a.mean = vector(views, "mean");
  a.rstd = vector(views, "rstd");
  a.d_weight = vector(views, "d_weight");
  a.d_beta = vector(views, "d_beta");
  a.d_bias = vector(views, "d_bias");
  a.divide = number(c, "divide");
  a.batch_statistics = has_batch_statistics(c);
  a.workspace = vector(views, "workspace");
  return a;
}

template <class A>
using Entry = void (*)(const A&);

EntryPoints entry_points(Entry<BatchNormForward<float>> forward,
                         Entry<BatchNormBackward<float>> backward) {
  const auto entry = [](auto function, auto arguments_of) {
    return [=](const Case& c, const Views& views, simt::Backend, cudaStream_t stream) {
      auto arguments = arguments_of(c, views);
      arguments.stream = stream;
      function(arguments);
    };
  };
  return {entry(forward, forward_arguments), entry(backward, backward_arguments)};
}

EntryPoints on_the_device() {
#if defined(GRADPROOF_WITH_CUDA)
  return entry_points(device::batchnorm_bias_divide_swish_forward<float>,
                      device::batchnorm_bias_divide_swish_backward<float>);
#else
  const auto refuse = [](const Case&, const Views&, simt::Backend, cudaStream_t) {
    throw simt::NoDevice("device=cuda: this program was built without CUDA");
  };
  return {refuse, refuse};
#endif
}

}  // namespace

EntryPoints batchnorm_entry() {
  const EntryPoints cpu = entry_points(host::batchnorm_bias_divide_swish_forward<float>,
                                       host::batchnorm_bias_divide_swish_backward<float>);
  const EntryPoints cuda = on_the_device();
  const auto by_backend = [](const auto& on_cpu, const auto& on_cuda) {
    return [=](const Case& c, const Views& views, simt::Backend backend, cudaStream_t stream) {
      (backend == simt::Backend::cpu ? on_cpu : on_cuda)(c, views, backend, stream);
    };
  };
  return {by_backend(cpu.forward, cuda.forward), by_backend(cpu.backward, cuda.backward)};
}

std::map<std::string, EntryPoints> batchnorm_mutants() {
#define GRADPROOF_MUTANT_ENTRY(name)                                              \
  {#name, entry_points(mutant_##name::batchnorm_bias_divide_swish_forward<float>, \
                       mutant_##name::batchnorm_bias_divide_swish_backward<float>)},
  return {GRADPROOF_MUTANTS(GRADPROOF_MUTANT_ENTRY)};
}

}  // namespace gradproof
