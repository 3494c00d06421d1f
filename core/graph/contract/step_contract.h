// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>

#include "core/claim/sum_order.h"
#include "core/graph/contract/forms.h"
#include "core/graph/stages.h"

namespace gradproof {

/// Which sums of a step are meant.
///   value       those that the value takes: a norm's statistics, a softmax's exponentials, a
///               product, a sum
///   gradients   those of the adjoint: a norm's sums of g and g xhat, a softmax's sum of dy y, a
///               product's gradient of x
///   parameters  the gradient of an operand of which several elements share one number
enum class SumRole { value, gradients, parameters };
inline constexpr int kSumRoles = 3;

/// A contract's word for sums of one role, or of all.
struct SumRow {
  std::string_view word;
  std::span<const SumRole> roles;
};

/// `sums` for all roles, then `statistics`, `products`, `gradients` and `parameters`.
std::span<const SumRow> sum_rows();
/// Whether a step of the stage adds numbers up in sums of that word.
bool has_sums(const SumRow& row, const GraphStage& stage);

/// How one step computes. The default: each sum in any order, each part in any of the usual forms.
struct StepContract {
  StepContract();

  SumOrder sums[kSumRoles];
  FormSet forms[kFormParts];

  SumOrder& order(SumRole role) { return sums[static_cast<int>(role)]; }
  const SumOrder& order(SumRole role) const { return sums[static_cast<int>(role)]; }
  FormSet& said(FormPart part) { return forms[static_cast<int>(part)]; }
  /// The forms of a step of the stage.
  FormSet of(FormPart part, std::string_view stage) const {
    const FormSet& set = forms[static_cast<int>(part)];
    return set == kUsualForms ? form_row(part).usual_of(stage) : set;
  }
};

/// That of code that declares nothing.
const StepContract& default_step_contract();

}  // namespace gradproof
