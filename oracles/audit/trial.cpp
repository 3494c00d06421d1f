// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "oracles/audit/curve.h"
#include "oracles/audit/unit_pass.h"
#include "oracles/audit/words.h"

namespace gradproof {
namespace {

constexpr std::int64_t kSample = 32;
/// Two arithmetics that agree on a claim so well have not computed a rounding error.
constexpr double kReproduced = 1e-10;
/// A unit whose gradients are so far below the value's magnitude is drawn relative to that.
constexpr double kVanishing = 1e-22;
/// Methods may round differently: so often the estimated error.
constexpr double kApart = 0x1p6;

/// The sample's sweeps, unit by unit.
struct Sampled {
  Places places;
  Rest rest;
  std::size_t first = 0;  ///< of its sweeps
};

void give_one_scale(std::vector<Sweep>& sweeps, std::size_t first) {
  Real scale(0);
  for (std::size_t k = first; k < sweeps.size(); ++k)
    scale = std::max(scale, sweeps[k].ground_but_noise().scale);
  for (std::size_t k = first; k < sweeps.size(); ++k) {
    const double natural = sweeps[k].ground_but_noise().natural;
    // What has been moved further has a claim that is none of rounding.
    const bool widened = sweeps[k].coarsest() > Sweep::kCoarsest;
    const bool vanishing = !widened && scale <= Real(natural * kVanishing);
    sweeps[k].take_scale(vanishing ? Real(natural > 0 ? natural : 1) : scale);
  }
}

class Sample {
 public:
  Sample(LossesSet& set, std::size_t tensor, AuditArithmetic arithmetic, const Aim& aim)
      : set_(set), tensor_(tensor), arithmetic_(arithmetic) {
    const Precision precision = precision_of(arithmetic);
    for (const Places& of : strata(set, tensor, arithmetic, kSample)) {
      Losses& losses = set.at(arithmetic, of.unit);
      Sampled sampled{of, rest_of(losses, tensor, set.subject()), sweeps_.size()};
      if (!sampled.rest.finite()) continue;
      for (const std::int64_t place : of.places) {
        sweeps_.emplace_back(losses, tensor, place, sampled.rest, precision);
        // Where double-doubles fall short the next arithmetic is asked; only there it costs.
        if (arithmetic != AuditArithmetic::double_double &&
            reproduced(of.unit, place, sampled.rest.claimed[static_cast<std::size_t>(place)]))
          widen(sweeps_.back(), losses, tensor, place, aim);
      }
      give_one_scale(sweeps_, sampled.first);
      units_.push_back(std::move(sampled));
    }
    make_equally_wide();
  }

  const std::vector<Sweep>& sweeps() const { return sweeps_; }
  Method quickest() { return set_.at(arithmetic_, units_.front().places.unit).quickest(tensor_); }

  /// Where the method's differences are not those of direct moves.
  std::string objection(const Choice& choice, Method method) {
    for (const Sampled& of : units_) {
      const Values<Entry> all =
          unit_pass(set_.at(arithmetic_, of.places.unit), tensor_, of.rest, choice, method);
      for (std::size_t k = 0; k < of.places.places.size(); ++k) {
        const Sweep& sweep = sweeps_[of.first + k];
        const Entry direct = sweep.entry(choice.form, choice.log2_step);
        const Entry& other = all[static_cast<std::size_t>(of.places.places[k])];
        if (apart(direct, other, sweep.sober_ground(choice.form, choice.log2_step)))
          return told(direct);
      }
    }
    return "";
  }

 private:
  /// What is the rounding error of 0 must not be sought with ever larger moves.
  bool reproduced(std::int64_t unit, std::int64_t place, const Real& claimed) {
    Losses& coarser = set_.at(AuditArithmetic::double_double, unit);
    const Real before = coarser.claimed(tensor_)[static_cast<std::size_t>(place)];
    return abs(before - claimed) <= abs(claimed) * kReproduced;
  }

  void make_equally_wide() {
    int coarsest = Sweep::kCoarsest;
    for (const Sweep& sweep : sweeps_) coarsest = std::max(coarsest, sweep.coarsest());
    if (coarsest == Sweep::kCoarsest) return;
    for (const Sampled& of : units_)
      for (std::size_t k = 0; k < of.places.places.size(); ++k)
        sweeps_[of.first + k].widen(set_.at(arithmetic_, of.places.unit), tensor_,
                                    of.places.places[k], coarsest);
  }

  static bool apart(const Entry& a, const Entry& b, const Ground& ground) {
    if (!isfinite(a.fine) || !isfinite(a.coarse)) return false;  // nothing to compare with
    const Real own = std::max(Real(abs(a.fine - a.coarse)), Real(abs(b.fine - b.coarse)));
    return !(abs(a.fine - b.fine) <= Real(kApart) * (own + Real(ground.noise)));
  }

  std::string told(const Entry& entry) const {
    return index_text(set_.subject().tensors()[tensor_].shape, entry.index);
  }

  LossesSet& set_;
  std::size_t tensor_;
  AuditArithmetic arithmetic_;
  std::vector<Sampled> units_;
  std::vector<Sweep> sweeps_;
};

}  // namespace

Ground ground_of(const Values<Entry>& entries, const Real& scale, double natural, double noise,
                 const Trial& trial) {
  const double of_sample = trial.own * scale.convert_to<double>();
  return {scale, natural, std::max({noise, of_sample, typical_estimate(entries)})};
}

Trial tried(LossesSet& losses, std::size_t tensor, AuditArithmetic arithmetic, const Aim& aim) {
  Trial trial;
  Sample sample(losses, tensor, arithmetic, aim);
  trial.choice.log2_step = precision_of(arithmetic).finest / 3;
  if (sample.sweeps().empty()) return trial;
  if (const auto choice = chosen(sample.sweeps(), aim)) trial.choice = *choice;
  for (const Sweep& sweep : sample.sweeps()) {
    const double own = sweep.own(trial.choice.form, trial.choice.log2_step);
    if (own < kHopeless) trial.own = std::max(trial.own, own);
  }
  trial.sweep = drawn(sample.sweeps());
  trial.curve = shape_of(trial.sweep, trial.choice);
  if (aim.direct) return trial;
  trial.method = sample.quickest();
  if (trial.method == Method::direct) return trial;
  const std::string where = sample.objection(trial.choice, trial.method);
  if (where.empty()) return trial;
  trial.remark = fmt::format("direct ({} disagrees at {})", name_of(trial.method), where);
  trial.method = Method::direct;
  return trial;
}

}  // namespace gradproof
