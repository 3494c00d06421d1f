// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/observation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compare/discrepancy.h"

namespace gradproof::diagnosis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// One entry in so many may differ because an intermediate value leaves the range of the type.
constexpr std::size_t kExceptions = 256;

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
  std::size_t off = 0;
  for (std::size_t i = 0; i < e.entries.size(); ++i) {
    const LongDouble error = std::fabs(e.right[i].value - e.entries[i].truth);
    if (std::isfinite(e.entries[i].truth) && !(error <= LongDouble(e.entries[i].bound))) ++off;
  }
  return off * kExceptions <= e.entries.size();
}

void take_right(Observation& e) {
  if (e.target.matrix) {
    e.right = predict(e.replay, {}, e.target);
    return;
  }
  e.row_sums = prefix_sums_of(e.replay, e.target, false);
  for (const Numbers& sums : e.row_sums) e.right.push_back(sums.back());
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

}  // namespace gradproof::diagnosis
