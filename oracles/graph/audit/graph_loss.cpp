// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/graph_loss.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "oracles/graph/audit/part_at_rest.h"
#include "oracles/graph/audit/unit_numbers.h"

namespace gradproof {
namespace {

class PackedGraphLoss final : public PerturbedLoss {
 public:
  PackedGraphLoss(const GraphTarget& target, AuditArithmetic arithmetic)
      : target_(target), unit_(target), part_(target, arithmetic), tensor_(target.tensor()) {}

  void take_unit(std::int64_t unit) override {
    unit_.take(unit);
    part_.take(unit_.part());
    column_ = kNone;
    claimed_.clear();
    traced_.reset();
  }

  std::int64_t count(std::size_t) const override {
    return static_cast<std::int64_t>(unit_.count());
  }
  std::int64_t entry(std::size_t, std::int64_t place) const override { return unit_.entry(place); }

  Digits400 change(std::size_t tensor, std::int64_t place, double move) override {
    return changes(tensor, {place}, {move}, Method::direct)[0][0];
  }

  std::vector<Values<Digits400>> changes(std::size_t, const std::vector<std::int64_t>& places,
                                         const std::vector<double>& moves, Method method) override {
    const std::size_t count = places.empty() ? unit_.count() : places.size();
    move_by(method, places, moves);
    std::vector<Values<Digits400>> rows(moves.size());
    for (std::size_t m = 0; m < moves.size(); ++m)
      for (std::size_t k = 0; k < count; ++k) rows[m].push_back(real_of(changes_[m * count + k]));
    return rows;
  }

  std::optional<Values<Difference>> differences(std::size_t, const StepChoice& step,
                                                Method method) override {
    std::vector<double> moves;
    for (int k = 0; k < step.order_index + 2; ++k)
      for (const double sign : {1.0, -1.0}) moves.push_back(std::ldexp(sign, step.log2_step + k));
    move_by(method, {}, moves);
    std::vector<Wide> claims;
    for (std::size_t k = 0; k < unit_.count(); ++k)
      claims.push_back(target_.is_edited() ? wide_of(claimed(tensor_)[k])
                                           : part_->gradient(tensor_)[unit_.position(k)]);
    Values<Difference> result(claims.size());
    part_->moves().differences(claims.data(), changes_.data(), claims.size(), claims.size(), step,
                               result.data());
    return result;
  }

  Method quickest(std::size_t) const override {
    const MovedTensor& how = target_.how();
    if (how.normaliser >= 0 && unit_.count() == part_->count(tensor_) &&
        unit_.count() >= kFewestByStatistics)
      return Method::statistics;
    return how.product >= 0 || how.column_length() > 1 ? Method::together : Method::direct;
  }
  const Values<Digits400>& claimed(std::size_t) override {
    for (std::size_t k = claimed_.size(); k < unit_.count(); ++k) {
      const std::size_t position = unit_.position(k);
      const Digits400 adjoint = real_of(part_->gradient(tensor_)[position]);
      claimed_.push_back(target_.edited(unit_.part(), position, adjoint));
    }
    return claimed_;
  }
  int log2_scale(std::size_t) override { return part_->widths(tensor_).most; }
  double magnitude() override { return part_->magnitude(); }
  double typical_change(std::size_t) override { return part_->typical_change(tensor_); }

  /// The part's function finds it, whose numbers report each comparison.
  Irregularity irregular(std::size_t, std::int64_t place, double move) override {
    const bool is_smooth = !target_.may_be_irregular() && std::isfinite(part_->magnitude());
    if (is_smooth || !target_.graph().is_finite(unit_.part())) return Irregularity::none;
    target_.spend(kInSearchOfKinks);
    if (!traced_) {
      traced_ = target_.quick_function(unit_.part()).losses(AuditArithmetic::triple_double);
      traced_->take_unit(0);
    }
    const std::size_t position = unit_.position(static_cast<std::size_t>(place));
    return traced_->irregular(target_.graph().input_of_function(tensor_),
                              static_cast<std::int64_t>(position), move);
  }

 private:
  static constexpr double kInSearchOfKinks = 2;  ///< evaluations in many digits

  void move_by(Method method, const std::vector<std::int64_t>& places,
               const std::vector<double>& moves) {
    switch (method) {
      case Method::direct:
        return move_each(places, moves);
      case Method::together:
        return move_columns(places, moves);
      case Method::statistics:
        return move_by_statistics(places, moves);
    }
  }

  /// Moves numbers of the unit, which has all of its part, each alone, through the statistics of
  /// its group.
  void move_by_statistics(const std::vector<std::int64_t>& places,
                          const std::vector<double>& moves) {
    if (!whole_) whole_.emplace(placed({}));
    std::vector<std::size_t> positions;
    for (const std::int64_t at : places) positions.push_back(static_cast<std::size_t>(at));
    std::optional<PlacedPlan> few;
    if (!places.empty()) few.emplace(placed(positions));
    const PlacedPlan& asked = few ? *few : *whole_;
    const std::size_t lanes = part_->moves().lanes(), count = asked.places.size();
    changes_.resize(moves.size() * count);
    for (std::size_t m = 0; m < moves.size(); m += lanes)
      part_->moves().statistic_changes(*whole_, asked, part_->wider(tensor_).data(),
                                       moves.data() + m, std::min(lanes, moves.size() - m),
                                       changes_.data() + m * count, count);
  }
  PlacedPlan placed(const std::vector<std::size_t>& positions) const {
    return {target_.graph().plan(), target_.graph().moved(), tensor_, positions};
  }

  /// Moves each number by each move, one evaluation for each, into changes_, move after move.
  void move_each(const std::vector<std::int64_t>& places, const std::vector<double>& moves) {
    const std::size_t count = places.empty() ? unit_.count() : places.size();
    const std::vector<int>& wider = part_->wider(tensor_);
    changes_.resize(moves.size() * count);
    std::vector<MovedNumber> moved;
    std::vector<std::size_t> slots;
    const auto evaluate = [&] {
      results_.resize(moved.size());
      part_->moves().changes(tensor_, moved.data(), moved.size(), results_.data());
      for (std::size_t i = 0; i < moved.size(); ++i)
        changes_[slots[i]] = scaled(results_[i], -wider[moved[i].place]);
      moved.clear();
      slots.clear();
    };
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t position =
          unit_.position(places.empty() ? k : static_cast<std::size_t>(places[k]));
      for (std::size_t m = 0; m < moves.size(); ++m) {
        moved.push_back({position, std::ldexp(moves[m], wider[position])});
        slots.push_back(m * count + k);
        if (moved.size() == part_->moves().lanes()) evaluate();
      }
    }
    if (!moved.empty()) evaluate();
  }

  /// Moves as move_each() does, but all numbers of a column at once.
  void move_columns(const std::vector<std::int64_t>& places, const std::vector<double>& moves) {
    const std::size_t length = unit_.length();
    if (places.empty()) {
      changes_.resize(moves.size() * unit_.count());
      for (std::size_t c = unit_.columns().first; c < unit_.columns().last; ++c)
        move_column(c, moves, changes_.data() + (c - unit_.columns().first) * length,
                    unit_.count());
      return;
    }
    std::vector<Wide> asked(moves.size() * places.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto place = static_cast<std::size_t>(places[k]);
      take_column(unit_.columns().first + place / length, moves);
      for (std::size_t m = 0; m < moves.size(); ++m)
        asked[m * places.size() + k] = of_column_[m * length + place % length];
    }
    changes_ = std::move(asked);
  }

  /// Moves a column into of_column_, which is kept: sweeps ask for its numbers one by one.
  void take_column(std::size_t column, const std::vector<double>& moves) {
    if (column == column_ && moves == column_moves_) return;
    of_column_.resize(moves.size() * unit_.length());
    move_column(column, moves, of_column_.data(), unit_.length());
    column_ = column;
    column_moves_ = moves;
  }

  void move_column(std::size_t column, const std::vector<double>& moves, Wide* into,
                   std::size_t stride) {
    const std::size_t lanes = part_->moves().lanes();
    for (std::size_t m = 0; m < moves.size(); m += lanes)
      part_->moves().column_changes(tensor_, column, part_->wider(tensor_).data(), moves.data() + m,
                                    std::min(lanes, moves.size() - m), into + m * stride, stride);
  }

  static Wide scaled(const Wide& number, int log2_factor) {
    return {std::ldexp(number.hi, log2_factor), std::ldexp(number.mid, log2_factor),
            std::ldexp(number.lo, log2_factor)};
  }

  const GraphTarget& target_;
  UnitNumbers unit_;
  PartInUse part_;
  std::size_t tensor_;
  std::unique_ptr<PerturbedLoss> traced_;  ///< of the unit, once kinks are asked for
  std::optional<PlacedPlan> whole_;        ///< of all numbers, once they move by statistics
  Values<Digits400> claimed_;              ///< of the unit, once they are asked for
  std::vector<Wide> changes_;
  std::vector<Wide> results_;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// Evaluating the statistics costs as much as moving so many numbers directly.
  static constexpr std::size_t kFewestByStatistics = 8;
  std::size_t column_ = kNone;  ///< the last of which single numbers were asked, and by which moves
  std::vector<double> column_moves_;
  std::vector<Wide> of_column_;
};

}  // namespace

std::unique_ptr<PerturbedLoss> packed_loss_of_graph(const GraphTarget& target,
                                                    AuditArithmetic arithmetic) {
  return std::make_unique<PackedGraphLoss>(target, arithmetic);
}

std::vector<PackedMovesCompilation> packed_moves_compilations() {
  return compilations_of([]<InstructionSet set>() { return &packed_moves_of<set>; });
}

std::unique_ptr<PackedMoves> packed_moves(AuditArithmetic arithmetic) {
  static const PackedMovesCompilation compilation = widest(packed_moves_compilations());
  return compilation.make(arithmetic);
}

}  // namespace gradproof
