// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/jacobian.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/parallel.h"
#include "oracles/derivatives/jacobian_number.h"

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

double digits_of(const Real& error, const Real& scale) {
  if (error == 0) return kMostDigits;
  const double digits = -log10(error / scale).convert_to<double>();
  return std::isnan(digits) ? 0 : std::clamp(digits, 0.0, kMostDigits);
}

/// The part of the column in one unit, by output (UnitOutputs).
struct Part {
  UnitOutputs rest;
  UnitOutputs difference;
  UnitOutputs self_error;
  UnitOutputs dual;
  std::vector<double> adjoint;  ///< NaN where no adjoint was computed
  Values<Real> adjoint_miss;    ///< |adjoint - dual|
  std::int64_t asked = 0;
};

class Column {
 public:
  explicit Column(const JacobianNumber& asked) : asked_(asked) {}

  /// The column without verdict and reason.
  JacobianColumn found() {
    const std::vector<std::int64_t> units = asked_.units();
    parts_.resize(units.size());
    choose(units.front());
    for_each_index(static_cast<std::int64_t>(units.size()), [&](std::int64_t k) {
      parts_[static_cast<std::size_t>(k)] =
          part_of(units[static_cast<std::size_t>(k)], static_cast<std::int64_t>(units.size()));
    });
    for (const Part& part : parts_) scale_ = std::max(scale_, scale_of(part));
    result_.digits = result_.estimate = kMostDigits;
    for (std::size_t k = 0; k < units.size(); ++k) add_unit(units[k], parts_[k]);
    std::sort(result_.entries.begin(), result_.entries.end(),
              [](const JacobianEntry& a, const JacobianEntry& b) { return a.index < b.index; });
    look_outside(units);
    return std::move(result_);
  }

 private:
  const PipelineTarget& target() const { return asked_.target(); }
  const Geometry& geometry() const { return target().geometry(); }

  void choose(std::int64_t index) {
    JacobianUnit<Real> unit(target().claim(), target().compiled(), target().inputs(), index);
    const UnitOutputs outputs = unit.outputs();
    if (asked_.before_norm())
      for (std::size_t s = 0; s < target().compiled().sides.size(); ++s)
        if (target().compiled().sides[s].side == NormOutput::rstd) {
          const double rstd =
              outputs[static_cast<std::size_t>(geometry().unit_size()) + s].convert_to<double>();
          if (std::isfinite(rstd) && rstd > 0) log2_scale_ = -std::ilogb(rstd);
        }
    choice_ = best_step(unit, asked_.number(), log2_scale_);
    result_.log2_step = choice_.log2_step;
    result_.order = 2 * static_cast<int>(choice_.order) + 2;
  }

  Part part_of(std::int64_t index, std::int64_t units) const {
    const UnitNumber number = asked_.number();
    JacobianUnit<Real> unit(target().claim(), target().compiled(), target().inputs(), index);
    UnitDifferences found = unit_differences(unit, number, choice_.log2_step);
    Part part;
    part.difference = std::move(found.value[choice_.order]);
    part.self_error = std::move(found.self_error[choice_.order]);
    part.dual = unit_duals(target().claim(), target().compiled(), target().inputs(), index, number);
    ask_adjoint(part, unit, units);
    return part;
  }

  /// The adjoint of every element, or of evenly spread ones where kAdjointWork allows no more.
  void ask_adjoint(Part& part, JacobianUnit<Real>& unit, std::int64_t units) const {
    const std::int64_t n = geometry().unit_size();
    const UnitNumber number = asked_.number();
    const std::int64_t most = std::max<std::int64_t>(1, kAdjointWork / (n * units));
    const std::int64_t apart = (n + most - 1) / most;
    part.adjoint.assign(static_cast<std::size_t>(n), std::nan(""));
    part.adjoint_miss.assign(static_cast<std::size_t>(n), Real(0));
    part.rest = unit.outputs();
    for (std::int64_t place = 0; place < n; ++place) {
      if (place % apart != 0 && place != static_cast<std::int64_t>(number.place)) continue;
      const auto at = static_cast<std::size_t>(place);
      const Real adjoint = unit.adjoint(at, number);
      part.adjoint[at] = adjoint.convert_to<double>();
      part.adjoint_miss[at] = abs(adjoint - part.dual[at]);
      if (asked_.affects(place)) ++part.asked;
    }
  }

  /// The largest |derivative| of the part, but at least max |y| / (N width): the derivatives may
  /// all be nearly 0, as those of a shift before a norm are.
  Real scale_of(const Part& part) const {
    Real most(0);
    for (std::int64_t place = 0; place < geometry().unit_size(); ++place) {
      const auto at = static_cast<std::size_t>(place);
      const Real typical_derivative =
          ldexp(Real(abs(part.rest[at])), -log2_scale_) / geometry().unit_size();
      most = std::max({most, typical_derivative, Real(abs(part.dual[at]))});
    }
    return most;
  }

  void add_unit(std::int64_t unit, const Part& part) {
    result_.by_adjoint += part.asked;
    const std::int64_t n = geometry().unit_size();
    for (std::int64_t place = 0; place < n; ++place) {
      const auto at = static_cast<std::size_t>(place);
      if (!asked_.affects(place)) {
        ++result_.outside;
        const bool moved = part.difference[at] != 0 || part.dual[at] != 0;
        if (moved || part.adjoint_miss[at] != 0) ++result_.outside_moved;
        continue;
      }
      Real miss = abs(part.difference[at] - part.dual[at]);
      if (!(part.adjoint_miss[at] <= miss)) miss = part.adjoint_miss[at];
      JacobianEntry entry;
      entry.index = geometry().first(unit) + place * geometry().stride();
      entry.difference = part.difference[at].convert_to<double>();
      entry.dual = part.dual[at].convert_to<double>();
      entry.adjoint = part.adjoint[at];
      entry.digits = isnan(part.difference[at]) ? 0 : digits_of(miss, scale_);
      result_.digits = std::min(result_.digits, entry.digits);
      result_.estimate = std::min(result_.estimate, digits_of(part.self_error[at], scale_));
      result_.entries.push_back(entry);
    }
    add_sides(unit, part);
  }

  void add_sides(std::int64_t unit, const Part& part) {
    const auto n = static_cast<std::size_t>(geometry().unit_size());
    for (std::size_t s = 0; s < target().compiled().sides.size(); ++s) {
      const Real& difference = part.difference[n + s];
      const Real& dual = part.dual[n + s];
      const Real typical_derivative = ldexp(Real(abs(part.rest[n + s])), -log2_scale_) / n;
      const Real scale = std::max(Real(abs(dual)), typical_derivative);
      const double digits = isnan(difference) ? 0 : digits_of(abs(difference - dual), scale);
      result_.sides.push_back({target().compiled().sides[s].name, unit,
                               difference.convert_to<double>(), dual.convert_to<double>(), digits});
      result_.digits = std::min(result_.digits, digits);
      result_.estimate = std::min(result_.estimate, digits_of(part.self_error[n + s], scale));
    }
  }

  /// Counts outputs that change with the number in units that it must not affect: the neighbours of
  /// the affected units, the first and the last unit.
  void look_outside(const std::vector<std::int64_t>& affected) {
    std::set<std::int64_t> outside;
    for (const std::int64_t unit :
         {affected.front() + 1, affected.front() - 1, std::int64_t{0}, geometry().units() - 1})
      if (unit >= 0 && unit < geometry().units() && outside.size() < kOutsideUnits &&
          !std::binary_search(affected.begin(), affected.end(), unit))
        outside.insert(unit);
    if (outside.empty()) return;
    Tensors changed = target().inputs();
    Tensor& tensor = changed.at(asked_.tensor().name);
    const double before = tensor.at(asked_.entry());
    tensor.set(asked_.entry(), before == 0 ? 1 : before / 2);
    for (const std::int64_t unit : outside) {
      result_.outside += geometry().unit_size();
      result_.outside_moved +=
          outputs_that_move(target().claim(), target().inputs(), changed, unit);
    }
  }

  const JacobianNumber& asked_;
  JacobianColumn result_;
  std::vector<Part> parts_;
  ColumnStep choice_;
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

JacobianColumn jacobian_column(const Claim& claim, const Tensors& inputs, const std::string& tensor,
                               const std::vector<std::int64_t>& index) {
  const PipelineTarget target(claim, inputs);
  const JacobianNumber asked(target, tensor, index);
  const bool empty = asked.units().empty() || target.geometry().unit_size() == 0;
  JacobianColumn result = empty ? JacobianColumn() : Column(asked).found();
  result.tensor = asked.tensor().name;
  result.index = index;
  std::tie(result.verdict, result.reason) =
      empty ? std::pair<std::string, std::string>("inconclusive", "no elements") : judged(result);
  return result;
}

}  // namespace gradproof
