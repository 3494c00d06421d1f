// SPDX-License-Identifier: Apache-2.0
#include "core/claim/stage_traits.h"
#include "core/error.h"
#include "core/tensor/dtype.h"
#include "oracles/diagnosis/replayed_pipeline.h"

namespace gradproof::diagnosis {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

const Matrix* number_of(const ReplayedPipeline& replayed, const CompiledStep& line,
                        std::size_t place) {
  const int slot = line.numbers[place];
  return slot == CompiledStep::kAbsent ? nullptr
                                       : &replayed.numbers[static_cast<std::size_t>(slot)];
}

bool same(const Matrix& a, const Matrix& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].value != b[i].value || a[i].error != b[i].error) return false;
  return true;
}

Matrix standardized(ReplayedPipeline& replayed, ReplayedValues& computed, const CompiledStep& line,
                    const Matrix& in) {
  if (!replayed.given) take_own_statistics(replayed, in);
  const Matrix* weight = number_of(replayed, line, 0);
  const Matrix* beta = number_of(replayed, line, 1);
  Matrix centered(in.size());
  Matrix xhat(in.size());
  Matrix out(in.size());
  for_each_element(replayed, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    const std::size_t unit = at(replayed.unit_of(row, col));
    centered[i] = in[i] - replayed.mean[unit];
    xhat[i] = centered[i] * replayed.rstd[unit];
    if (replayed.nan_as_zero && std::isnan(xhat[i].value)) xhat[i] = exact(0);
    out[i] = xhat[i];
    if (weight != nullptr) out[i] = out[i] * (*weight)[at(col)];
    if (beta != nullptr) out[i] = out[i] + (*beta)[at(col)];
  });
  computed.centered = shared(std::move(centered));
  computed.xhat = shared(std::move(xhat));
  return out;
}

Matrix through_swish(const ReplayedPipeline& replayed, Logistics& logistics, const Matrix& in) {
  std::vector<Logistic> all(in.size());
  Matrix out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    all[i] = logistic_of(in[i], replayed.exp);
    out[i] = in[i] * all[i].sigmoid;
  }
  logistics = std::make_shared<const std::vector<Logistic>>(std::move(all));
  return out;
}

Shared value_of(ReplayedPipeline& replayed, ReplayedValues& computed, std::size_t step,
                const Shared& in) {
  const CompiledStep& line = replayed.value_pipeline.lines[step];
  if (traits_of(line.kind).is_norm()) return shared(standardized(replayed, computed, line, *in));
  if (line.kind == StageKind::swish)
    return shared(through_swish(replayed, computed.logistics[step], *in));
  if (line.kind == StageKind::divide && line.scalars[0] == 1) return in;
  if (!is_replayable(line.kind))
    throw InstrumentError("the diagnosis cannot replay " + std::string(name_of(line.kind)));
  Matrix out(in->size());
  const Matrix* number = line.kind == StageKind::divide ? nullptr : number_of(replayed, line, 0);
  for_each_element(replayed, [&](std::size_t i, std::int64_t, std::int64_t col) {
    const TrackedReal& value = (*in)[i];
    if (line.kind == StageKind::bias) out[i] = value + (*number)[at(col)];
    if (line.kind == StageKind::scale) out[i] = value * (*number)[at(col)];
    if (line.kind == StageKind::divide) out[i] = value / line.scalars[0];
  });
  return shared(std::move(out));
}

/// Whether the step's value is what it was.
bool is_kept(const ReplayedPipeline& replayed, const ReplayedValues& computed,
             const ReplayedPipeline& before, std::size_t step) {
  const CompiledStep& line = replayed.value_pipeline.lines[step];
  if ((replayed.rounded_node == step + 1) != (before.rounded_node == step + 1)) return false;
  if (computed.values[line.input] != before.computed->values[line.input]) return false;
  return same_step(replayed, line, before, before.value_pipeline.lines[step]);
}

}  // namespace

bool is_replayable(StageKind kind) {
  using enum StageKind;
  return kind == bias || kind == scale || kind == divide || kind == swish ||
         traits_of(kind).is_norm();
}

bool same_step(const ReplayedPipeline& a, const CompiledStep& in_a, const ReplayedPipeline& b,
               const CompiledStep& in_b) {
  if (in_a.kind != in_b.kind || in_a.input != in_b.input || in_a.scalars != in_b.scalars ||
      in_a.numbers != in_b.numbers || a.compiled.batch_statistics != b.compiled.batch_statistics)
    return false;
  if (in_a.kind == StageKind::swish) return a.exp == b.exp;
  for (std::size_t place = 0; place < in_a.numbers.size(); ++place)
    if (in_a.numbers[place] != CompiledStep::kAbsent &&
        !same(*number_of(a, in_a, place), *number_of(b, in_b, place)))
      return false;
  return !traits_of(in_a.kind).is_norm() || (a.nan_as_zero == b.nan_as_zero && a.given == b.given &&
                                             same(a.mean, b.mean) && same(a.rstd, b.rstd));
}

void fill_values(ReplayedPipeline& replayed, const ReplayedPipeline* before) {
  const std::size_t steps = replayed.value_pipeline.lines.size();
  const auto computed = std::make_shared<ReplayedValues>();
  computed->values.resize(steps + 1);
  computed->logistics.resize(steps);
  computed->values.front() = replayed.x;
  for (std::size_t k = 0; k < steps; ++k) {
    const CompiledStep& line = replayed.value_pipeline.lines[k];
    if (before != nullptr && is_kept(replayed, *computed, *before, k)) {
      computed->values[k + 1] = before->computed->values[k + 1];
      computed->logistics[k] = before->computed->logistics[k];
      if (traits_of(line.kind).is_norm()) computed->centered = before->computed->centered;
      if (traits_of(line.kind).is_norm()) computed->xhat = before->computed->xhat;
      continue;
    }
    computed->values[k + 1] = value_of(replayed, *computed, k, computed->values[line.input]);
    if (replayed.rounded_node != k + 1) continue;
    const DType storage = replayed.question->claim.contract.storage;
    Matrix rounded_values = *computed->values[k + 1];
    for (TrackedReal& value : rounded_values)
      value.value = round_to(storage, static_cast<double>(value.value));
    computed->values[k + 1] = shared(std::move(rounded_values));
  }
  replayed.computed = computed;
}

void take_own_statistics(ReplayedPipeline& replayed, const Matrix& in) {
  const CompiledStep& line = replayed.value_pipeline.lines[replayed.value_pipeline.norm];
  const bool running = !replayed.is_grouped() && !replayed.compiled.batch_statistics;
  replayed.mean.assign(at(replayed.units()), {});
  replayed.rstd.assign(at(replayed.units()), {});
  if (running)
    for (std::size_t col = 0; col < replayed.mean.size(); ++col) {
      replayed.mean[col] = (*number_of(replayed, line, 2))[col];
      const LongDouble variance = (*number_of(replayed, line, 3))[col].value;
      replayed.rstd[col] = rounded(1 / std::sqrt(variance + replayed.eps()), 0);
    }
  if (running) return;
  const auto n = static_cast<LongDouble>(replayed.unit_size());
  for_each_element(replayed, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    TrackedReal& mean = replayed.mean[at(replayed.unit_of(row, col))];
    mean.value += in[i].value;
    mean.error += in[i].error + size_of(in[i]);
  });
  for (TrackedReal& mean : replayed.mean) mean = mean / n;
  Matrix& square = replayed.rstd;
  for_each_element(replayed, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    const std::size_t unit = at(replayed.unit_of(row, col));
    const LongDouble d = in[i].value - replayed.mean[unit].value;
    square[unit].value += d * d;
  });
  for (TrackedReal& rstd : replayed.rstd)
    rstd = rounded(1 / std::sqrt(rstd.value / n + replayed.eps()), 0);
}

}  // namespace gradproof::diagnosis
