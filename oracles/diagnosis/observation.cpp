// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/observation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/claim/stage_traits.h"
#include "core/compare/discrepancy.h"
#include "core/parallel.h"

namespace gradproof::diagnosis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// One entry in so many may differ because an intermediate value leaves the range of the type.
constexpr std::int64_t kExceptions = 256;

void take_entry(Observation& e, const Answer& answer, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  const double got = e.replayed.question->got.at(index);
  const NumberClass want = class_of(answer.hi[i]);
  const bool off_range = !answer.any_nonfinite.empty() && answer.any_nonfinite[i] != 0;
  const bool same = class_of(got) == want;
  const bool finite = same && want == NumberClass::finite;
  const double error = finite ? std::fabs((got - answer.hi[i]) - answer.lo[i]) : 0;
  const bool wrong = same ? error > answer.bound[i] + answer.radius[i]
                          : !(off_range && class_of(got) != NumberClass::finite);
  e.index.push_back(index);
  e.got.push_back(got);
  e.truth.push_back(finite || !same ? LongDouble(answer.hi[i]) + LongDouble(answer.lo[i])
                                    : LongDouble(answer.hi[i]));
  e.bound.push_back(answer.bound[i]);
  e.ratio.push_back(!wrong || error == 0 ? (wrong ? kInfinity : 0) : error / answer.bound[i]);
  e.wrong.push_back(wrong ? 1 : 0);
}

/// Takes all entries that the replayed part decides.
void take_entries(Observation& e, const Answer& answer) {
  const Part& part = e.replayed.part;
  const std::int64_t cols = e.replayed.question->claim.cols;
  if (e.target.shared) return take_entry(e, answer, 0);
  if (!e.target.matrix)
    for (const std::int64_t col : part.columns) take_entry(e, answer, col);
  else
    for (const std::int64_t row : part.rows)
      for (const std::int64_t col : part.columns) take_entry(e, answer, row * cols + col);
}

/// Whether the replay in long double with unchanged rules agrees with the truth, but for one entry
/// in 256 (whose intermediate values leave the range of the type).
bool is_sound(const Observation& e) {
  if (e.right.size() != e.truth.size()) return false;
  std::size_t off = 0;
  for (std::size_t i = 0; i < e.truth.size(); ++i) {
    const LongDouble error = std::fabs(e.right[i].value - e.truth[i]);
    if (std::isfinite(e.truth[i]) && !(error <= LongDouble(e.bound[i]))) ++off;
  }
  return off * static_cast<std::size_t>(kExceptions) <= e.truth.size();
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

Matrix predict(const Observation& e, const Rules& rules) {
  if (e.tiles.empty()) return predict(e.replayed, rules, e.target);
  Matrix sum(1);
  for (const ReplayedPipeline& tile : e.tiles) {
    const TrackedReal part = predict(tile, rules, e.target).front();
    sum.front().value += part.value;
    sum.front().error += part.error;
  }
  return sum;
}

namespace {

Part all_of(const Claim& claim) {
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(claim.blocks()));
  std::iota(blocks.begin(), blocks.end(), std::int64_t{0});
  return part_of(claim, blocks);
}

bool has_one_norm_at_most(const CompiledPipeline& compiled) {
  return std::count_if(compiled.lines.begin(), compiled.lines.end(), [](const CompiledStep& line) {
           return traits_of(line.kind).is_norm();
         }) <= 1;
}

void keep_cotangents(ReplayedPipeline& replayed, std::size_t node) {
  auto computed = std::make_shared<ReplayedValues>(*replayed.computed);
  computed->cotangents = cotangents_of(replayed, {}, node);
  replayed.computed = computed;
}

void take_right(Observation& e) {
  if (has_one_norm_at_most(e.replayed.compiled)) e.right = predict(e, {});
  e.sound = is_sound(e);
}

}  // namespace

Observation entries_of(const Question& question, const Answer& answer, std::int64_t first,
                       std::int64_t last) {
  Observation e(ReplayedPipeline(question, all_of(question.claim)));
  for (std::int64_t index = first; index < last; ++index) take_entry(e, answer, index);
  return e;
}

Observation observation_of(const Question& question, const Answer& answer, const Part& part,
                           bool no_more) {
  Observation e(replayed_pipeline_of(question, part));
  take_entries(e, answer);
  const std::size_t node = no_more ? node_of(e.replayed, {}, e.target) : 0;
  if (has_one_norm_at_most(e.replayed.compiled))
    keep_cotangents(e.replayed, node == kNone ? 0 : node);
  take_right(e);
  return e;
}

Observation observation_of_sum(const Question& question, const Answer& answer,
                               const std::vector<Part>& parts) {
  Observation e(ReplayedPipeline(question, all_of(question.claim)));
  take_entries(e, answer);
  e.tiles.assign(parts.size(), e.replayed);
  for_each_index(static_cast<std::int64_t>(parts.size()), [&](std::int64_t k) {
    ReplayedPipeline& tile = e.tiles[static_cast<std::size_t>(k)];
    tile = replayed_pipeline_of(question, parts[static_cast<std::size_t>(k)]);
    if (has_one_norm_at_most(tile.compiled)) keep_cotangents(tile, 0);
  });
  if (!e.tiles.empty()) e.replayed.given = e.tiles.front().given;
  if (!e.tiles.empty()) e.replayed.rstd = e.tiles.front().rstd;
  take_right(e);
  return e;
}

Observation sliced(const Observation& observation, const std::vector<std::int64_t>& columns) {
  Observation e(sliced(observation.replayed, columns));
  const auto take = [&](const auto& from, auto& to) {
    for (const std::int64_t col : columns) to.push_back(from[static_cast<std::size_t>(col)]);
  };
  take(observation.index, e.index);
  take(observation.got, e.got);
  take(observation.truth, e.truth);
  take(observation.bound, e.bound);
  take(observation.ratio, e.ratio);
  take(observation.wrong, e.wrong);
  if (!observation.right.empty()) take(observation.right, e.right);
  e.sound = observation.sound;
  return e;
}

Prediction prediction_of(const Observation& e, const Matrix& replayed) {
  const DType storage = e.replayed.question->got.dtype();
  Prediction p;
  p.value.resize(replayed.size());
  p.tolerance.resize(replayed.size());
  for (std::size_t i = 0; i < replayed.size(); ++i) {
    const double before = e.right[i].error;
    const double wider = before > 0 ? std::max(1.0, replayed[i].error / before) : 1;
    p.value[i] = replayed[i].value;
    const double own = unit_roundoff(e.replayed.question->claim.contract.accumulation) *
                       (2 * replayed[i].error + size_of(replayed[i]));
    p.tolerance[i] = (std::isfinite(e.truth[i]) ? e.bound[i] * wider : own) +
                     unit_roundoff(storage) * size_of(replayed[i]);
  }
  return p;
}

Prediction scaled_truth(const Observation& e,
                        const std::function<LongDouble(std::size_t)>& factor) {
  const double u = unit_roundoff(e.replayed.question->got.dtype());
  Prediction p;
  for (std::size_t i = 0; i < e.truth.size(); ++i) {
    const LongDouble c = factor(i);
    p.value.push_back(c * e.truth[i]);
    p.tolerance.push_back(static_cast<double>(std::fabs(c)) * e.bound[i] +
                          u * static_cast<double>(std::fabs(p.value[i])));
  }
  return p;
}

}  // namespace gradproof::diagnosis
