// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/observation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compare/discrepancy.h"

namespace gradproof::diagnosis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// One entry in so many may differ because an intermediate value leaves the range of the type; and
/// one wrong entry in so many may have another reason.
constexpr std::int64_t kExceptions = 256;
/// Of 16 or more wrong entries, one may always have another reason.
constexpr std::int64_t kMany = 16;
/// A chance hit shall have a probability of at most 2^-10.
constexpr double kChanceBits = 10;
constexpr double kClassBits = 2;  ///< of an entry whose class alone agrees (a NaN)
constexpr double kMostBits = 40;  ///< of any one entry

/// Takes the entries that the replayed part decides.
void take_entries(Observation& e, const Answer& answer) {
  const Question& question = *e.replay.question;
  const auto take = [&](std::int64_t index) {
    e.entries.push_back(compared(question, answer, index));
  };
  if (e.target.shared) return take(0);
  if (!e.target.matrix)
    for (const std::int64_t col : e.replay.part.columns) take(col);
  if (!e.target.matrix && e.replay.is_grouped()) return;
  for (std::size_t unit = 0; unit < e.replay.units.size(); ++unit) {
    const std::vector<std::int64_t>& indices = e.replay.units[unit].at;
    for (std::size_t k = 0; k < (e.target.matrix ? indices.size() : 1); ++k) {
      e.places.push_back({unit, k});
      if (e.target.matrix) take(indices[k]);
    }
  }
}

/// Whether the unchanged replay agrees with the truth, but for one entry in 256.
bool is_sound(const Observation& e) {
  if (!e.replay.has_one_norm_at_most()) return false;
  std::int64_t off = 0;
  for (std::size_t i = 0; i < e.entries.size(); ++i) {
    const LongDouble error = std::fabs(e.right[i].value - e.entries[i].truth);
    if (std::isfinite(e.entries[i].truth) && !(error <= LongDouble(e.entries[i].bound))) ++off;
  }
  return off * kExceptions <= static_cast<std::int64_t>(e.entries.size());
}

void take_right(Observation& e) {
  if (e.target.matrix) {
    e.right = predict(e.replay, {}, e.target);
    return;
  }
  e.row_sums = prefix_sums_of(e.replay, e.target, false);
  for (const Numbers& sums : e.row_sums) e.right.push_back(sums.back());
}

bool is_same_class(double got, LongDouble value) {
  return class_of(static_cast<double>(value)) == class_of(got);
}

double error_of(const ComparedEntry& entry, LongDouble value) {
  const bool finite = is_same_class(entry.got, value) && std::isfinite(entry.got);
  return finite ? static_cast<double>(std::fabs(LongDouble(entry.got) - value)) : 0;
}

}  // namespace

Claim narrowed(Claim claim, const std::string& gradient) {
  claim.forward = false;
  claim.backward = true;
  std::erase_if(claim.tensors, [&](const TensorSpec& spec) {
    const bool judged = spec.role == Role::output || spec.role == Role::gradient;
    return judged && spec.name != gradient;
  });
  return claim;
}

Answer answer_of(const Question& q) {
  return std::move(evaluate(narrowed(q.claim, q.gradient), q.inputs, q.given).at(q.gradient));
}

ComparedEntry compared(const Question& question, const Answer& answer, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  const double got = question.got.at(index);
  const NumberClass want = class_of(answer.hi[i]);
  const bool off_range = !answer.any_nonfinite.empty() && answer.any_nonfinite[i] != 0;
  const bool same = class_of(got) == want;
  const bool finite = same && want == NumberClass::finite;
  const double error = finite ? std::fabs((got - answer.hi[i]) - answer.lo[i]) : 0;
  const bool wrong = same ? error > answer.bound[i] + answer.radius[i]
                          : !(off_range && class_of(got) != NumberClass::finite);
  const LongDouble low = finite || !same ? LongDouble(answer.lo[i]) : LongDouble(0);
  const double ratio = error == 0 ? kInfinity : error / answer.bound[i];
  return {index, got, LongDouble(answer.hi[i]) + low, answer.bound[i], wrong ? ratio : 0, wrong};
}

Observation observation_of(const Question& question, const Answer& answer, const Part& part) {
  Observation e{target_of(question), replay_of(question, part), {}, {}, {}, {}, false};
  take_entries(e, answer);
  if (e.replay.has_one_norm_at_most()) take_right(e);
  e.sound = is_sound(e);
  return e;
}

Prediction prediction_of(const Observation& e, const Edit& edit) {
  const Question& question = *e.replay.question;
  const double stored = unit_roundoff(question.got.dtype());
  const double unit = unit_roundoff(question.claim.contract.accumulation);
  const Numbers changed = predict(e.replay, edit, e.target);
  Prediction p;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const double before = e.right[i].error;
    const double size = size_of(changed[i]);
    const double wider = before > 0 ? std::max(1.0, changed[i].error / before) : 1;
    const double within = std::isfinite(e.entries[i].truth) ? e.entries[i].bound * wider
                                                            : unit * (2 * changed[i].error + size);
    p.push_back({changed[i].value, within + stored * size});
  }
  return p;
}

Prediction scaled_truth(const Observation& e, const std::function<LongDouble(std::size_t)>& factor,
                        double widened) {
  const double stored = unit_roundoff(e.replay.question->got.dtype());
  Prediction p;
  for (std::size_t i = 0; i < e.entries.size(); ++i) {
    const LongDouble c = factor(i);
    const LongDouble value = c * e.entries[i].truth;
    const double within = static_cast<double>(std::fabs(c)) * e.entries[i].bound +
                          stored * static_cast<double>(std::fabs(value));
    p.push_back({value, widened * within});
  }
  return p;
}

void Fit::take(const ComparedEntries& entries, const Prediction& prediction) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ComparedEntry& entry = entries[i];
    wrong += entry.wrong ? 1 : 0;
    if (prediction.size() != entries.size()) continue;
    const bool same_class = is_same_class(entry.got, prediction[i].value);
    const bool within =
        same_class && (!std::isfinite(entry.got) ||
                       error_of(entry, prediction[i].value) <= prediction[i].tolerance);
    if (!entry.wrong) contradicted += within ? 0 : 1;
    if (entry.wrong && within) take_wrong(entry, prediction[i]);
  }
}

/// Where the truth is NaN or infinite, a finite number may by chance be anywhere within its size.
void Fit::take_wrong(const ComparedEntry& entry, const PredictedEntry& predicted) {
  ++explained;
  const double error = error_of(entry, predicted.value);
  if (error > 0) worst = std::max(worst, error / predicted.tolerance);
  const LongDouble truth = std::isfinite(entry.truth) ? entry.truth : LongDouble(0);
  const double distance = static_cast<double>(std::fabs(LongDouble(entry.got) - truth));
  if (!std::isfinite(entry.got) || !(distance > 0))
    bits += kClassBits;
  else if (predicted.tolerance < distance)
    bits += predicted.tolerance > 0 ? std::min(kMostBits, std::log2(distance / predicted.tolerance))
                                    : kMostBits;
}

void Fit::add(const Fit& other) {
  wrong += other.wrong;
  explained += other.explained;
  contradicted += other.contradicted;
  worst = std::max(worst, other.worst);
  bits += other.bits;
}

bool Fit::explains() const {
  const std::int64_t one = wrong >= kMany ? 1 : 0;
  return wrong > 0 && wrong - explained <= std::max(one, wrong / kExceptions);
}

bool Fit::holds(std::int64_t tested) const { return explains() && bits >= required_bits(tested); }

double required_bits(std::int64_t tested) {
  return kChanceBits + std::log2(static_cast<double>(std::max<std::int64_t>(tested, 1)));
}

double most_bits(const ComparedEntry& entry, DType stored) {
  if (!entry.wrong) return 0;
  if (std::isfinite(entry.got) && !std::isfinite(entry.truth)) return kMostBits;
  if (!is_same_class(entry.got, entry.truth)) return kClassBits;
  const double least = std::min(entry.bound, unit_roundoff(stored) * std::fabs(entry.got));
  return std::clamp(std::log2(entry.ratio * entry.bound / least), 0.0, kMostBits);
}

}  // namespace gradproof::diagnosis
