// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/scene.h"

#include <numeric>

#include "core/tensor/dtype.h"

namespace gradproof::diagnosis {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Shared matrix_of(const Scene& scene, const Tensor& tensor) {
  const std::int64_t whole = scene.question->claim.cols;
  Matrix all;
  all.reserve(at(scene.size()));
  for (const std::int64_t row : scene.part.rows)
    for (const std::int64_t col : scene.part.columns)
      all.push_back(exact(tensor.at(row * whole + col)));
  return shared(std::move(all));
}

void take_groups(Scene& scene) {
  if (!scene.channels()) return;
  const std::int64_t width = scene.question->claim.block_width();
  std::int64_t last = -1;
  for (const std::int64_t col : scene.part.columns) {
    if (col / width != last) ++scene.groups;
    last = col / width;
    scene.group_of.push_back(scene.groups - 1);
  }
}

void take_numbers(Scene& scene) {
  for (const NumberSlot& slot : scene.script.numbers) {
    const Tensor& tensor = get(scene.question->inputs, slot.name);
    Matrix all;
    for (const std::int64_t col : scene.part.columns)
      all.push_back(exact(tensor.numel() == 1 ? tensor.at(0) : tensor.at(col)));
    scene.numbers.push_back(std::move(all));
  }
}

void take_given(Scene& scene) {
  const auto& given = scene.question->given;
  if (!scene.script.has_norm() || !given || given->mean.numel() == 0) return;
  scene.given = true;
  const Claim& claim = scene.question->claim;
  const auto take = [&](std::int64_t whole) {
    scene.mean.push_back(exact(given->mean.at(whole)));
    scene.rstd.push_back(exact(given->rstd.at(whole)));
  };
  for (std::int64_t row = 0; row < (scene.channels() ? claim.rows : 1); ++row)
    for (std::size_t col = 0; col < scene.part.columns.size(); ++col) {
      const std::int64_t number = scene.part.columns[col];
      if (!scene.channels())
        take(number);
      else if (col == 0 || scene.group_of[col] != scene.group_of[col - 1])
        take(row * claim.groups + number / claim.block_width());
    }
}

}  // namespace

Part part_of(const Claim& claim, const std::vector<std::int64_t>& blocks) {
  Part part;
  part.rows.resize(at(claim.rows));
  std::iota(part.rows.begin(), part.rows.end(), std::int64_t{0});
  const std::int64_t width = claim.block_width();
  for (const std::int64_t block : blocks)
    for (std::int64_t i = 0; i < width; ++i) part.columns.push_back(block * width + i);
  return part;
}

Scene scene_of(const Question& question, Part part) {
  const Claim& claim = question.claim;
  Scene scene(question, std::move(part));
  const Contract& contract = claim.contract;
  const bool narrow = contract.storage != DType::f64 && contract.accumulation != DType::f64;
  if (narrow && question.got.dtype() != DType::f64) scene.exp = Exp::as_double;
  take_groups(scene);
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role == Role::input) scene.x = matrix_of(scene, get(question.inputs, spec.name));
    if (spec.role == Role::cotangent) scene.dy = matrix_of(scene, get(question.inputs, spec.name));
  }
  take_numbers(scene);
  take_given(scene);
  fill_values(scene);
  return scene;
}

Scene sliced(const Scene& scene, const std::vector<std::int64_t>& columns) {
  Scene out = scene;
  out.slice = true;
  const auto some = [&](const auto& all) {
    std::vector<std::decay_t<decltype(all[0])>> taken;
    for (std::size_t first = 0; first < all.size(); first += scene.part.columns.size())
      for (const std::int64_t col : columns) taken.push_back(all[first + at(col)]);
    return taken;
  };
  const auto of = [&](auto& pointer) {
    using Numbers = typename std::decay_t<decltype(pointer)>::element_type;
    if (pointer) pointer = std::make_shared<Numbers>(some(*pointer));
  };
  out.part.columns = some(scene.part.columns);
  if (scene.channels()) out.group_of = some(scene.group_of);
  for (Matrix& numbers : out.numbers) numbers = some(numbers);
  of(out.dy);
  Made made = *scene.made;
  for (auto* of_nodes : {&made.values, &made.cotangents})
    for (Shared& matrix : *of_nodes) of(matrix);
  out.x = made.values.front();
  if (!made.cotangents.empty()) made.cotangents.back() = out.dy;
  for (Logistics& logistics : made.logistics) of(logistics);
  of(made.centered);
  of(made.xhat);
  out.made = std::make_shared<const Made>(std::move(made));
  return out;
}

Shared reread(const Scene& scene, const Tensor& tensor, const Layout& layout) {
  Layout same_memory = layout;
  same_memory.capacity = tensor.layout().capacity;
  same_memory.offset = tensor.layout().offset;
  Tensor other(tensor.dtype(), same_memory);
  other.bytes() = tensor.bytes();
  return matrix_of(scene, other);
}

Shared from_rows(const Scene& scene, const Tensor& tensor,
                 const std::function<std::int64_t(std::int64_t)>& source) {
  Scene other(*scene.question, scene.part);
  for (std::int64_t& row : other.part.rows) {
    const std::int64_t from = source(row);
    if (from >= 0 && from < scene.question->claim.rows) row = from;
  }
  return matrix_of(other, tensor);
}

}  // namespace gradproof::diagnosis
