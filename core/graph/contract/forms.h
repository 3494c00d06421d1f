// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>

namespace gradproof {

/// The parts of a step that correct code computes in more than one way. Each part has a row of
/// form_rows(), in this order.
enum class FormPart {
  variance,
  xhat,
  affine,
  adjoint,
  weighting,
  weight_gradient,
  maximum,
  maximum_gradient,
  quotient,
  logarithm,
  projection,
  sigmoid,
  softplus,
  complement,
  cotangent,
  division,
  bias,
  update,
  scale_gradient,
  hardswish,
  backward,
  inputs,
  accumulate
};
inline constexpr int kFormParts = 23;

/// The forms of FormPart::inputs, by their places in its row.
enum class ProductInputs { exact, tf32, bf16x3, bf16 };
/// The forms of FormPart::accumulate, by their places in its row.
enum class ProductSums { wide, promoted_fp22, fp22 };

/// Some of a part's forms, by their places in its row.
struct FormSet {
  unsigned bits = 0;

  bool has(int form) const { return ((bits >> form) & 1U) != 0; }
  bool has_before(int form) const { return (bits & ((1U << form) - 1)) != 0; }
  friend bool operator==(const FormSet&, const FormSet&) = default;
};

/// All forms that are usual of a stage: `any` in a contract.
inline constexpr FormSet kUsualForms{~0U};

/// One way to compute a part. In the stages `if_declared` it counts only where it is declared.
struct Form {
  std::string_view word;
  std::string_view formula;
  std::span<const std::string_view> if_declared = {};

  bool is_usual_of(std::string_view stage) const;
};

/// A part with the stages that have it and its forms; the truth is computed by the first of them.
struct FormRow {
  FormPart part;
  std::string_view word;
  std::span<const std::string_view> stages;
  std::span<const Form> forms;

  bool is_of(std::string_view stage) const;
  /// The forms of the part that are usual of a stage.
  FormSet usual_of(std::string_view stage) const;
};

std::span<const FormRow> form_rows();
const FormRow& form_row(FormPart part);

/// The bits of a FormSet that has the form `closed` of FormPart::scale_gradient alone.
inline constexpr unsigned kClosedForm = 2;

}  // namespace gradproof
