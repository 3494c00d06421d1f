// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "oracles/audit/escalation.h"
#include "oracles/audit/tensor_audit.h"
#include "oracles/audit/unit_pass.h"

namespace gradproof {
namespace {

std::vector<std::int64_t> all_places(std::int64_t count) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

void audit_unit(LossesSet& set, const TensorTask& task, const Trial& trial, const Places& asked,
                EntryTally& tally) {
  Losses& losses = set.at(task.arithmetic, asked.unit);
  const Precision precision = precision_of(task.arithmetic);
  const Rest rest = rest_of(losses, task.tensor, task.subject);
  if (rest.claimed.empty()) return;
  Unresolved open{{asked.unit, {}}, Real(0), task.arithmetic};
  if (!rest.finite()) {
    open.places.places =
        asked.places.empty() ? all_places(losses.count(task.tensor)) : asked.places;
    escalate(set, task.tensor, open, task.aim, tally);
    return;
  }
  const Values<Entry> entries =
      unit_pass(losses, task.tensor, rest, trial.choice, trial.method, asked.places);
  open.scale = scale_of(entries);
  const double noise = rest.alone ? 0 : rest.noise(precision, trial.choice.log2_step);
  const Ground ground = ground_of(entries, open.scale, rest.natural(), noise, trial);
  Unresolved suspect = open;
  suspect.confirming = true;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::int64_t place =
        asked.places.empty() ? static_cast<std::int64_t>(k) : asked.places[k];
    const double own_noise =
        rest.noise_of(precision, trial.choice.log2_step, place, ground.scale.convert_to<double>());
    const Ground own = rest.alone ? ground_alone(ground, entries[k], own_noise) : ground;
    const EntryJudgement judgement = judge(entries[k], own, task.aim, precision);
    if (judgement.ruling == Ruling::certified ||
        (judgement.ruling == Ruling::zero && entries[k].claimed == 0))
      tally.count(entries[k], judgement);
    else
      (judgement.ruling == Ruling::wrong ? suspect : open).places.places.push_back(place);
  }
  for (const Unresolved& left : {open, suspect})
    if (!left.places.places.empty()) escalate(set, task.tensor, left, task.aim, tally);
}

EntryTally merged(const std::vector<EntryTally>& parts, const Trial& trial) {
  EntryTally all;
  all.remark_method(trial.remark);
  for (const EntryTally& part : parts) all.merge(part);
  return all;
}

}  // namespace

EntryTally audit_by_unit(const TensorTask& task, const Trial& trial) {
  const Subject& subject = task.subject;
  if (task.entries > 0) {
    LossesSet set(subject);
    const std::vector<Places> sample = strata(set, task.tensor, task.arithmetic, task.entries);
    std::vector<EntryTally> tallies(sample.size());
    for_each_index(std::ssize(sample), [&](std::int64_t k) {
      LossesSet own(subject);
      const auto at = static_cast<std::size_t>(k);
      audit_unit(own, task, trial, sample[at], tallies[at]);
    });
    return merged(tallies, trial);
  }
  const std::vector<UnitRun> runs = runs_of(subject);
  std::vector<EntryTally> tallies(runs.size());
  for_each_index(std::ssize(runs), [&](std::int64_t k) {
    LossesSet set(subject);
    const UnitRun& run = runs[static_cast<std::size_t>(k)];
    for (std::int64_t block = run.first_block; block < run.last_block; ++block)
      for (const std::int64_t unit : run.units(subject, block))
        audit_unit(set, task, trial, {unit, {}}, tallies[static_cast<std::size_t>(k)]);
  });
  return merged(tallies, trial);
}

}  // namespace gradproof
