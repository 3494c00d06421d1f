// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/definition.h"

/// Converts a Call into what kernels take: plain pointers, extents and strides, in which no
/// back-end's view of the language differs. Each family puts its own arguments together
/// (kernels/device/columns/column_arguments.cuh, kernels/device/groups/group_arguments.cuh).
///   S  storage type: of x, y, dy and d_x
///   P  parameter type: of parameters, their gradients and the running statistics; S or float
///   A  accumulation type, also of saved statistics: float, or double if S is double
namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// A matrix in memory. Strides count elements; a stride of 0 repeats a row or column. A product of
/// index and stride need not fit 32 bits.
template <class T>
struct Matrix {
  T* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
};

/// One number for each column (stride 1) or one for all (stride 0). Null data means that the tensor
/// is absent, or that the gradient is not wanted.
template <class T>
struct Vector {
  T* data;
  std::int64_t stride;
};

/// The most parameters, and the most numbers, that the elementwise stages of one kernel take.
constexpr int kMostOperands = 4;

/// The operands of the elementwise stages besides the value that runs through them, in their order.
template <class P, class A>
struct StageOperands {
  Vector<const P> vectors[kMostOperands];
  A numbers[kMostOperands];
};

/// The gradients of the stages' parameters, in the order of StageOperands.
template <class P>
struct StageGradients {
  Vector<P> vectors[kMostOperands];
};

/// Returns the view of that name; a view without data if the tensor is absent.
inline View view_or_none(const Call& call, std::string_view name) {
  const auto found = call.views.find(name);
  return found == call.views.end() ? View{} : found->second;
}

template <class T>
Matrix<T> matrix_of(const Call& call, std::string_view name) {
  const View view = view_or_none(call, name);
  if (view.data == nullptr && view.shape.empty()) return {nullptr, 0, 0};
  return {view.as<T>(), view.strides.at(0), view.strides.at(1)};
}

template <class T>
Vector<T> vector_of(const Call& call, std::string_view name) {
  const View view = view_or_none(call, name);
  const bool one = numel(view.shape) == 1 && call.extent("cols") != 1;
  return {view.as<T>(), one ? 0 : 1};
}

template <class T>
T* pointer_of(const Call& call, std::string_view name) {
  return view_or_none(call, name).as<T>();
}

/// Returns a scalar as the kernel computes with it: rounded once to A, as a Case already has it.
template <class A>
A scalar_of(const Call& call, std::string_view name) {
  if constexpr (std::is_same_v<A, double>) {
    return call.scalar(name);
  } else {
    return A(static_cast<float>(call.scalar(name)));
  }
}

/// The arguments of a chain of stages, or of any type with the counts kVectors and kNumbers.
template <class Chain, class P, class A>
StageOperands<P, A> stage_operands(const Call& call) {
  static_assert(Chain::kVectors <= kMostOperands && Chain::kNumbers <= kMostOperands);
  require_operands(call, Chain::kVectors, Chain::kNumbers);
  StageOperands<P, A> all{};
  for (std::size_t k = 0; k < call.operands.vectors.size(); ++k)
    all.vectors[k] = vector_of<const P>(call, call.operands.vectors[k]);
  for (std::size_t k = 0; k < call.operands.numbers.size(); ++k)
    all.numbers[k] = scalar_of<A>(call, call.operands.numbers[k]);
  return all;
}

template <class P>
StageGradients<P> stage_gradients(const Call& call) {
  StageGradients<P> all{};
  for (std::size_t k = 0; k < call.operands.vectors.size(); ++k)
    all.vectors[k] = vector_of<P>(call, "d_" + call.operands.vectors[k]);
  return all;
}

template <class S, class P, class A>
struct Types {};

template <class... T>
struct TypeList {};

/// The combinations of S, P and A for which the unit is compiled. A mutant's unit has one of them.
#if defined(GRADPROOF_TYPES)
using UnitTypes = TypeList<Types<GRADPROOF_TYPES>>;
#else
using UnitTypes =
    TypeList<Types<float, float, float>, Types<double, double, double>,
             Types<__half, __half, float>, Types<__half, float, float>,
             Types<__nv_bfloat16, __nv_bfloat16, float>, Types<__nv_bfloat16, float, float>>;
#endif

template <class T>
constexpr DType dtype_of() {
  if (std::is_same_v<T, double>) return DType::f64;
  if (std::is_same_v<T, __half>) return DType::f16;
  if (std::is_same_v<T, __nv_bfloat16>) return DType::bf16;
  return DType::f32;
}

template <class S, class P, class A>
ElementTypes element_types(Types<S, P, A>) {
  return {dtype_of<S>(), dtype_of<P>()};
}

template <class... T>
std::vector<ElementTypes> element_types(TypeList<T...>) {
  return {element_types(T{})...};
}

/// Calls work(types, call) and returns true if these are the call's types; else returns false.
template <class S, class P, class A, class Work>
bool run_if(Types<S, P, A> types, const Call& call, const Work& work) {
  if (call.dtype != dtype_of<S>() || call.parameters != dtype_of<P>()) return false;
  work(types, call);
  return true;
}

template <class... T, class Work>
void run_types(TypeList<T...>, const Call& call, const Work& work) {
  if (!(run_if(T{}, call, work) || ...)) refuse_types(call);
}

/// Makes entry points from functions that take Types<S, P, A> and a Call: types are the call's.
template <class Forward, class Backward>
UnitEntry unit_entry(const Forward& forward, const Backward& backward) {
  return {{[forward](const Call& call) { run_types(UnitTypes{}, call, forward); },
           [backward](const Call& call) { run_types(UnitTypes{}, call, backward); }},
          element_types(UnitTypes{})};
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
