// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>

#include "core/claim/sum_order.h"
#include "core/graph/contract/forms.h"
#include "core/graph/stages.h"

namespace gradproof {

/// The role of a sum in its step.
///   value       sums that the value takes: a norm's statistics, a softmax's exponentials, a
///               product, a sum
///   gradients   sums of the adjoint: a norm's sums of g and g xhat, a softmax's sum of dy y, a
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
/// True if a step of the stage has sums of the row's word.
bool has_sums(const SumRow& row, const GraphStage& stage);

/// The way in which a step computes. By default sums have any order, and parts any usual form.
struct StepContract {
  StepContract();

  SumOrder sums[kSumRoles];
  FormSet forms[kFormParts];

  SumOrder& order(SumRole role) { return sums[static_cast<int>(role)]; }
  const SumOrder& order(SumRole role) const { return sums[static_cast<int>(role)]; }
  FormSet& said(FormPart part) { return forms[static_cast<int>(part)]; }
  /// The forms that the part may have in a step of the stage.
  FormSet of(FormPart part, std::string_view stage) const {
    const FormSet& set = forms[static_cast<int>(part)];
    return set == kUsualForms ? form_row(part).usual_of(stage) : set;
  }
};

/// The contract of a step in code that declares nothing.
const StepContract& default_step_contract();

}  // namespace gradproof
