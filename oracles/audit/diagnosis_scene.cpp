// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/diagnosis_scene.h"

#include "core/dtype.h"

namespace gradproof::diagnosis {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Matrix matrix_of(const Scene& scene, const Tensor& tensor) {
  const std::int64_t whole = scene.question->claim.cols;
  Matrix all;
  all.reserve(at(scene.rows * scene.cols()));
  for (std::int64_t row = 0; row < scene.rows; ++row)
    for (const std::int64_t col : scene.columns) all.push_back(exact(tensor.at(row * whole + col)));
  return all;
}

void take_numbers(Scene& scene) {
  for (const NumberSlot& slot : scene.script.numbers) {
    const Tensor& tensor = get(scene.question->inputs, slot.name);
    Matrix all;
    for (const std::int64_t col : scene.columns)
      all.push_back(exact(tensor.numel() == 1 ? tensor.at(0) : tensor.at(col)));
    scene.numbers.push_back(std::move(all));
  }
}

void take_given(Scene& scene) {
  const auto& given = scene.question->given;
  if (!scene.script.has_norm() || !given || given->mean.numel() == 0) return;
  scene.given = true;
  const std::int64_t blocks = scene.channels() ? scene.whole_groups : 0;
  for (std::int64_t unit = 0; unit < scene.units(); ++unit) {
    const std::int64_t here = scene.cols() / scene.width;
    const std::int64_t whole =
        scene.channels()
            ? unit / here * blocks + scene.columns[at(unit % here * scene.width)] / scene.width
            : scene.columns[at(unit)];
    scene.mean.push_back(exact(given->mean.at(whole)));
    scene.rstd.push_back(exact(given->rstd.at(whole)));
  }
}

const Matrix* number_of(const Scene& scene, const Line& line, std::size_t place) {
  const int slot = line.numbers[place];
  return slot == Line::kAbsent ? nullptr : &scene.numbers[static_cast<std::size_t>(slot)];
}

Matrix standardized(Scene& scene, Made& made, const Line& line, const Matrix& in) {
  if (!scene.given) take_own_statistics(scene, in);
  const Matrix* weight = number_of(scene, line, 0);
  const Matrix* beta = number_of(scene, line, 1);
  made.centered.resize(in.size());
  made.xhat.resize(in.size());
  Matrix out(in.size());
  for (std::int64_t i = 0; i < scene.rows * scene.cols(); ++i) {
    const std::int64_t col = i % scene.cols();
    const std::int64_t unit = scene.unit_of(i / scene.cols(), col);
    made.centered[at(i)] = in[at(i)] - scene.mean[at(unit)];
    made.xhat[at(i)] = made.centered[at(i)] * scene.rstd[at(unit)];
    out[at(i)] = made.xhat[at(i)];
    if (weight != nullptr) out[at(i)] = out[at(i)] * (*weight)[at(col)];
    if (beta != nullptr) out[at(i)] = out[at(i)] + (*beta)[at(col)];
  }
  return out;
}

Matrix value_of(Scene& scene, Made& made, std::size_t step, const Matrix& in) {
  const Line& line = scene.value_script.lines[step];
  Matrix out = in;
  const auto col = [&](std::size_t i) { return i % scene.columns.size(); };
  if (line.kind == StageKind::bias)
    for (std::size_t i = 0; i < in.size(); ++i)
      out[i] = in[i] + (*number_of(scene, line, 0))[col(i)];
  if (line.kind == StageKind::scale)
    for (std::size_t i = 0; i < in.size(); ++i)
      out[i] = in[i] * (*number_of(scene, line, 0))[col(i)];
  if (line.kind == StageKind::divide && line.scalars[0] != 1)
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] / line.scalars[0];
  if (line.kind == StageKind::batch_norm || line.kind == StageKind::group_norm)
    return standardized(scene, made, line, in);
  if (line.kind != StageKind::swish) return out;
  made.logistics[step].resize(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    made.logistics[step][i] = logistic_of(in[i], scene.float_exp);
    out[i] = in[i] * made.logistics[step][i].sigmoid;
  }
  return out;
}

}  // namespace

Scene scene_of(const Question& question, const std::vector<std::int64_t>& blocks) {
  const Claim& claim = question.claim;
  Scene scene{&question,
              {},
              claim.rows,
              claim.block_width(),
              claim.groups,
              Script(claim),
              Script(claim),
              false,
              kNone,
              false,
              {},
              {},
              {},
              {},
              {},
              {}};
  for (const std::int64_t block : blocks)
    for (std::int64_t i = 0; i < scene.width; ++i) scene.columns.push_back(block * scene.width + i);
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role == Role::input) scene.x = matrix_of(scene, get(question.inputs, spec.name));
    if (spec.role == Role::cotangent) scene.dy = matrix_of(scene, get(question.inputs, spec.name));
  }
  take_numbers(scene);
  take_given(scene);
  fill_values(scene);
  return scene;
}

void fill_values(Scene& scene) {
  const std::size_t steps = scene.value_script.lines.size();
  const auto made = std::make_shared<Made>();
  made->values.resize(steps + 1);
  made->logistics.resize(steps);
  made->values.front() = scene.x;
  for (std::size_t k = 0; k < steps; ++k) {
    made->values[k + 1] =
        value_of(scene, *made, k, made->values[scene.value_script.lines[k].input]);
    if (scene.rounded_node != k + 1) continue;
    const DType storage = scene.question->claim.contract.storage;
    for (Weighed& value : made->values[k + 1])
      value.value = round_to(storage, static_cast<double>(value.value));
  }
  scene.made = made;
}

Matrix reread(const Scene& scene, const Tensor& tensor, const Layout& layout) {
  Layout same_memory = layout;
  same_memory.capacity = tensor.layout().capacity;
  same_memory.offset = tensor.layout().offset;
  Tensor other(tensor.dtype(), same_memory);
  other.bytes() = tensor.bytes();
  return matrix_of(scene, other);
}

void take_own_statistics(Scene& scene, const Matrix& in) {
  const Line& line = scene.value_script.lines[scene.value_script.norm];
  const std::int64_t cols = scene.cols();
  const bool running = !scene.channels() && !scene.script.batch_statistics;
  scene.mean.assign(at(scene.units()), {});
  scene.rstd.assign(at(scene.units()), {});
  if (running)
    for (std::int64_t col = 0; col < cols; ++col) {
      scene.mean[at(col)] = (*number_of(scene, line, 2))[at(col)];
      const Wide variance = (*number_of(scene, line, 3))[at(col)].value;
      scene.rstd[at(col)] = rounded(1 / std::sqrt(variance + scene.eps()), 0);
    }
  if (running) return;
  const auto n = static_cast<Wide>(scene.unit_size());
  for (std::int64_t i = 0; i < scene.rows * cols; ++i) {
    Weighed& mean = scene.mean[at(scene.unit_of(i / cols, i % cols))];
    mean.value += in[at(i)].value;
    mean.error += in[at(i)].error + size_of(in[at(i)]);
  }
  for (Weighed& mean : scene.mean) mean = mean / n;
  Matrix& square = scene.rstd;
  for (std::int64_t i = 0; i < scene.rows * cols; ++i) {
    const std::int64_t unit = scene.unit_of(i / cols, i % cols);
    const Wide d = in[at(i)].value - scene.mean[at(unit)].value;
    square[at(unit)].value += d * d;
  }
  for (Weighed& rstd : scene.rstd) rstd = rounded(1 / std::sqrt(rstd.value / n + scene.eps()), 0);
}

}  // namespace gradproof::diagnosis
