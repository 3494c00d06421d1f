// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/summed_target.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace gradproof {
namespace {

/// Adds the difference of the same number in another unit. The errors are small beside the claims,
/// so that plain sums suffice for them; the claims are summed in two doubles.
void operator+=(Difference& sum, const Difference& more) {
  const double hi = sum.claimed.hi + more.claimed.hi;
  const double added = hi - sum.claimed.hi;
  sum.claimed.mid +=
      ((sum.claimed.hi - (hi - added)) + (more.claimed.hi - added)) + more.claimed.mid;
  sum.claimed.hi = hi;
  sum.error += more.error;
  sum.self_error += more.self_error;
  sum.jump += more.jump;
}

/// The sums over the units of one part; each pass fills the members that it computes.
struct Part {
  /// The vector is empty before the first unit; nullopt once a unit has no differences.
  std::optional<Values<Difference>> differences = Values<Difference>();
  std::vector<Values<Digits400>> rows;
  double magnitude = 0;
  double typical_change = 0;
  std::vector<Irregularity> irregular;  ///< of the asked places

  void add_differences(const std::optional<Values<Difference>>& more) {
    if (!differences || !more)
      differences.reset();
    else if (differences->empty())
      differences = more;
    else
      for (std::size_t k = 0; k < more->size(); ++k) (*differences)[k] += (*more)[k];
  }
  void add_rows(const std::vector<Values<Digits400>>& more) {
    if (rows.empty()) rows.resize(more.size());
    for (std::size_t k = 0; k < more.size(); ++k) {
      rows[k].resize(more[k].size(), Digits400(0));
      for (std::size_t i = 0; i < more[k].size(); ++i) rows[k][i] += more[k][i];
    }
  }
  void add(const Part& other) {
    add_differences(other.differences);
    add_rows(other.rows);
    magnitude += other.magnitude;
    typical_change += other.typical_change;
    for (std::size_t k = 0; k < other.irregular.size(); ++k)
      irregular[k] = std::max(irregular[k], other.irregular[k]);
  }
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
  }
  std::int64_t count(std::size_t tensor) const override { return first_->count(tensor); }
  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    return first_->entry(tensor, place);
  }
  Method quickest(std::size_t tensor) const override { return first_->quickest(tensor); }
  int log2_scale(std::size_t) override { return 0; }

  Digits400 change(std::size_t tensor, std::int64_t place, double move) override {
    return changes(tensor, {place}, {move}, Method::direct)[0][0];
  }

  /// Each unit is visited once, for all moves.
  std::vector<Values<Digits400>> changes(std::size_t tensor,
                                         const std::vector<std::int64_t>& places,
                                         const std::vector<double>& moves, Method method) override {
    return summed([&](Part& part, PerturbedLoss& losses, int log2_scale) {
             std::vector<double> scaled = moves;
             for (double& move : scaled) move = std::ldexp(move, log2_scale);
             std::vector<Values<Digits400>> rows = losses.changes(tensor, places, scaled, method);
             for (Values<Digits400>& row : rows)
               for (Digits400& change : row) change = ldexp(change, -log2_scale);
             part.add_rows(rows);
           })
        .rows;
  }

  std::optional<Values<Difference>> differences(std::size_t tensor, const StepChoice& step,
                                                Method method) override {
    Part sum = summed([&](Part& part, PerturbedLoss& losses, int log2_scale) {
      part.magnitude += std::ldexp(losses.magnitude(), -log2_scale);
      if (!part.differences) return;
      const StepChoice here{step.order_index, step.log2_step + log2_scale};
      part.add_differences(losses.differences(tensor, here, method));
    });
    magnitude_ = sum.magnitude;
    return std::move(sum.differences);
  }

  const Values<Digits400>& claimed(std::size_t) override { return at_rest().rows[0]; }
  double magnitude() override { return magnitude_ ? *magnitude_ : at_rest().magnitude; }
  double typical_change(std::size_t) override { return at_rest().typical_change; }

  Irregularity irregular(std::size_t tensor, std::int64_t place, double move) override {
    return irregularities(tensor, {place}, move)[0];
  }
  /// Each unit is visited once, for all places.
  std::vector<Irregularity> irregularities(std::size_t tensor,
                                           const std::vector<std::int64_t>& places,
                                           double move) override {
    return summed([&](Part& part, PerturbedLoss& losses, int log2_scale) {
             const auto met = losses.irregularities(tensor, places, std::ldexp(move, log2_scale));
             part.irregular.resize(places.size());
             for (std::size_t k = 0; k < places.size(); ++k)
               part.irregular[k] = std::max(part.irregular[k], met[k]);
           })
        .irregular;
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
        part.add_rows({losses.claimed(target_.tensor())});
        part.magnitude += std::ldexp(losses.magnitude(), -log2_scale);
        part.typical_change += std::ldexp(losses.typical_change(target_.tensor()), -log2_scale);
      });
    return *at_rest_;
  }

  const SummedTarget& target_;
  AuditArithmetic arithmetic_;
  std::unique_ptr<PerturbedLoss> first_;  ///< of the block's first unit
  std::vector<std::int64_t> units_;
  std::optional<double> magnitude_;
  std::optional<Part> at_rest_;
};

}  // namespace

std::vector<std::int64_t> SummedTarget::units_of(std::int64_t block) const {
  return summands(block).empty() ? std::vector<std::int64_t>{} : std::vector{block};
}

std::int64_t SummedTarget::parts(std::int64_t units) const {
  return std::clamp<std::int64_t>(kParts / blocks(), 1, std::max<std::int64_t>(units, 1));
}

std::unique_ptr<PerturbedLoss> SummedTarget::losses(AuditArithmetic arithmetic) const {
  return std::make_unique<SummedLoss>(*this, arithmetic);
}

}  // namespace gradproof
