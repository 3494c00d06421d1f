// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/summed_target.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/parallel.h"

namespace gradproof {
namespace {

void add(Values<Real>& sum, const Values<Real>& more) {
  if (sum.empty())
    sum = more;
  else
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += more[k];
}

/// What the units of one part add up to; each pass fills what it computes.
struct Part {
  std::optional<Differences> differences;
  bool has_differences = true;
  std::vector<Values<Real>> rows;
  double magnitude = 0;
  double typical_change = 0;
  std::map<std::int64_t, std::string> irregular;  ///< by place

  void add_differences(const std::optional<Differences>& more) {
    has_differences = has_differences && more;
    if (!has_differences) return;
    if (differences)
      differences->add(*more);
    else
      differences = more;
  }
  void add_row(std::size_t k, const Values<Real>& more) {
    if (rows.size() <= k) rows.resize(k + 1);
    add(rows[k], more);
  }
  void add(const Part& other) {
    has_differences = has_differences && other.has_differences;
    if (other.differences) add_differences(other.differences);
    for (std::size_t k = 0; k < other.rows.size(); ++k) add_row(k, other.rows[k]);
    magnitude += other.magnitude;
    typical_change += other.typical_change;
    irregular.insert(other.irregular.begin(), other.irregular.end());
  }

 private:
  static void add(Values<Real>& sum, const Values<Real>& more) { gradproof::add(sum, more); }
};

class SummedLoss final : public PerturbedLoss {
 public:
  SummedLoss(const SummedTarget& target, AuditArithmetic arithmetic)
      : target_(target), arithmetic_(arithmetic), first_(target.of_units().losses(arithmetic)) {}

  void take_unit(std::int64_t block) override {
    units_ = target_.summands(block);
    first_->take_unit(units_.front());
    magnitude_.reset();
    at_rest_.reset();
    irregular_.reset();
  }
  std::int64_t count(std::size_t tensor) const override { return first_->count(tensor); }
  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    return first_->entry(tensor, place);
  }
  Method quickest(std::size_t tensor) const override { return first_->quickest(tensor); }
  int log2_scale(std::size_t) override { return 0; }

  Real change(std::size_t tensor, std::int64_t place, double move) override {
    return change_by(Method::direct, tensor, place, move);
  }
  Real change_by(Method method, std::size_t tensor, std::int64_t place, double move) override {
    return changes_of(tensor, {place}, {move}, method)[0][0];
  }
  const Values<Real>& changes(std::size_t tensor, double move, Method method) override {
    changes_ = changes_of(tensor, {}, {move}, method)[0];
    return changes_;
  }

  std::vector<Values<Real>> changes_of(std::size_t tensor, const std::vector<std::int64_t>& places,
                                       const std::vector<double>& moves, Method method) override {
    return summed([&](Part& part, PerturbedLoss& losses, int log2_scale) {
             std::vector<double> scaled = moves;
             for (double& move : scaled) move = std::ldexp(move, log2_scale);
             std::vector<Values<Real>> rows = losses.changes_of(tensor, places, scaled, method);
             for (std::size_t k = 0; k < rows.size(); ++k) {
               for (Real& change : rows[k]) change = ldexp(change, -log2_scale);
               part.add_row(k, rows[k]);
             }
           })
        .rows;
  }

  std::optional<Differences> differences(std::size_t tensor, int order_index, int log2_h,
                                         Method method) override {
    Part sum = summed([&](Part& part, PerturbedLoss& losses, int log2_scale) {
      part.magnitude += std::ldexp(losses.magnitude(), -log2_scale);
      if (part.has_differences)
        part.add_differences(losses.differences(tensor, order_index, log2_h + log2_scale, method));
    });
    magnitude_ = sum.magnitude;
    return sum.has_differences ? std::move(sum.differences) : std::nullopt;
  }

  const Values<Real>& claimed(std::size_t) override { return at_rest().rows[0]; }
  double magnitude() override { return magnitude_ ? *magnitude_ : at_rest().magnitude; }
  double typical_change() override { return at_rest().typical_change; }

  /// The bound of the sum of the units' D(h), and the rounding of these sums in Real.
  Real rounding(std::size_t tensor, std::int64_t place, int order_index, int log2_h) override {
    const auto at = static_cast<std::size_t>(place);
    const Part sum = summed([&](Part& part, PerturbedLoss& losses, int log2_scale) {
      const Real size = abs(losses.claimed(tensor)[at]);
      part.add_row(0, {losses.rounding(tensor, place, order_index, log2_h + log2_scale), 2 * size});
    });
    return sum.rows[0][0] + sum.rows[0][1] * (static_cast<double>(units_.size()) * kRealUnit);
  }

  /// Asked once for all numbers, so that each unit is visited once.
  std::string irregular(std::size_t tensor, std::int64_t place, double move) override {
    if (!irregular_ || move != irregular_move_) {
      irregular_ = summed([&](Part& part, PerturbedLoss& losses, int log2_scale) {
                     for (std::int64_t k = 0; k < losses.count(tensor); ++k) {
                       std::string why = losses.irregular(tensor, k, std::ldexp(move, log2_scale));
                       if (!why.empty()) part.irregular.emplace(k, std::move(why));
                     }
                   }).irregular;
      irregular_move_ = move;
    }
    const auto found = irregular_->find(place);
    return found == irregular_->end() ? "" : found->second;
  }

 private:
  /// The sum over the units: add(part, losses, log2_scale) is called at each, the parts in
  /// parallel.
  template <class Add>
  Part summed(const Add& add) {
    const auto units = static_cast<std::int64_t>(units_.size());
    const std::int64_t count = target_.parts(units);
    std::vector<Part> parts(static_cast<std::size_t>(count));
    for_each_index(count, [&](std::int64_t k) {
      const auto losses = target_.of_units().losses(arithmetic_);
      for (std::int64_t i = units * k / count; i < units * (k + 1) / count; ++i) {
        losses->take_unit(units_[static_cast<std::size_t>(i)]);
        add(parts[static_cast<std::size_t>(k)], *losses, losses->log2_scale(target_.tensor()));
      }
    });
    for (std::size_t k = 1; k < parts.size(); ++k) parts[0].add(parts[k]);
    return std::move(parts[0]);
  }

  const Part& at_rest() {
    if (!at_rest_)
      at_rest_ = summed([&](Part& part, PerturbedLoss& losses, int log2_scale) {
        part.add_row(0, losses.claimed(target_.tensor()));
        part.magnitude += std::ldexp(losses.magnitude(), -log2_scale);
        part.typical_change += std::ldexp(losses.typical_change(), -log2_scale);
      });
    return *at_rest_;
  }

  const SummedTarget& target_;
  AuditArithmetic arithmetic_;
  std::unique_ptr<PerturbedLoss> first_;  ///< of the block's first unit
  std::vector<std::int64_t> units_;
  std::optional<double> magnitude_;
  std::optional<Part> at_rest_;
  std::optional<std::map<std::int64_t, std::string>> irregular_;
  double irregular_move_ = 0;
  Values<Real> changes_;
};

}  // namespace

std::vector<std::int64_t> SummedTarget::units_of(std::int64_t block) const {
  return summands(block).empty() ? std::vector<std::int64_t>{} : std::vector{block};
}

std::int64_t SummedTarget::parts(std::int64_t units) const {
  return std::clamp<std::int64_t>(kParts / blocks(), 1, std::max<std::int64_t>(units, 1));
}

std::vector<std::int64_t> SummedTarget::summands(std::int64_t block) const {
  if (!all_) return target_.units_of(block);
  std::vector<std::int64_t> units;
  for (std::int64_t k = 0; k < target_.blocks(); ++k)
    for (const std::int64_t unit : target_.units_of(k)) units.push_back(unit);
  return units;
}

std::unique_ptr<PerturbedLoss> SummedTarget::losses(AuditArithmetic arithmetic) const {
  return std::make_unique<SummedLoss>(*this, arithmetic);
}

}  // namespace gradproof
