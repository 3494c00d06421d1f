// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <string>

#include "core/claim/claim.h"

namespace gradproof {

/// The rules that others judge by: torch.allclose with one tolerance for both, and
/// torch.testing.assert_close with its defaults for the result's type.
inline constexpr std::size_t kTolerances = 3;
inline constexpr std::array<const char*, kTolerances> kToleranceNames{
    "allclose 1e-4", "allclose 1e-2", "assert_close"};

/// Tells for each rule if it flags the result. torch.isclose's rule: equal, or finite and |got -
/// want| <= atol + rtol |want|; NaN is close to nothing.
std::array<bool, kTolerances> flagged(const Tensor& got, const Tensor& want);

/// LibTorch's results to compare with; absent where LibTorch refuses.
struct References {
  std::optional<Tensors> f32;  ///< not for a kernel in f64
  std::optional<Tensors> f64;
};
References references_of(const Claim& claim, const Tensors& inputs);

/// The flags of each tolerance against each reference, float32 first, and which references exist.
struct Flags {
  std::array<bool, 2 * kTolerances> flags{};
  std::array<bool, 2> asked{};
  void join(const Flags& other);
};
Flags flags_of(const std::string& name, const Tensor& got, const References& references);

}  // namespace gradproof
