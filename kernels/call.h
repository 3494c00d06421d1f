// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <driver_types.h>

#include "core/tensor/tensor.h"
#include "simt/memory/buffer.h"

namespace gradproof {

template <class T>
using ByName = std::map<std::string, T, std::less<>>;

/// The tensors as the kernel sees them, by name.
using Views = ByName<View>;

/// The names of the operands that the elementwise stages of a pipeline take besides the value that
/// runs through them, in the order in which the stages take them.
struct OperandNames {
  std::vector<std::string> vectors;  ///< parameters: one number for each column, or one for all
  std::vector<std::string> numbers;
};

/// One call of an entry point, made from a Case or from LibTorch's tensors. Everything the kernel
/// takes has a name, and an entry only if the call has it.
struct Call {
  /// An absent optional tensor, or a gradient that nobody wants, has no entry. "workspace" is the
  /// scratch memory that the Kernel asks for. Views point into the memory of `backend`.
  Views views;
  ByName<double> scalars;
  ByName<std::int64_t> extents;
  ByName<bool> flags;
  OperandNames operands;
  DType dtype = DType::f32;       ///< of inputs, outputs, their cotangents and gradients
  DType parameters = DType::f32;  ///< of parameters, their gradients and running statistics
  simt::Backend backend = simt::Backend::cpu;
  cudaStream_t stream = nullptr;  ///< all work is enqueued here, nowhere else

  /// These throw InstrumentError, which names what is missing and what the call has.
  const View& view(std::string_view name) const;
  double scalar(std::string_view name) const;
  std::int64_t extent(std::string_view name) const;
  bool flag(std::string_view name) const;

  bool has_extent(std::string_view name) const { return extents.contains(name); }
};

/// The two entry points of a compiled kernel; each unit (host, device, a mutant's) has its own.
struct EntryPoints {
  using Function = std::function<void(const Call&)>;
  Function forward;
  Function backward;
};

/// Throws UsageError, because no unit of the kernel is compiled for the call's types.
[[noreturn]] void refuse_types(const Call& call);

/// Throws InstrumentError unless the call names as many parameters and numbers as the stages take.
void require_operands(const Call& call, int vectors, int numbers);

}  // namespace gradproof
