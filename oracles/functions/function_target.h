// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/audit_row.h"
#include "oracles/differences/audit_target.h"
#include "oracles/differences/path_sum.h"
#include "oracles/differences/target.h"
#include "oracles/functions/function_widths.h"

namespace gradproof {

/// An input of a user's function; its numbers are row-major.
struct FunctionInput {
  std::string name;
  Shape shape;
  std::vector<double> numbers;
};

struct FunctionOptions : AuditOptions {
  std::vector<double> dy;  ///< one number for each output; empty: drawn from the seed
  std::uint64_t seed = 1;
};

/// Gradients that other code computed in doubles.
struct GivenGradients {
  std::vector<std::vector<double>> numbers;  ///< by input
  double digits = 6;  ///< 1 to 16: correct digits, relative to the tensor's largest gradient
};

/// The measured rounding error of L in each arithmetic, in unit roundoffs of that arithmetic; 0
/// where it is not larger than the outputs let expect. It is larger where values cancel inside the
/// function.
struct MeasuredRoundings {
  double double_double = 0;
  double triple_double = 0;
  double digits400 = 0;
  bool cancels = false;  ///< 50 digits are not enough: 400 digits take their place
  bool lost = false;     ///< 400 digits are not enough either
};

/// A user's function as an AuditTarget. It is one unit, every entry may change every output, and
/// L = sum dy y.
class FunctionTarget : public AuditTarget {
 public:
  const std::vector<AuditedTensor>& tensors() const override { return tensors_; }
  std::int64_t blocks() const override { return 1; }
  std::vector<std::int64_t> units_of(std::int64_t) const override { return {0}; }
  bool in_one_unit(std::size_t) const override { return true; }
  std::int64_t block_of(std::size_t, std::int64_t) const override { return 0; }
  std::int64_t unit_of(std::size_t, std::int64_t) const override { return 0; }
  std::int64_t unit_size() const override { return unit_size_; }

  const std::vector<FunctionInput>& inputs() const { return inputs_; }
  const std::vector<double>& dy() const { return dy_; }

  /// log2 of the width over which the value may change with a number of an input
  /// (function_widths.h): the width of most numbers, and that of one number.
  int log2_scale(std::size_t tensor) const { return widths_[tensor].most; }
  int log2_width(std::size_t tensor, std::size_t place) const { return widths_[tensor].own[place]; }
  double roundings(AuditArithmetic arithmetic) const;
  bool cancels() const { return roundings_.cancels; }
  bool lost() const { return roundings_.lost; }
  /// The user's own gradient at 400 digits, where `cancels`.
  const Values<Real>& own_gradient(std::size_t tensor) const { return own_[tensor]; }
  const std::vector<Values<Real>>& own_gradients() const { return own_; }
  /// The gradient of an input by dual numbers, if the user gave no other: 0 where the sum is within
  /// its own rounding error.
  const Values<Real>& by_dual_numbers(std::size_t tensor) const { return dual_[tensor]; }
  /// The same with the sums of its absolute terms; PathSum::floor() is the rounding error.
  const Values<PathSum>& path_sums(std::size_t tensor) const { return sums_[tensor]; }

  /// <J v, dy> by dual numbers with 50 digits (400 where cancels()), v in one input.
  virtual PathSum directional(std::size_t tensor, const std::vector<double>& v) const = 0;
  /// Whether the audited gradient is the user's; otherwise it is that of dual numbers.
  virtual bool has_own_gradient() const = 0;

 protected:
  /// Throws UsageError for an input whose name, shape or numbers are not valid.
  explicit FunctionTarget(const std::vector<FunctionInput>& inputs);

  /// Sets dy, when the number of outputs is known. Throws UsageError where dy does not fit.
  void take_outputs(std::size_t count, const FunctionOptions& options);
  void take_roundings(const MeasuredRoundings& measured) { roundings_ = measured; }
  /// Divides all widths of an input by 2^by.
  void narrow(std::size_t tensor, int by);
  void take_own_gradient(const std::vector<Values<Real>>& gradient) { own_ = gradient; }
  /// Takes the gradient of the next input.
  void take_dual_numbers(const Values<PathSum>& gradient);
  /// Throws UsageError: `what` was `before`, then `now`, at the same numbers.
  [[noreturn]] static void throw_undetermined(const std::string& what, double before, double now);

 public:
  /// Throws UsageError: value() returned `before` outputs, then `now`.
  [[noreturn]] static void throw_other_outputs(std::size_t before, std::size_t now);
  /// Throws UsageError where a gradient's size does not fit the inputs; `whose` gradient it is.
  void check_gradient(const std::vector<std::size_t>& sizes, const std::string& whose) const;

 private:
  std::vector<FunctionInput> inputs_;
  std::vector<AuditedTensor> tensors_;
  std::vector<double> dy_;
  std::vector<Values<Real>> own_;
  std::vector<Values<Real>> dual_;
  std::vector<Values<PathSum>> sums_;
  std::vector<Widths> widths_;
  MeasuredRoundings roundings_;
  std::int64_t unit_size_ = 1;
};

/// "domain: log has no finite value within 2^-20"; with `at_x`, without the distance.
std::string outside_text(const char* operation, bool at_x, double move);

/// "kink: comparison 3 of the value turns within 2^-20", from the outcomes at x and with the move.
std::string turning_text(const std::vector<char>& before, const std::vector<char>& after,
                         double move);

/// The rows of the target's audit. If the audited gradient is the user's, dual numbers are a
/// witness.
std::vector<AuditRow> audit_function_target(const FunctionTarget& target,
                                            const FunctionOptions& options);

/// The rows of the audit of the derivative by dual numbers, with the given numbers as a witness.
std::vector<AuditRow> audit_given(const FunctionTarget& target, const FunctionOptions& options,
                                  const GivenGradients& given);

}  // namespace gradproof
