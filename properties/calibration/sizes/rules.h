// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string_view>

#include "core/tensor/tensor.h"
#include "properties/calibration/cells.h"

namespace gradproof {

/// The rules that call a result wrong: the judge, and those that the field uses. "In the type" is
/// eager LibTorch: its own operators on the same CPU, one after the other.
enum class Rule {
  judge,
  assert_close_type,     ///< torch.testing.assert_close, its defaults, against eager in the type
  assert_close_float64,  ///< the same against float64
  allclose_4,            ///< torch.allclose with 1e-4 for both tolerances, against float64
  allclose_2,            ///< or 1e-2
  twice_eager,           ///< a larger error, against float64, than twice eager's
  thrice_eager,          ///< or three times
  cosine,                ///< 1 - 2 <x, y>/(<x, x> + <y, y>) over 1e-3, y in float64 (DeepGEMM)
  most_close,            ///< fewer than 99% of the elements within allclose at 1e-2
  judge_fused            ///< the judge, of code that says that it is one fused kernel
};

inline constexpr std::array<std::string_view, kRules> kRuleNames{
    "gradproof", "assert_close (type)", "assert_close (f64)", "allclose 1e-4", "allclose 1e-2",
    "2 x eager", "3 x eager",           "cosine 0.999",       "most in 1e-2",  "gradproof (fused)"};

using RuleFlags = std::array<bool, kRules>;

/// The field's rules for results whose reference and eager results are known.
class FieldRules {
 public:
  FieldRules(const Tensors& reference, const Tensors& eager)
      : reference_(reference), eager_(eager) {}

  /// Tells for each rule if it flags any of the tensors; the judge's flags are false.
  RuleFlags flags_of(const Tensors& got) const;

 private:
  const Tensors& reference_;
  const Tensors& eager_;
};

}  // namespace gradproof
