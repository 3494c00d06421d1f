// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/audit_row.h"
#include "oracles/differences/audit_target.h"
#include "oracles/differences/target.h"

namespace gradproof {

/// A derivative in 400 digits as the sum of one term for each path of the chain rule, and the sum
/// of the absolute terms. Rounding errors are relative to `paths`: where the gradient is 0, all
/// terms cancel.
struct PathSum {
  Real sum{0};
  Real paths{0};

  /// True if the sum is no more than one rounding of the last differences, 2^-1128 (docs/audit.md);
  /// a million roundings of the sum itself are far less.
  bool is_rounding() const { return abs(sum) <= ldexp(paths, -1128); }
};

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

/// log2 of the widths over which a function may change with its numbers.
struct Widths {
  int most = 0;          ///< width of the numbers of usual size
  std::vector<int> own;  ///< width of each number

  /// Divides all widths by 2^by.
  void narrow(int by);
};

/// The usual size is the lower median of the sizes of all numbers but 0. The width of numbers
/// within 2^+-20 of it, and of smaller ones and 0 if the usual size is at most 1, is their
/// standard deviation, or their size if they are equal. The width of a larger number (a mask of
/// -1e30) is its size. The width of a much smaller number beside a large usual size is 1, or its
/// size if that is above 1. No width is below 2^-900: finer steps would leave the range of a
/// double.
Widths widths_of(const std::vector<double>& numbers);

/// The properties of a user's function. L = sum dy y.
struct FunctionFacts {
  std::vector<FunctionInput> inputs;
  std::vector<Widths> widths;  ///< by input
  std::vector<double> dy;      ///< by output; empty until the number of outputs is known
  /// sum |dy y|, at the inputs or near them, and a running bound on the rounding error of L in unit
  /// roundoffs (PathDualOf): far larger where values cancel inside the function.
  Real magnitude{0};
  Real rounding{0};
  bool own_gradient = false;  ///< the audited gradient is the user's, not that of dual numbers
  /// The audited gradient by input, in 400 digits: the user's; or that of dual numbers, 0 where it
  /// is within its own rounding error.
  std::vector<Values<Digits400>> gradient;
  std::vector<Values<PathSum>> path_sums;  ///< of dual numbers

  /// The factor by which L loses digits, as values cancel inside the function; at least 1.
  Real loss() const { return std::max(Real(1), Real(rounding / magnitude)); }
  /// True if 400 digits lose more than 350, so that less than 44 may be left of L.
  bool lost() const { return loss() > ldexp(Real(1), 1170); }
  /// The largest derivative that counts as 0: 10^-30 of its terms over loss(). A claim may have
  /// been given in 50 digits: less 6 for a million roundings, less 14 for values that cancel inside
  /// the function, which the terms do not show.
  Real floor(const PathSum& of) const { return of.paths / loss() * pow(Real(10), -30); }
  /// `rounding` less its likely cancellation; 0 if it is not large beside `magnitude`.
  double noticed_rounding() const;
  /// log2 of a number's width over that of most numbers of its input.
  int log2_wider(std::size_t tensor, std::size_t place) const {
    return widths[tensor].own[place] - widths[tensor].most;
  }
  /// The sum of |dy y| over the outputs that have a value.
  Real size_of(const Values<Real>& y) const;
  /// Throws UsageError if value() returned another number of outputs before.
  void check_outputs(std::size_t count) const;
};

/// A user's function as an AuditTarget. It is one unit, and every entry may change every output.
class FunctionTarget : public AuditTarget {
 public:
  const std::vector<AuditedTensor>& tensors() const override { return tensors_; }
  std::int64_t blocks() const override { return 1; }
  std::vector<std::int64_t> units_of(std::int64_t) const override { return {0}; }
  bool in_one_unit(std::size_t) const override { return true; }
  std::int64_t unit_size() const override { return unit_size_; }

  const FunctionFacts& facts() const { return facts_; }
  /// <J v, dy> by dual numbers for a direction v in one input.
  virtual PathSum directional(std::size_t tensor, const std::vector<double>& v) const = 0;
  /// Throws UsageError if a gradient's size does not fit the inputs; `whose` names the gradient.
  void check_gradient(const std::vector<Values<Digits400>>& gradient,
                      const std::string& whose) const;

 protected:
  /// Throws UsageError for an input whose name, shape or numbers are not valid.
  explicit FunctionTarget(const std::vector<FunctionInput>& inputs);

  /// Sets dy. Throws UsageError if it does not fit the outputs.
  void take_outputs(std::size_t count, const FunctionOptions& options);
  /// Takes the gradient of the next input by dual numbers.
  void take_dual_numbers(const Values<PathSum>& gradient);
  /// Throws UsageError unless all numbers are equal, or NaN both times; `what` names them.
  static void expect_same(const std::string& what, const Values<Digits400>& before,
                          const Values<Digits400>& now);

  FunctionFacts facts_;

 private:
  std::vector<AuditedTensor> tensors_;
  std::int64_t unit_size_ = 1;
};

/// <J v, dy> of dual numbers, forward, beside <v, gradient>, v random in this input, over the
/// entries that lie on no kink and inside the domain.
AuditWitness dual_numbers_witness(const FunctionTarget& target, std::size_t tensor,
                                  const FunctionOptions& options);

/// The rows of the target's audit. If the audited gradient is the user's, dual numbers are a
/// witness; otherwise given numbers may be one.
std::vector<AuditRow> audit_function_target(const FunctionTarget& target,
                                            const FunctionOptions& options,
                                            const GivenGradients* given = nullptr);

}  // namespace gradproof
