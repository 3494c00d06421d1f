// SPDX-License-Identifier: Apache-2.0
// From a Call to the template instances of a unit: for kernels/catalog/entries.cpp,
// kernels/mutants/mutants.cpp and kernels/covered/covered.cpp alone.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "core/error.h"
#include "kernels/arguments.h"
#include "kernels/kernel.h"

/// Declares the entry points of a unit of a .cu; each unit has a namespace of its own.
#define GRADPROOF_DECLARE(unit, word)             \
  namespace gradproof::unit {                     \
  template <class S, class P, class A>            \
  void word##_forward(const Forward<S, P, A>&);   \
  template <class S, class P, class A>            \
  void word##_backward(const Backward<S, P, A>&); \
  }

namespace gradproof {

inline View view_named(const Views& views, std::string_view name) {
  const auto found = views.find(name);
  return found == views.end() ? View{} : found->second;
}

template <class T>
Matrix<T> matrix_of(const Views& views, std::string_view name) {
  const View view = view_named(views, name);
  if (view.data == nullptr && view.shape.empty()) return {nullptr, 0, 0};
  return {view.as<T>(), view.strides.at(0), view.strides.at(1)};
}

template <class T>
Vector<T> vector_of(const Call& call, std::string_view name) {
  const View view = view_named(call.views, name);
  const bool one = numel(view.shape) == 1 && call.cols != 1;
  return {view.as<T>(), one ? 0 : 1};
}

template <class T>
T* pointer_of(const Call& call, std::string_view name) {
  return view_named(call.views, name).as<T>();
}

template <class S, class P, class A>
Forward<S, P, A> forward_arguments(const Call& call) {
  Forward<S, P, A> a{};
  a.rows = call.rows;
  a.cols = call.cols;
  a.groups = call.groups;
  a.x = matrix_of<const S>(call.views, "x");
  a.y = matrix_of<S>(call.views, "y");
  a.weight = vector_of<const P>(call, "weight");
  a.beta = vector_of<const P>(call, "beta");
  a.bias = vector_of<const P>(call, "bias");
  a.scale = vector_of<const P>(call, "scale");
  a.multiply = vector_of<const P>(call, "multiply");
  a.running_mean = pointer_of<P>(call, "running_mean");
  a.running_var = pointer_of<P>(call, "running_var");
  a.num_batches_tracked = pointer_of<std::int64_t>(call, "num_batches_tracked");
  a.mean = pointer_of<A>(call, "mean");
  a.rstd = pointer_of<A>(call, "rstd");
  a.eps = static_cast<A>(call.eps);
  a.momentum = static_cast<A>(call.momentum);
  a.divide = static_cast<A>(call.divide);
  a.cumulative = call.cumulative;
  a.training = call.training;
  a.batch_statistics = call.batch_statistics;
  a.workspace = pointer_of<void>(call, "workspace");
  a.stream = call.stream;
  return a;
}

template <class S, class P, class A>
Backward<S, P, A> backward_arguments(const Call& call) {
  Backward<S, P, A> a{};
  a.rows = call.rows;
  a.cols = call.cols;
  a.groups = call.groups;
  a.x = matrix_of<const S>(call.views, "x");
  a.dy = matrix_of<const S>(call.views, "dy");
  a.d_x = matrix_of<S>(call.views, "d_x");
  a.weight = vector_of<const P>(call, "weight");
  a.beta = vector_of<const P>(call, "beta");
  a.bias = vector_of<const P>(call, "bias");
  a.scale = vector_of<const P>(call, "scale");
  a.multiply = vector_of<const P>(call, "multiply");
  a.d_weight = vector_of<P>(call, "d_weight");
  a.d_beta = vector_of<P>(call, "d_beta");
  a.d_bias = vector_of<P>(call, "d_bias");
  a.d_scale = vector_of<P>(call, "d_scale");
  a.d_multiply = vector_of<P>(call, "d_multiply");
  a.mean = pointer_of<const A>(call, "mean");
  a.rstd = pointer_of<const A>(call, "rstd");
  a.eps = static_cast<A>(call.eps);
  a.divide = static_cast<A>(call.divide);
  a.batch_statistics = call.batch_statistics;
  a.workspace = pointer_of<void>(call, "workspace");
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

[[noreturn]] inline void refuse_types(const Call& call) {
  throw UsageError(fmt::format("this kernel has no dtype={} with parameters of {}",
                               name_of(call.dtype), name_of(call.parameters)));
}

// clang-format off
#define GRADPROOF_RUN_IF(S, P, A) if (run_if<S, P, A>(call, work)) return;
// `run` is a GRADPROOF_RUN_IF for each combination of types that the unit holds.
#define GRADPROOF_ENTRY_WITH(unit, word, run)                                                     \
  EntryPoints{                                                                                    \
      [](const Call& call) {                                                                      \
        const auto work = [&]<class Element, class Parameter, class Sum>() {                      \
          unit::word##_forward(forward_arguments<Element, Parameter, Sum>(call));                 \
        };                                                                                        \
        run refuse_types(call);                                                                   \
      },                                                                                          \
      [](const Call& call) {                                                                      \
        const auto work = [&]<class Element, class Parameter, class Sum>() {                      \
          unit::word##_backward(backward_arguments<Element, Parameter, Sum>(call));               \
        };                                                                                        \
        run refuse_types(call);                                                                   \
      }}
#define GRADPROOF_ENTRY(unit, word) \
  GRADPROOF_ENTRY_WITH(unit, word, GRADPROOF_COMBINATIONS(GRADPROOF_RUN_IF))
#define GRADPROOF_ENTRY_OF_TYPES(unit, word, S, P, A) \
  GRADPROOF_ENTRY_WITH(unit, word, GRADPROOF_RUN_IF(S, P, A))
// clang-format on

}  // namespace gradproof
