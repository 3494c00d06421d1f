// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/tolerances.h"

#include <cmath>

#include "core/error.h"
#include "oracles/libtorch/autograd.h"

namespace gradproof {
namespace {

struct Tolerance {
  double atol, rtol;
};

/// torch.testing._comparison, _DTYPE_PRECISIONS.
Tolerance default_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {1e-5, 1e-3};
    case DType::bf16:
      return {1e-5, 1.6e-2};
    case DType::f32:
      return {1e-5, 1.3e-6};
    case DType::f64:
      return {1e-7, 1e-7};
    case DType::i64:
      return {0, 0};
  }
  throw InstrumentError("a type without tolerances");
}

bool close(double got, double want, const Tolerance& tolerance) {
  if (got == want) return true;
  const double error = std::abs(got - want);
  return std::isfinite(error) && error <= tolerance.atol + tolerance.rtol * std::abs(want);
}

std::optional<Tensors> reference(const Claim& claim, const Tensors& inputs, DType dtype) {
  try {
    return libtorch_operators(as_libtorch(claim, dtype), inputs);
  } catch (const InstrumentError&) {  // LibTorch refuses
    return std::nullopt;
  }
}

}  // namespace

std::array<bool, kTolerances> flagged(const Tensor& got, const Tensor& want) {
  const std::array<Tolerance, kTolerances> tolerances{
      {{1e-4, 1e-4}, {1e-2, 1e-2}, default_of(got.dtype())}};
  std::array<bool, kTolerances> flags{};
  for (std::int64_t i = 0; i < got.numel(); ++i)
    for (std::size_t k = 0; k < kTolerances; ++k)
      flags[k] = flags[k] || !close(got.at(i), want.at(i), tolerances[k]);
  return flags;
}

References references_of(const Claim& claim, const Tensors& inputs) {
  References all{std::nullopt, reference(claim, inputs, DType::f64)};
  if (claim.tensor("x").dtype != DType::f64) all.f32 = reference(claim, inputs, DType::f32);
  return all;
}

void Flags::join(const Flags& other) {
  for (std::size_t k = 0; k < flags.size(); ++k) flags[k] = flags[k] || other.flags[k];
  for (std::size_t k = 0; k < asked.size(); ++k) asked[k] = asked[k] || other.asked[k];
}

Flags flags_of(const std::string& name, const Tensor& got, const References& references) {
  Flags all;
  const auto add = [&](const std::optional<Tensors>& reference, std::size_t which) {
    if (!reference) return;
    const auto want = reference->find(name);
    if (want == reference->end()) return;
    all.asked[which] = true;
    const auto flags = flagged(got, want->second);
    for (std::size_t k = 0; k < kTolerances; ++k) all.flags[which * kTolerances + k] = flags[k];
  };
  add(references.f32, 0);
  add(references.f64, 1);
  return all;
}

}  // namespace gradproof
