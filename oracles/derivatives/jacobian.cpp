// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/jacobian.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/parallel.h"
#include "oracles/derivatives/column_unit.h"

namespace gradproof {
namespace {

constexpr double kMostDigits = 50;
/// Digits of agreement for "certified". With fewer, the column is wrong if the differences agree
/// with themselves to over one digit more.
constexpr double kWantedDigits = 30;
/// Elements that the backward passes of the whole column may evaluate.
constexpr std::int64_t kAdjointWork = 1 << 20;
/// At most this many units outside the reach are evaluated.
constexpr std::size_t kOutsideUnits = 4;

/// The digits of an error relative to a scale; 0 for a NaN.
double digits_of(const Real& error, const Real& scale) {
  if (error == 0) return kMostDigits;
  const double digits = -log10(error / scale).convert_to<double>();
  return std::isnan(digits) ? 0 : std::clamp(digits, 0.0, kMostDigits);
}

class Column {
 public:
  Column(const PipelineTarget& target, const ColumnNumber& asked)
      : target_(target), geometry_(target.geometry()), asked_(asked) {}

  /// The column without verdict and reason.
  JacobianColumn found() {
    const std::vector<std::int64_t> units = affected();
    if (target_.before_norm(asked_.tensor)) {
      ReadUnit<Plain, Real> first(target_, units.front());
      first.runner().forward();
      log2_scale_ = log2_norm_width(target_, first);
    }
    const ColumnStep step = best_step(target_, units.front(), asked_, log2_scale_);
    result_.log2_step = step.log2_step;
    result_.order = order_of(step.order_index);
    const std::int64_t work = geometry_.unit_size() * static_cast<std::int64_t>(units.size());
    const std::int64_t most = std::max<std::int64_t>(1, kAdjointWork / work);
    const std::int64_t apart = (geometry_.unit_size() + most - 1) / most;
    std::vector<ColumnPart> parts(units.size());
    for_each_index(static_cast<std::int64_t>(units.size()), [&](std::int64_t k) {
      const auto at = static_cast<std::size_t>(k);
      parts[at] = column_part(target_, units[at], asked_, step, apart);
    });
    for (const ColumnPart& part : parts)
      for (std::int64_t i = 0; i < geometry_.unit_size(); ++i)
        scale_ = std::max(scale_, scale_of(part, static_cast<std::size_t>(i)));
    result_.digits = result_.estimate = kMostDigits;
    for (std::size_t k = 0; k < units.size(); ++k) add_unit(units[k], parts[k]);
    std::sort(result_.entries.begin(), result_.entries.end(),
              [](const JacobianEntry& a, const JacobianEntry& b) { return a.index < b.index; });
    look_outside(units);
    return std::move(result_);
  }

 private:
  /// The units that the number affects, in ascending order.
  std::vector<std::int64_t> affected() const {
    const std::size_t tensor = asked_.tensor;
    if (target_.in_one_unit(tensor)) return {target_.unit_of(tensor, asked_.entry)};
    if (!target_.shared(tensor)) return target_.units_of(target_.block_of(tensor, asked_.entry));
    std::vector<std::int64_t> all;
    for (std::int64_t unit = 0; unit < geometry_.units(); ++unit) all.push_back(unit);
    return all;
  }

  /// Whether the number affects the element at this place of these units.
  bool affects(std::size_t place) const {
    const bool by_element = target_.movable(asked_.tensor).input ||
                            (geometry_.is_grouped() && !target_.shared(asked_.tensor));
    return !by_element || target_.before_norm(asked_.tensor) || place == asked_.place;
  }

  /// |derivative| of an output, but at least |output| / (N width): derivatives may all be nearly 0,
  /// as those of a shift before a norm are.
  Real scale_of(const ColumnPart& part, std::size_t output) const {
    const Real typical_derivative =
        ldexp(Real(abs(part.rest[output])), -log2_scale_) / geometry_.unit_size();
    return std::max(typical_derivative, Real(abs(part.dual[output])));
  }

  /// The digits of an output of a part, counted among those of the column.
  double count_digits(const ColumnPart& part, std::size_t output, const Real& miss,
                      const Real& scale) {
    const double digits = isnan(part.difference[output]) ? 0 : digits_of(miss, scale);
    result_.digits = std::min(result_.digits, digits);
    result_.estimate = std::min(result_.estimate, digits_of(part.self_error[output], scale));
    return digits;
  }

  void add_unit(std::int64_t unit, const ColumnPart& part) {
    const auto n = static_cast<std::size_t>(geometry_.unit_size());
    for (std::size_t at = 0; at < n; ++at) {
      const std::optional<Real>& adjoint = part.adjoint[at];
      const Real by_adjoint = adjoint ? Real(abs(*adjoint - part.dual[at])) : Real(0);
      if (!affects(at)) {
        ++result_.outside;
        if (part.difference[at] != 0 || part.dual[at] != 0 || by_adjoint != 0)
          ++result_.outside_moved;
        continue;
      }
      if (adjoint) ++result_.by_adjoint;
      const Real by_difference = abs(part.difference[at] - part.dual[at]);
      const Real miss = by_adjoint <= by_difference ? by_difference : by_adjoint;
      JacobianEntry entry;
      entry.index = geometry_.first(unit) + static_cast<std::int64_t>(at) * geometry_.stride();
      entry.difference = part.difference[at].convert_to<double>();
      entry.dual = part.dual[at].convert_to<double>();
      entry.adjoint = adjoint ? adjoint->convert_to<double>() : std::nan("");
      entry.digits = count_digits(part, at, miss, scale_);
      result_.entries.push_back(entry);
    }
    for (std::size_t at = n; at < part.dual.size(); ++at) {
      const Real miss = abs(part.difference[at] - part.dual[at]);
      result_.sides.push_back(
          {target_.compiled().sides[at - n].name, unit, part.difference[at].convert_to<double>(),
           part.dual[at].convert_to<double>(), count_digits(part, at, miss, scale_of(part, at))});
    }
  }

  /// Counts outputs that change with the number in units that it must not affect: the neighbours of
  /// the affected units, the first and the last unit.
  void look_outside(const std::vector<std::int64_t>& affected) {
    std::set<std::int64_t> outside;
    for (const std::int64_t unit :
         {affected.front() + 1, affected.front() - 1, std::int64_t{0}, geometry_.units() - 1})
      if (unit >= 0 && unit < geometry_.units() && outside.size() < kOutsideUnits &&
          !std::binary_search(affected.begin(), affected.end(), unit))
        outside.insert(unit);
    if (outside.empty()) return;
    Tensors changed = target_.inputs();
    Tensor& tensor = changed.at(target_.tensors()[asked_.tensor].name);
    const double before = tensor.at(asked_.entry);
    tensor.set(asked_.entry, before == 0 ? 1 : before / 2);
    for (const std::int64_t unit : outside) {
      result_.outside += geometry_.unit_size();
      result_.outside_moved += outputs_that_move(target_, changed, unit);
    }
  }

  const PipelineTarget& target_;
  const Geometry& geometry_;
  ColumnNumber asked_;
  JacobianColumn result_;
  int log2_scale_ = 0;
  Real scale_ = 0;
};

std::string outside_message(const JacobianColumn& column) {
  if (column.outside == 0) return "nothing lies outside its reach";
  if (column.outside_moved == 0)
    return fmt::format("{} elements outside its reach do not move", column.outside);
  return fmt::format("{} of {} elements outside its reach move", column.outside_moved,
                     column.outside);
}

std::string adjoint_message(const JacobianColumn& column) {
  const auto entries = static_cast<std::int64_t>(column.entries.size());
  if (column.by_adjoint == entries) return "";
  return fmt::format("; the adjoint was asked of {} of {}", column.by_adjoint, entries);
}

/// The verdict and its reason.
std::pair<std::string, std::string> judged(const JacobianColumn& column) {
  const bool finite =
      std::all_of(column.entries.begin(), column.entries.end(), [](const JacobianEntry& entry) {
        return std::isfinite(entry.difference) && std::isfinite(entry.dual);
      });
  const std::string outside = outside_message(column);
  if (column.outside_moved > 0) return {"wrong", outside};
  if (!finite) return {"inconclusive", "not finite; " + outside};
  if (column.digits >= kWantedDigits) return {"certified", outside + adjoint_message(column)};
  const std::string agreement =
      fmt::format("the differences agree with themselves to {:.1f} digits", column.estimate);
  if (column.estimate <= column.digits + 1) return {"inconclusive", agreement};
  return {"wrong", fmt::format("the ways agree to {:.1f} digits; {}", column.digits, agreement)};
}

}  // namespace

JacobianColumn jacobian_column(const PipelineTarget& target, std::size_t tensor,
                               const std::vector<std::int64_t>& index) {
  const Shape& shape = target.tensors()[tensor].shape;
  std::int64_t entry = 0;
  for (std::size_t k = 0; k < index.size(); ++k) entry = entry * shape[k] + index[k];
  const bool empty = target.geometry().units() == 0 || target.geometry().unit_size() == 0;
  JacobianColumn result =
      empty ? JacobianColumn() : Column(target, column_number(target, tensor, entry)).found();
  result.tensor = target.tensors()[tensor].name;
  result.index = index;
  std::tie(result.verdict, result.reason) =
      empty ? std::pair<std::string, std::string>("inconclusive", "no elements") : judged(result);
  return result;
}

}  // namespace gradproof
