// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nonfinite_reference.h"

#include <cmath>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Real = long double;
using Matrix = std::vector<Real>;

Matrix numbers(const Tensor& tensor) {
  Matrix all;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) all.push_back(tensor.at(i));
  return all;
}

Real sigmoid(Real z) { return 1 / (1 + std::exp(-z)); }

bool is_norm(const GraphStep& step) { return graph_stage(step.stage).is_norm(); }

/// Mean, 1/std and the sums of a norm in one column, or one row of one group.
struct UnitNorm {
  std::vector<std::size_t> at;  ///< of its elements in the matrix
  Real mean = 0, variance = 0, rstd = 0;
};

class Written {
 public:
  Written(const Claim& claim, const Tensors& inputs) : claim_(claim), inputs_(inputs) {
    for (const auto& [name, tensor] : inputs) given_[name] = numbers(tensor);
  }

  Reference run() {
    Matrix v = given_.at("x");
    for (const GraphStep& step : steps_) {
      before_.push_back(v);
      v = value(step, v);
    }
    result_["y"] = v;
    Matrix g = given_.at("dy");
    for (std::size_t k = before_.size(); k-- > 0;) g = pull(steps_[k], before_[k], g);
    result_["d_x"] = g;
    return result_;
  }

 private:
  std::size_t column(std::size_t i) const { return i % static_cast<std::size_t>(claim_.cols()); }

  Real parameter(const std::string& name, std::size_t i, Real without) const {
    if (name.empty()) return without;
    const Matrix& all = given_.at(name);
    return all[all.size() == 1 ? 0 : column(i)];
  }

  /// The element's number in the second operand of a step.
  Real other(const GraphStep& step, std::size_t i) const {
    const GraphOperand& operand = step.operands.at(1);
    return operand.is_number() ? Real(operand.number) : parameter(operand.name, i, 0);
  }

  Matrix value(const GraphStep& step, const Matrix& x) {
    if (is_norm(step)) return normalised(step, x);
    Matrix y = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (step.stage == "bias") y[i] = x[i] + other(step, i);
      if (step.stage == "scale") y[i] = x[i] * other(step, i);
      if (step.stage == "divide") y[i] = x[i] / other(step, i);
      if (step.stage == "silu") y[i] = x[i] * sigmoid(x[i]);
    }
    return y;
  }

  std::vector<UnitNorm> units() const {
    const std::int64_t groups = claim_.groups();
    std::vector<UnitNorm> all(
        static_cast<std::size_t>(groups > 0 ? claim_.rows() * groups : claim_.cols()));
    for (std::int64_t row = 0; row < claim_.rows(); ++row)
      for (std::int64_t col = 0; col < claim_.cols(); ++col)
        all[static_cast<std::size_t>(groups > 0 ? row * groups + col / claim_.block_width() : col)]
            .at.push_back(static_cast<std::size_t>(row * claim_.cols() + col));
    return all;
  }

  Matrix normalised(const GraphStep& step, const Matrix& x) {
    units_ = units();
    Matrix y = x;
    for (UnitNorm& unit : units_) {
      const auto count = static_cast<Real>(unit.at.size());
      for (const std::size_t i : unit.at) unit.mean += x[i] / count;
      for (const std::size_t i : unit.at)
        unit.variance += (x[i] - unit.mean) * (x[i] - unit.mean) / count;
      if (claim_.groups() == 0) running(unit);
      unit.rstd = 1 / std::sqrt(unit.variance + step.number("eps"));
      result_["mean"].push_back(unit.mean);
      result_["rstd"].push_back(unit.rstd);
      for (const std::size_t i : unit.at)
        y[i] = (x[i] - unit.mean) * unit.rstd * parameter(operand_of(step, "weight"), i, 1) +
               parameter(operand_of(step, "beta"), i, 0);
    }
    return y;
  }

  /// Notes the buffers after the step; in evaluation they are the statistics.
  void running(UnitNorm& unit) {
    if (!given_.contains("running_mean")) return;
    const std::size_t i = unit.at.front();
    const Real mean = parameter("running_mean", i, 0);
    const Real variance = parameter("running_var", i, 1);
    const auto count = static_cast<Real>(unit.at.size());
    if (claim_.batch_statistics()) {
      const Real m = claim_.graph.steps.back().number("momentum");
      result_["running_mean"].push_back((1 - m) * mean + m * unit.mean);
      result_["running_var"].push_back((1 - m) * variance +
                                       m * unit.variance * count / (count - 1));
      return;
    }
    unit.mean = mean;
    unit.variance = variance;
    result_["running_mean"].push_back(mean);
    result_["running_var"].push_back(variance);
  }

  /// The cotangent of the step's input; gradients of parameters are noted.
  Matrix pull(const GraphStep& step, const Matrix& x, const Matrix& g) {
    if (is_norm(step)) return pull_norm(step, x, g);
    Matrix dx = g;
    Matrix terms = g;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Real s = sigmoid(x[i]);
      if (step.stage == "divide") dx[i] = g[i] / other(step, i);
      if (step.stage == "silu") dx[i] = g[i] * (s * (1 + x[i] * sigmoid(-x[i])));
      if (step.stage == "scale") {
        dx[i] = g[i] * other(step, i);
        terms[i] = g[i] * x[i];
      }
    }
    const bool closed =
        step.stage == "scale" && claim_.contract.scale_in_closed_form && claim_.batch_statistics();
    if (closed)
      note_closed(step, x);
    else if (step.operands.size() > 1)
      note(step.operands[1].name, terms);
    return dx;
  }

  /// The gradient of a scale right in front of the norm: weight rstd^3 eps sum (g - mean g) (x -
  /// mean x).
  void note_closed(const GraphStep& step, const Matrix& x) {
    const GraphStep& norm = steps_[1];
    const std::string& scale = step.operands[1].name;
    Matrix& sums = result_["d_" + scale];
    sums.assign(given_.at(scale).size(), 0);
    for (const UnitNorm& unit : units_) {
      const auto count = static_cast<Real>(unit.at.size());
      Real mean_g = 0;
      Real mean_x = 0;
      for (const std::size_t i : unit.at) mean_g += norm_g_[i] / count;
      for (const std::size_t i : unit.at) mean_x += x[i] / count;
      Real sum = 0;
      for (const std::size_t i : unit.at) sum += (norm_g_[i] - mean_g) * (x[i] - mean_x);
      const std::size_t first = unit.at.front();
      const Real factor = parameter(operand_of(norm, "weight"), first, 1) * unit.rstd;
      sums[sums.size() == 1 ? 0 : column(first)] +=
          factor * sum * (unit.rstd * norm.number("eps") * unit.rstd);
    }
  }

  Matrix pull_norm(const GraphStep& step, const Matrix& x, const Matrix& g) {
    const std::string weight = operand_of(step, "weight");
    norm_g_ = g;
    Matrix dx = g;
    Matrix terms = g;
    const bool columns = claim_.groups() == 0;
    const bool constant = columns && !claim_.batch_statistics();
    for (const UnitNorm& unit : units_) {
      const auto count = static_cast<Real>(unit.at.size());
      // The one weight of a column stands before the sums, those of a group's channels in them.
      const auto inner = [&](std::size_t i) {
        return columns ? g[i] : g[i] * parameter(weight, i, 1);
      };
      Real s1 = 0;
      Real s2 = 0;
      for (const std::size_t i : unit.at) {
        const Real xhat = (x[i] - unit.mean) * unit.rstd;
        s1 += inner(i) / count;
        s2 += inner(i) * xhat / count;
        terms[i] = g[i] * xhat;
      }
      for (const std::size_t i : unit.at) {
        const Real factor = columns ? parameter(weight, i, 1) * unit.rstd : unit.rstd;
        const Real xhat = (x[i] - unit.mean) * unit.rstd;
        dx[i] = factor * (constant ? inner(i) : inner(i) - s1 - xhat * s2);
      }
    }
    note(weight, terms);
    note(operand_of(step, "beta"), g);
    return dx;
  }

  /// The sums of the terms that meet each element of the parameter.
  void note(const std::string& name, const Matrix& terms) {
    if (name.empty()) return;
    Matrix sums(given_.at(name).size());
    for (std::size_t i = 0; i < terms.size(); ++i)
      sums[sums.size() == 1 ? 0 : column(i)] += terms[i];
    result_["d_" + name] = sums;
  }

  const Claim& claim_;
  const std::vector<GraphStep> steps_ = claim_.chain();
  const Tensors& inputs_;
  std::map<std::string, Matrix, std::less<>> given_;
  std::vector<Matrix> before_;
  std::vector<UnitNorm> units_;
  Matrix norm_g_;  ///< the cotangent of the norm's value
  Reference result_;
};

}  // namespace

Reference reference_of(const Claim& claim, const Tensors& inputs) {
  return Written(claim, inputs).run();
}

Class class_of(long double value, DType dtype) {
  if (std::isnan(value)) return Class::nan;
  const double largest = largest_finite(dtype);
  const long double beyond =
      static_cast<long double>(largest) +
      std::ldexp(1.0L, std::ilogb(largest) - precision_of(dtype));  // rounds to infinity from here
  if (std::abs(value) < beyond) return Class::finite;
  return value > 0 ? Class::positive : Class::negative;
}

}  // namespace gradproof
