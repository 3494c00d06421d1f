// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/jacobian.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/parallel.h"
#include "oracles/derivatives/column_unit.h"
#include "oracles/differences/entry.h"
#include "oracles/differences/steps/step_rules.h"

namespace gradproof {
namespace {

/// Digits of agreement for "certified". With fewer, the column is wrong if the differences agree
/// with themselves to over one digit more.
constexpr double kWantedDigits = 30;
/// Elements that the backward passes of the whole column may evaluate.
constexpr std::int64_t kAdjointWork = 1 << 18;
/// At most this many units outside the reach are evaluated.
constexpr std::size_t kOutsideUnits = 4;

/// The digits of an error relative to a scale, from 0 on; 0 for a NaN.
double digits_of(const Real& error, const Real& scale) {
  const double relative = error == 0 ? 0 : Real(error / scale).convert_to<double>();
  return std::isnan(relative) ? 0 : std::max(0.0, gradproof::digits_of(relative));
}

class Column {
 public:
  Column(const PipelineTarget& target, std::size_t tensor, std::int64_t entry)
      : target_(target), geometry_(target.geometry()), tensor_(tensor), entry_(entry) {
    if (target.movable(tensor).input)
      place_ = static_cast<std::size_t>(geometry_.place_of(entry));
    else if (!target.shared(tensor))
      place_ = static_cast<std::size_t>(entry % geometry_.columns());
  }

  /// Fills in all but the verdict.
  void fill_in(JacobianColumn& column) {
    const std::vector<std::int64_t> units = affected();
    if (target_.before_norm(tensor_)) {
      ReadUnit<Plain, Real> first(target_, units.front());
      first.value();
      log2_scale_ = first.log2_norm_width();
    }
    column.log2_step = step_rules::kLastChoice.log2_step + log2_scale_;
    const std::int64_t work = geometry_.unit_size() * std::ssize(units);
    const std::int64_t most = std::max<std::int64_t>(1, kAdjointWork / work);
    const auto apart = static_cast<std::size_t>((geometry_.unit_size() + most - 1) / most);
    std::vector<std::vector<OutputDerivative>> parts(units.size());
    for_each_index(std::ssize(units), [&](std::int64_t k) {
      const auto at = static_cast<std::size_t>(k);
      ColumnUnit unit(target_, units[at], tensor_, place_);
      parts[at] = unit.derivatives(column.log2_step, apart);
    });
    const auto size = static_cast<std::size_t>(geometry_.unit_size());
    Real scale(0);
    for (const auto& part : parts)
      for (std::size_t i = 0; i < size; ++i) scale = std::max(scale, scale_of(part[i]));
    column.digits = column.estimate = gradproof::digits_of(0);
    for (std::size_t k = 0; k < units.size(); ++k)
      for (std::size_t i = 0; i < parts[k].size(); ++i)
        if (i >= size)
          column.sides.push_back(entry(column, parts[k][i], scale_of(parts[k][i]),
                                       target_.compiled().sides[i - size].name, units[k]));
        else if (affects(i))
          column.entries.push_back(
              entry(column, parts[k][i], scale, "",
                    geometry_.first(units[k]) + static_cast<std::int64_t>(i) * geometry_.stride()));
        else
          count_outside(column, parts[k][i]);
    std::ranges::sort(column.entries, {}, &JacobianEntry::index);
    look_outside(column, units);
  }

 private:
  /// The units that the number affects, in ascending order.
  std::vector<std::int64_t> affected() const {
    if (target_.in_one_unit(tensor_)) return {target_.unit_of(tensor_, entry_)};
    if (!target_.shared(tensor_)) return target_.units_of(target_.block_of(tensor_, entry_));
    std::vector<std::int64_t> all(static_cast<std::size_t>(geometry_.units()));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
  }

  /// True if the number affects the element at this place of these units.
  bool affects(std::size_t place) const {
    const bool by_element =
        target_.movable(tensor_).input || (geometry_.is_grouped() && !target_.shared(tensor_));
    return !by_element || target_.before_norm(tensor_) || place == place_;
  }

  /// ||derivative| of an output, but at least |output| / (N width): derivatives may all be nearly
  /// 0, as those of a shift before a norm are.
  Real scale_of(const OutputDerivative& output) const {
    const Real typical_derivative =
        ldexp(Real(abs(output.rest)), -log2_scale_) / geometry_.unit_size();
    return std::max(typical_derivative, Real(abs(output.dual)));
  }

  /// An entry or a side, counted among the column's digits.
  static JacobianEntry entry(JacobianColumn& column, const OutputDerivative& of, const Real& scale,
                             const std::string& side, std::int64_t index) {
    const Real by_adjoint = of.adjoint ? Real(abs(*of.adjoint - of.dual)) : Real(0);
    const Real by_difference = abs(of.difference - of.dual);
    const Real& miss = by_adjoint <= by_difference ? by_difference : by_adjoint;
    const double digits = isnan(of.difference) ? 0 : digits_of(miss, scale);
    column.by_adjoint += of.adjoint ? 1 : 0;
    column.digits = std::min(column.digits, digits);
    column.estimate = std::min(column.estimate, digits_of(of.self_error, scale));
    return {side,
            index,
            of.difference.convert_to<double>(),
            of.dual.convert_to<double>(),
            of.adjoint ? of.adjoint->convert_to<double>() : std::nan(""),
            digits};
  }

  static void count_outside(JacobianColumn& column, const OutputDerivative& of) {
    ++column.outside;
    if (of.difference != 0 || of.dual != 0 || (of.adjoint && *of.adjoint != of.dual))
      ++column.outside_moved;
  }

  /// Counts outputs that change with the number in units that it must not affect: the neighbours of
  /// the affected units, the first and the last unit.
  void look_outside(JacobianColumn& column, const std::vector<std::int64_t>& affected) const {
    std::set<std::int64_t> outside;
    for (const std::int64_t unit :
         {affected.front() + 1, affected.front() - 1, std::int64_t{0}, geometry_.units() - 1})
      if (unit >= 0 && unit < geometry_.units() && outside.size() < kOutsideUnits &&
          !std::ranges::binary_search(affected, unit))
        outside.insert(unit);
    if (outside.empty()) return;
    Tensors changed = target_.inputs();
    Tensor& tensor = changed.at(target_.tensors()[tensor_].name);
    const double before = tensor.at(entry_);
    tensor.set(entry_, before == 0 ? 1 : before / 2);
    for (const std::int64_t unit : outside) {
      column.outside += geometry_.unit_size();
      column.outside_moved += outputs_that_move(target_, changed, unit);
    }
  }

  const PipelineTarget& target_;
  const Geometry& geometry_;
  std::size_t tensor_;
  std::int64_t entry_;
  std::size_t place_ = 0;  ///< of the number in each unit that it affects
  int log2_scale_ = 0;
};

/// The verdict, computed from all other members of the column.
Verdict verdict_of(const JacobianColumn& column) {
  const bool finite = std::ranges::all_of(column.entries, [](const JacobianEntry& entry) {
    return std::isfinite(entry.difference) && std::isfinite(entry.dual);
  });
  std::string outside = "nothing lies outside its reach";
  if (column.outside_moved > 0)
    outside = fmt::format("{} of {} elements outside its reach move", column.outside_moved,
                          column.outside);
  else if (column.outside > 0)
    outside = fmt::format("{} elements outside its reach do not move", column.outside);
  if (column.outside_moved > 0) return {Outcome::wrong, outside};
  if (!finite) return {Outcome::inconclusive, "not finite; " + outside};
  if (column.digits >= kWantedDigits) {
    if (column.by_adjoint < std::ssize(column.entries))
      outside += fmt::format("; the adjoint was asked of {} of {}", column.by_adjoint,
                             column.entries.size());
    return {Outcome::certified, outside};
  }
  const std::string agreement =
      fmt::format("the differences agree with themselves to {:.1f} digits", column.estimate);
  if (column.estimate <= column.digits + 1) return {Outcome::inconclusive, agreement};
  return {Outcome::wrong,
          fmt::format("the ways agree to {:.1f} digits; {}", column.digits, agreement)};
}

}  // namespace

JacobianColumn jacobian_column(const PipelineTarget& target, std::size_t tensor,
                               const std::vector<std::int64_t>& index) {
  const Shape& shape = target.tensors()[tensor].shape;
  JacobianColumn column;
  column.tensor = target.tensors()[tensor].name;
  column.index = index;
  std::int64_t entry = 0;
  for (std::size_t k = 0; k < index.size(); ++k) entry = entry * shape[k] + index[k];
  if (target.geometry().units() == 0 || target.geometry().unit_size() == 0) {
    column.verdict = {Outcome::inconclusive, "no elements"};
    return column;
  }
  Column(target, tensor, entry).fill_in(column);
  column.verdict = verdict_of(column);
  return column;
}

}  // namespace gradproof
