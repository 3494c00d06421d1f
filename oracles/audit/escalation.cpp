// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/escalation.h"

#include <cmath>

#include "oracles/audit/unit_pass.h"

namespace gradproof {
namespace {

constexpr std::size_t kSwept = 6;       ///< entries of a unit that are swept
constexpr std::size_t kSweptLast = 48;  ///< ... at 50 digits
/// Two arithmetics that agree on a claim so well have not computed a rounding error.
constexpr double kReproduced = 1e-10;
/// A claim that is not finite is wrong where the differences agree with themselves so well.
constexpr double kDefined = 1e-6;

/// The work on one unit in one arithmetic.
class Attempt {
 public:
  Attempt(LossesSet& set, std::size_t tensor, const Unresolved& open, AuditArithmetic arithmetic,
          const Aim& aim, Tally& tally)
      : set_(set),
        tensor_(tensor),
        unit_(open.places.unit),
        arithmetic_(arithmetic),
        precision_(precision_of(arithmetic)),
        aim_(aim),
        tally_(tally),
        losses_(set.at(arithmetic, unit_)),
        rest_(rest_of(losses_, tensor)),
        scale_(open.scale) {}

  /// What stays open; at 50 digits nothing does.
  std::vector<std::int64_t> settle(const std::vector<std::int64_t>& places);
  const Real& scale() const { return scale_; }

 private:
  std::vector<std::int64_t> without_irregular(const std::vector<std::int64_t>& places);
  void sweep_some(const std::vector<std::int64_t>& places);
  void settle_swept(std::int64_t place, const Sweep& sweep);
  void settle_together(const std::vector<std::int64_t>& places);
  void settle_one(std::int64_t place, const Entry& entry, const Ground& ground,
                  const std::string& reason);
  void leave(std::int64_t place, const Entry& entry, const std::string& reason);
  bool saturated(std::int64_t place, const Entry& entry);
  int coarsest(std::int64_t place);

  LossesSet& set_;
  std::size_t tensor_;
  std::int64_t unit_;
  AuditArithmetic arithmetic_;
  Precision precision_;
  const Aim& aim_;
  Tally& tally_;
  Losses& losses_;
  Rest rest_;
  Real scale_;
  std::vector<Sweep> sweeps_;
  std::vector<std::int64_t> open_;
};

std::vector<std::int64_t> Attempt::settle(const std::vector<std::int64_t>& places) {
  if (!std::isfinite(rest_.magnitude)) {
    if (!is_last(arithmetic_)) return places;
    for (const std::int64_t place : places)
      tally_.count_inconclusive(losses_.entry(tensor_, place), "range");
    return {};
  }
  const std::vector<std::int64_t> regular = without_irregular(places);
  sweep_some(regular);
  for (std::size_t k = 0; k < sweeps_.size(); ++k) settle_swept(regular[k], sweeps_[k]);
  const auto swept = static_cast<std::ptrdiff_t>(sweeps_.size());
  if (swept < std::ssize(regular)) settle_together({regular.begin() + swept, regular.end()});
  return open_;
}

/// What the stages know to have a kink or an edge within the finest step is settled.
std::vector<std::int64_t> Attempt::without_irregular(const std::vector<std::int64_t>& places) {
  const double move = std::ldexp(1, precision_.finest + rest_.log2_scale);
  std::vector<std::int64_t> regular;
  for (const std::int64_t place : places) {
    const std::string why = losses_.irregular(tensor_, place, move);
    if (why.empty())
      regular.push_back(place);
    else
      tally_.count_inconclusive(losses_.entry(tensor_, place),
                                why.starts_with("domain") ? "domain" : "kink");
  }
  return regular;
}

void Attempt::sweep_some(const std::vector<std::int64_t>& places) {
  const std::size_t most = is_last(arithmetic_) ? kSweptLast : kSwept;
  for (std::size_t k = 0; k < std::min(most, places.size()); ++k) {
    sweeps_.emplace_back(losses_, tensor_, places[k], rest_, precision_);
    scale_ = std::max(scale_, sweeps_.back().ground_but_noise().scale);
  }
  for (Sweep& sweep : sweeps_) sweep.take_scale(scale_);
}

/// The largest step that crosses nothing of which the stages know.
int Attempt::coarsest(std::int64_t place) {
  int step = Sweep::kCoarsest;
  while (step >= precision_.finest &&
         !losses_.irregular(tensor_, place, std::ldexp(1, step + rest_.log2_scale)).empty())
    --step;
  return step;
}

void Attempt::settle_swept(std::int64_t place, const Sweep& sweep) {
  // Why it stays open shows where the differences agree best, which a kink may forbid to take.
  const Choice seen = most_agreeing(sweep);
  const std::string reason =
      reason_of(sweep.entry(seen.form, seen.log2_step), sweep.ground(seen.log2_step), aim_);
  const auto choice = chosen(sweep, aim_, coarsest(place));
  if (choice)
    settle_one(place, sweep.entry(choice->form, choice->log2_step), sweep.ground(choice->log2_step),
               reason);
  else
    leave(place, sweep.entry(seen.form, seen.log2_step), reason);
}

void Attempt::settle_together(const std::vector<std::int64_t>& places) {
  const auto found = chosen(sweeps_, aim_);
  const Choice choice = found ? *found : Choice{1, precision_.finest / 3};
  const bool all = static_cast<std::int64_t>(places.size()) > losses_.count(tensor_) / 2;
  const Method method = aim_.direct ? Method::direct : losses_.quickest(tensor_);
  Values<Entry> entries;
  if (all && method != Method::direct) {
    const Values<Entry> every = unit_pass(losses_, tensor_, rest_, choice, method);
    for (const std::int64_t place : places)
      entries.push_back(every[static_cast<std::size_t>(place)]);
  } else {
    entries = unit_pass(losses_, tensor_, rest_, choice, Method::direct, places);
  }
  scale_ = std::max(scale_, scale_of(entries));
  const double noise =
      std::max(rest_.noise(precision_, choice.log2_step), typical_estimate(entries));
  Ground ground{scale_, rest_.natural(), noise};
  for (const Sweep& sweep : sweeps_) {
    const double own = sweep.own(choice.form, choice.log2_step);
    if (own < kHopeless) ground.noise = std::max(ground.noise, own * scale_.convert_to<double>());
  }
  for (std::size_t k = 0; k < places.size(); ++k)
    settle_one(places[k], entries[k], ground, reason_of(entries[k], ground, aim_));
}

void Attempt::settle_one(std::int64_t place, const Entry& entry, const Ground& ground,
                         const std::string& reason) {
  Judgement judgement = judge(entry, ground, aim_, precision_);
  const bool undefined = !isfinite(entry.claimed) && is_last(arithmetic_);
  if (undefined && abs(entry.fine - entry.coarse) <= abs(entry.fine) * kDefined)
    judgement.ruling = Ruling::wrong;
  if (judgement.ruling == Ruling::unresolved)
    leave(place, entry, reason);
  else if (judgement.ruling == Ruling::zero && saturated(place, entry))
    tally_.count_inconclusive(entry.index, "saturation");
  else
    tally_.count(entry, judgement);
}

void Attempt::leave(std::int64_t place, const Entry& entry, const std::string& reason) {
  if (is_last(arithmetic_))
    tally_.count_inconclusive(entry.index, reason);
  else
    open_.push_back(place);
}

/// The value does not move, but the claim is a number, not the rounding error of one.
bool Attempt::saturated(std::int64_t place, const Entry& entry) {
  if (!entry.unchanged || entry.claimed == 0) return false;
  Losses& coarser = set_.at(AuditArithmetic::double_double, unit_);
  const Real before = coarser.claimed(tensor_)[static_cast<std::size_t>(place)];
  return abs(before - entry.claimed) <= abs(entry.claimed) * kReproduced;
}

}  // namespace

std::string reason_of(const Entry& entry, const Ground& ground, const Aim& aim) {
  if (!isfinite(entry.fine) || !isfinite(entry.coarse)) return "domain";
  if (!isfinite(entry.claimed)) return "range";
  if (kinked(entry, ground, aim)) return "kink";
  return entry.unchanged ? "saturation" : "cancellation";
}

void escalate(LossesSet& losses, std::size_t tensor, const Unresolved& open, const Aim& aim,
              Tally& tally) {
  tally.count_escalated(static_cast<std::int64_t>(open.places.places.size()));
  Unresolved left = open;
  while (!left.places.places.empty() && !is_last(left.arithmetic)) {
    left.arithmetic = next_after(left.arithmetic);
    Attempt attempt(losses, tensor, left, left.arithmetic, aim, tally);
    left.places.places = attempt.settle(left.places.places);
    left.scale = attempt.scale();
  }
}

}  // namespace gradproof
