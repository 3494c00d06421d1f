// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dtype.h"
#include "oracles/diagnosis/scene.h"

namespace gradproof::diagnosis {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

const Matrix* number_of(const Scene& scene, const Line& line, std::size_t place) {
  const int slot = line.numbers[place];
  return slot == Line::kAbsent ? nullptr : &scene.numbers[static_cast<std::size_t>(slot)];
}

bool is_norm(const Line& line) {
  return line.kind == StageKind::batch_norm || line.kind == StageKind::group_norm;
}

bool same(const Matrix& a, const Matrix& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].value != b[i].value || a[i].error != b[i].error) return false;
  return true;
}

Matrix standardized(Scene& scene, Made& made, const Line& line, const Matrix& in) {
  if (!scene.given) take_own_statistics(scene, in);
  const Matrix* weight = number_of(scene, line, 0);
  const Matrix* beta = number_of(scene, line, 1);
  Matrix centered(in.size());
  Matrix xhat(in.size());
  Matrix out(in.size());
  for_each_element(scene, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    const std::size_t unit = at(scene.unit_of(row, col));
    centered[i] = in[i] - scene.mean[unit];
    xhat[i] = centered[i] * scene.rstd[unit];
    if (scene.nan_as_zero && std::isnan(xhat[i].value)) xhat[i] = exact(0);
    out[i] = xhat[i];
    if (weight != nullptr) out[i] = out[i] * (*weight)[at(col)];
    if (beta != nullptr) out[i] = out[i] + (*beta)[at(col)];
  });
  made.centered = shared(std::move(centered));
  made.xhat = shared(std::move(xhat));
  return out;
}

Matrix through_swish(const Scene& scene, Logistics& logistics, const Matrix& in) {
  std::vector<Logistic> all(in.size());
  Matrix out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    all[i] = logistic_of(in[i], scene.exp);
    out[i] = in[i] * all[i].sigmoid;
  }
  logistics = std::make_shared<const std::vector<Logistic>>(std::move(all));
  return out;
}

Shared value_of(Scene& scene, Made& made, std::size_t step, const Shared& in) {
  const Line& line = scene.value_script.lines[step];
  if (is_norm(line)) return shared(standardized(scene, made, line, *in));
  if (line.kind == StageKind::swish) return shared(through_swish(scene, made.logistics[step], *in));
  if (line.kind == StageKind::divide && line.scalars[0] == 1) return in;
  Matrix out(in->size());
  const Matrix* number = line.kind == StageKind::divide ? nullptr : number_of(scene, line, 0);
  for_each_element(scene, [&](std::size_t i, std::int64_t, std::int64_t col) {
    const Weighed& value = (*in)[i];
    if (line.kind == StageKind::bias) out[i] = value + (*number)[at(col)];
    if (line.kind == StageKind::scale) out[i] = value * (*number)[at(col)];
    if (line.kind == StageKind::divide) out[i] = value / line.scalars[0];
  });
  return shared(std::move(out));
}

/// Whether the step's value is what it was.
bool is_kept(const Scene& scene, const Made& made, const Scene& before, std::size_t step) {
  const Line& line = scene.value_script.lines[step];
  if ((scene.rounded_node == step + 1) != (before.rounded_node == step + 1)) return false;
  if (made.values[line.input] != before.made->values[line.input]) return false;
  return same_step(scene, line, before, before.value_script.lines[step]);
}

}  // namespace

bool same_step(const Scene& a, const Line& in_a, const Scene& b, const Line& in_b) {
  if (in_a.kind != in_b.kind || in_a.input != in_b.input || in_a.scalars != in_b.scalars ||
      in_a.numbers != in_b.numbers || a.script.batch_statistics != b.script.batch_statistics)
    return false;
  if (in_a.kind == StageKind::swish) return a.exp == b.exp;
  for (std::size_t place = 0; place < in_a.numbers.size(); ++place)
    if (in_a.numbers[place] != Line::kAbsent &&
        !same(*number_of(a, in_a, place), *number_of(b, in_b, place)))
      return false;
  return !is_norm(in_a) || (a.nan_as_zero == b.nan_as_zero && a.given == b.given &&
                            same(a.mean, b.mean) && same(a.rstd, b.rstd));
}

void fill_values(Scene& scene, const Scene* before) {
  const std::size_t steps = scene.value_script.lines.size();
  const auto made = std::make_shared<Made>();
  made->values.resize(steps + 1);
  made->logistics.resize(steps);
  made->values.front() = scene.x;
  for (std::size_t k = 0; k < steps; ++k) {
    const Line& line = scene.value_script.lines[k];
    if (before != nullptr && is_kept(scene, *made, *before, k)) {
      made->values[k + 1] = before->made->values[k + 1];
      made->logistics[k] = before->made->logistics[k];
      if (is_norm(line)) made->centered = before->made->centered;
      if (is_norm(line)) made->xhat = before->made->xhat;
      continue;
    }
    made->values[k + 1] = value_of(scene, *made, k, made->values[line.input]);
    if (scene.rounded_node != k + 1) continue;
    const DType storage = scene.question->claim.contract.storage;
    Matrix rounded_values = *made->values[k + 1];
    for (Weighed& value : rounded_values)
      value.value = round_to(storage, static_cast<double>(value.value));
    made->values[k + 1] = shared(std::move(rounded_values));
  }
  scene.made = made;
}

void take_own_statistics(Scene& scene, const Matrix& in) {
  const Line& line = scene.value_script.lines[scene.value_script.norm];
  const bool running = !scene.channels() && !scene.script.batch_statistics;
  scene.mean.assign(at(scene.units()), {});
  scene.rstd.assign(at(scene.units()), {});
  if (running)
    for (std::size_t col = 0; col < scene.mean.size(); ++col) {
      scene.mean[col] = (*number_of(scene, line, 2))[col];
      const Wide variance = (*number_of(scene, line, 3))[col].value;
      scene.rstd[col] = rounded(1 / std::sqrt(variance + scene.eps()), 0);
    }
  if (running) return;
  const auto n = static_cast<Wide>(scene.unit_size());
  for_each_element(scene, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    Weighed& mean = scene.mean[at(scene.unit_of(row, col))];
    mean.value += in[i].value;
    mean.error += in[i].error + size_of(in[i]);
  });
  for (Weighed& mean : scene.mean) mean = mean / n;
  Matrix& square = scene.rstd;
  for_each_element(scene, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    const std::size_t unit = at(scene.unit_of(row, col));
    const Wide d = in[i].value - scene.mean[unit].value;
    square[unit].value += d * d;
  });
  for (Weighed& rstd : scene.rstd) rstd = rounded(1 / std::sqrt(rstd.value / n + scene.eps()), 0);
}

}  // namespace gradproof::diagnosis
