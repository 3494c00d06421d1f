// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/diagnosis_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/discrepancy.h"

namespace gradproof::diagnosis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// One wrong entry in so many may have another reason; of this many, one.
constexpr std::int64_t kExceptions = 256;
constexpr std::int64_t kMany = 16;
constexpr double kChanceBits = 10;
/// An entry whose class alone agrees (a NaN) proves that little; another no more than that.
constexpr double kClassBits = 2;
constexpr double kMostBits = 40;

Answer answer_of(const Question& q, const std::vector<std::int64_t>& blocks) {
  if (static_cast<std::int64_t>(blocks.size()) == q.claim.blocks())
    return std::move(evaluate(narrowed(q.claim, q.gradient), q.inputs, q.given).at(q.gradient));
  const Sample sample = sample_of(q.claim, q.inputs, blocks);
  std::optional<GivenStatistics> given;
  if (q.given) {
    Tensors saved =
        sample_of(q.claim, {{"mean", q.given->mean}, {"rstd", q.given->rstd}}, blocks).inputs;
    given = GivenStatistics{saved.at("mean"), saved.at("rstd")};
  }
  return std::move(
      evaluate(narrowed(sample.claim, q.gradient), sample.inputs, given).at(q.gradient));
}

void take_entry(Evidence& e, const Answer& answer, std::size_t i, double got) {
  const NumberClass want = class_of(answer.hi[i]);
  const bool off_range = !answer.any_nonfinite.empty() && answer.any_nonfinite[i] != 0;
  const bool same = class_of(got) == want;
  const bool finite = same && want == NumberClass::finite;
  const double error = finite ? std::fabs((got - answer.hi[i]) - answer.lo[i]) : 0;
  const bool wrong = same ? error > answer.bound[i] + answer.radius[i]
                          : !(off_range && class_of(got) != NumberClass::finite);
  e.got.push_back(got);
  e.truth.push_back(finite || !same ? Wide(answer.hi[i]) + Wide(answer.lo[i]) : Wide(answer.hi[i]));
  e.bound.push_back(answer.bound[i]);
  e.ratio.push_back(!wrong || error == 0 ? (wrong ? kInfinity : 0) : error / answer.bound[i]);
  e.wrong.push_back(wrong ? 1 : 0);
}

/// The entries' places in the whole tensor.
std::vector<std::int64_t> indices_of(const Scene& scene, const Target& target) {
  if (target.shared) return {0};
  if (!target.matrix) return scene.columns;
  std::vector<std::int64_t> all;
  for (std::int64_t row = 0; row < scene.rows; ++row)
    for (const std::int64_t col : scene.columns)
      all.push_back(row * scene.question->claim.cols + col);
  return all;
}

/// Whether the long double replay of the right rules is the truth, but for few entries (those that
/// leave the range on the way).
bool is_sound(const Evidence& e) {
  if (e.right.size() != e.truth.size()) return false;
  std::size_t off = 0;
  for (std::size_t i = 0; i < e.truth.size(); ++i) {
    const Wide error = std::fabs(e.right[i].value - e.truth[i]);
    if (std::isfinite(e.truth[i]) && !(error <= Wide(e.bound[i]))) ++off;
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

Evidence evidence_of(const Question& question, const std::vector<std::int64_t>& blocks) {
  Evidence e{target_of(question), scene_of(question, blocks), {}, {}, {}, {}, {}, {}, {}};
  const Answer answer = answer_of(question, blocks);
  e.index = indices_of(e.scene, e.target);
  for (std::size_t i = 0; i < e.index.size(); ++i)
    take_entry(e, answer, i, question.got.at(e.index[i]));
  const Script& script = e.scene.script;
  const auto norms = std::count_if(script.lines.begin(), script.lines.end(), [](const Line& line) {
    return line.kind == StageKind::batch_norm || line.kind == StageKind::group_norm;
  });
  if (norms <= 1) {
    auto made = std::make_shared<Made>(*e.scene.made);
    made->cotangents = cotangents_of(e.scene, {});
    e.scene.made = made;
    e.right = predict(e.scene, {}, e.target);
  }
  e.sound = is_sound(e);
  return e;
}

Prediction prediction_of(const Evidence& e, const Matrix& replayed) {
  const DType storage = e.scene.question->got.dtype();
  Prediction p;
  p.value.resize(replayed.size());
  p.tolerance.resize(replayed.size());
  for (std::size_t i = 0; i < replayed.size(); ++i) {
    const double before = e.right[i].error;
    const double wider = before > 0 ? std::max(1.0, replayed[i].error / before) : 1;
    p.value[i] = replayed[i].value;
    p.tolerance[i] = e.bound[i] * wider + unit_roundoff(storage) * size_of(replayed[i]);
  }
  return p;
}

Prediction scaled_truth(const Evidence& e, const std::function<Wide(std::size_t)>& factor) {
  const double u = unit_roundoff(e.scene.question->got.dtype());
  Prediction p;
  for (std::size_t i = 0; i < e.truth.size(); ++i) {
    const Wide c = factor(i);
    p.value.push_back(c * e.truth[i]);
    p.tolerance.push_back(static_cast<double>(std::fabs(c)) * e.bound[i] +
                          u * static_cast<double>(std::fabs(p.value[i])));
  }
  return p;
}

void Fit::take(const Evidence& e, const Prediction& p) {
  if (p.value.size() != e.got.size()) {
    for (const unsigned char is_wrong : e.wrong) wrong += is_wrong;
    return;
  }
  for (std::size_t i = 0; i < e.got.size(); ++i) {
    const double got = e.got[i];
    const bool same_class = class_of(static_cast<double>(p.value[i])) == class_of(got);
    const bool finite = same_class && std::isfinite(got);
    const double error = finite ? static_cast<double>(std::fabs(Wide(got) - p.value[i])) : 0;
    const bool within = same_class && (!finite || error <= p.tolerance[i]);
    if (e.wrong[i] == 0) {
      contradicted += within ? 0 : 1;
      continue;
    }
    ++wrong;
    if (!within) continue;
    ++explained;
    if (error > 0) worst = std::max(worst, error / p.tolerance[i]);
    const double distance = static_cast<double>(std::fabs(Wide(got) - e.truth[i]));
    if (!finite || !std::isfinite(distance))
      bits += kClassBits;
    else if (p.tolerance[i] < distance)
      bits += p.tolerance[i] > 0 ? std::min(kMostBits, std::log2(distance / p.tolerance[i]))
                                 : kMostBits;
  }
}

bool Fit::explains() const {
  const std::int64_t one = wrong >= kMany ? 1 : 0;
  return wrong > 0 && wrong - explained <= std::max(one, wrong / kExceptions);
}

bool Fit::holds(std::int64_t tried) const { return explains() && bits >= bits_wanted(tried); }

double bits_wanted(std::int64_t tried) {
  return kChanceBits + std::log2(static_cast<double>(std::max<std::int64_t>(tried, 1)));
}

double most_bits(const Evidence& e) {
  double bits = 0;
  for (std::size_t i = 0; i < e.got.size(); ++i)
    if (e.wrong[i] != 0)
      bits += class_of(e.got[i]) != class_of(static_cast<double>(e.truth[i]))
                  ? kClassBits
                  : std::clamp(std::log2(e.ratio[i]), 0.0, kMostBits);
  return bits;
}

}  // namespace gradproof::diagnosis
