// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/entries.h"

#include <type_traits>

#include <fmt/format.h>

#include "core/error.h"
#include "kernels/arguments.h"
#include "mutant_list.h"

// The entry points of every unit of every .cu, told apart by namespace.
#define GRADPROOF_DECLARE(unit, word)             \
  namespace gradproof::unit {                     \
  template <class S, class P, class A>            \
  void word##_forward(const Forward<S, P, A>&);   \
  template <class S, class P, class A>            \
  void word##_backward(const Backward<S, P, A>&); \
  }
#define GRADPROOF_DECLARE_PRODUCT(word) \
  GRADPROOF_DECLARE(host, word) GRADPROOF_DECLARE(device, word)
#define GRADPROOF_DECLARE_MUTANT(name, word, S, P, A) GRADPROOF_DECLARE(mutant_##name, word)

#define GRADPROOF_WORDS(X)       \
  X(bias_divide_swish)           \
  X(batchnorm_bias_divide_swish) \
  X(scale_batchnorm)             \
  X(swish_bias_groupnorm)        \
  X(swish_bias)                  \
  X(groupnorm)                   \
  X(swish_multiply_swish)        \
  X(groupnorm_swish_multiply_swish)

GRADPROOF_WORDS(GRADPROOF_DECLARE_PRODUCT)
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
  if (view.data == nullptr && view.shape.empty()) return {nullptr, 0, 0};
  return {view.as<T>(), view.strides.at(0), view.strides.at(1)};
}

template <class T>
Vector<T> vector(const Call& call, std::string_view name) {
  const View view = find(call.views, name);
  const bool one = numel(view.shape) == 1 && call.cols != 1;
  return {view.as<T>(), one ? 0 : 1};
}

template <class T>
T* pointer(const Call& call, std::string_view name) {
  return find(call.views, name).as<T>();
}

template <class S, class P, class A>
Forward<S, P, A> forward_arguments(const Call& call) {
  Forward<S, P, A> a{};
  a.rows = call.rows;
  a.cols = call.cols;
  a.groups = call.groups;
  a.x = matrix<const S>(call.views, "x");
  a.y = matrix<S>(call.views, "y");
  a.weight = vector<const P>(call, "weight");
  a.beta = vector<const P>(call, "beta");
  a.bias = vector<const P>(call, "bias");
  a.scale = vector<const P>(call, "scale");
  a.multiply = vector<const P>(call, "multiply");
  a.running_mean = pointer<P>(call, "running_mean");
  a.running_var = pointer<P>(call, "running_var");
  a.num_batches_tracked = pointer<std::int64_t>(call, "num_batches_tracked");
  a.mean = pointer<A>(call, "mean");
  a.rstd = pointer<A>(call, "rstd");
  a.eps = static_cast<A>(call.eps);
  a.momentum = static_cast<A>(call.momentum);
  a.divide = static_cast<A>(call.divide);
  a.cumulative = call.cumulative;
  a.training = call.training;
  a.batch_statistics = call.batch_statistics;
  a.workspace = pointer<void>(call, "workspace");
  a.stream = call.stream;
  return a;
}

template <class S, class P, class A>
Backward<S, P, A> backward_arguments(const Call& call) {
  Backward<S, P, A> a{};
  a.rows = call.rows;
  a.cols = call.cols;
  a.groups = call.groups;
  a.x = matrix<const S>(call.views, "x");
  a.dy = matrix<const S>(call.views, "dy");
  a.d_x = matrix<S>(call.views, "d_x");
  a.weight = vector<const P>(call, "weight");
  a.beta = vector<const P>(call, "beta");
  a.bias = vector<const P>(call, "bias");
  a.scale = vector<const P>(call, "scale");
  a.multiply = vector<const P>(call, "multiply");
  a.d_weight = vector<P>(call, "d_weight");
  a.d_beta = vector<P>(call, "d_beta");
  a.d_bias = vector<P>(call, "d_bias");
  a.d_scale = vector<P>(call, "d_scale");
  a.d_multiply = vector<P>(call, "d_multiply");
  a.mean = pointer<const A>(call, "mean");
  a.rstd = pointer<const A>(call, "rstd");
  a.eps = static_cast<A>(call.eps);
  a.divide = static_cast<A>(call.divide);
  a.batch_statistics = call.batch_statistics;
  a.workspace = pointer<void>(call, "workspace");
  a.stream = call.stream;
  return a;
}

template <class T>
DType dtype_of() {
  if (std::is_same_v<T, double>) return DType::f64;
  if (std::is_same_v<T, __half>) return DType::f16;
  if (std::is_same_v<T, __nv_bfloat16>) return DType::bf16;
  return DType::f32;
}

/// Calls work(S{}, P{}, A{}) if these are the call's types.
template <class S, class P, class A, class Work>
bool run_if(const Call& call, const Work& work) {
  if (call.dtype != dtype_of<S>() || call.parameters != dtype_of<P>()) return false;
  work.template operator()<S, P, A>();
  return true;
}

[[noreturn]] void refuse(const Call& call) {
  throw UsageError(fmt::format("this kernel has no dtype={} with parameters of {}",
                               name_of(call.dtype), name_of(call.parameters)));
}

// clang-format off
#define GRADPROOF_RUN_IF(S, P, A) if (run_if<S, P, A>(call, work)) return;
#define GRADPROOF_ENTRY(unit, word)                                                               \
  EntryPoints{                                                                                    \
      [](const Call& call) {                                                                      \
        const auto work = [&]<class S, class P, class A>() {                                      \
          unit::word##_forward(forward_arguments<S, P, A>(call));                                 \
        };                                                                                        \
        GRADPROOF_COMBINATIONS(GRADPROOF_RUN_IF) refuse(call);                                    \
      },                                                                                          \
      [](const Call& call) {                                                                      \
        const auto work = [&]<class S, class P, class A>() {                                      \
          unit::word##_backward(backward_arguments<S, P, A>(call));                               \
        };                                                                                        \
        GRADPROOF_COMBINATIONS(GRADPROOF_RUN_IF) refuse(call);                                    \
      }}
#define GRADPROOF_MUTANT_ENTRY(unit, word, S, P, A)                                               \
  EntryPoints{                                                                                    \
      [](const Call& call) {                                                                      \
        const auto work = [&]<class S_, class P_, class A_>() {                                   \
          unit::word##_forward(forward_arguments<S_, P_, A_>(call));                              \
        };                                                                                        \
        GRADPROOF_RUN_IF(S, P, A) refuse(call);                                                   \
      },                                                                                          \
      [](const Call& call) {                                                                      \
        const auto work = [&]<class S_, class P_, class A_>() {                                   \
          unit::word##_backward(backward_arguments<S_, P_, A_>(call));                            \
        };                                                                                        \
        GRADPROOF_RUN_IF(S, P, A) refuse(call);                                                   \
      }}
// clang-format on

#if defined(GRADPROOF_WITH_CUDA)
#define GRADPROOF_DEVICE_ENTRY(word) GRADPROOF_ENTRY(device, word)
#else
[[noreturn]] void no_device(const Call&) {
  throw simt::NoDevice("device=cuda: this program was built without CUDA");
}
#define GRADPROOF_DEVICE_ENTRY(word) \
  EntryPoints { no_device, no_device }
#endif

EntryPoints by_backend(const EntryPoints& cpu, const EntryPoints& cuda) {
  const auto either = [](EntryPoints::Function on_cpu, EntryPoints::Function on_cuda) {
    return [=](const Call& call) { (call.backend == simt::Backend::cpu ? on_cpu : on_cuda)(call); };
  };
  return {either(cpu.forward, cuda.forward), either(cpu.backward, cuda.backward)};
}

}  // namespace

EntryPoints entry_points(const std::string& word) {
#define GRADPROOF_IF_WORD(name) \
  if (word == #name) return by_backend(GRADPROOF_ENTRY(host, name), GRADPROOF_DEVICE_ENTRY(name));
  GRADPROOF_WORDS(GRADPROOF_IF_WORD)
  throw InstrumentError("no kernel '" + word + "' is linked in");
}

std::map<std::string, Mutant> mutants_of(const std::string& word) {
  std::map<std::string, Mutant> all;
#define GRADPROOF_IF_MUTANT(name, victim, S, P, A)                                    \
  if (word == #victim)                                                                \
    all.emplace(#name, Mutant{GRADPROOF_MUTANT_ENTRY(mutant_##name, victim, S, P, A), \
                              dtype_of<S>(), dtype_of<P>()});
  GRADPROOF_MUTANTS(GRADPROOF_IF_MUTANT)
  return all;
}

}  // namespace gradproof
