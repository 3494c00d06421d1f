// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/replayed_pipeline.h"

#include <numeric>

#include "core/tensor/dtype.h"

namespace gradproof::diagnosis {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Shared matrix_of(const ReplayedPipeline& replayed, const Tensor& tensor) {
  const std::int64_t whole = replayed.question->claim.cols;
  Matrix all;
  all.reserve(at(replayed.size()));
  for (const std::int64_t row : replayed.part.rows)
    for (const std::int64_t col : replayed.part.columns)
      all.push_back(exact(tensor.at(row * whole + col)));
  return shared(std::move(all));
}

void take_groups(ReplayedPipeline& replayed) {
  if (!replayed.is_grouped()) return;
  const std::int64_t width = replayed.question->claim.block_width();
  std::int64_t last = -1;
  for (const std::int64_t col : replayed.part.columns) {
    if (col / width != last) ++replayed.groups;
    last = col / width;
    replayed.group_of.push_back(replayed.groups - 1);
  }
}

void take_numbers(ReplayedPipeline& replayed) {
  for (const ParameterSlot& slot : replayed.compiled.numbers) {
    const Tensor& tensor = get(replayed.question->inputs, slot.name);
    Matrix all;
    for (const std::int64_t col : replayed.part.columns)
      all.push_back(exact(tensor.numel() == 1 ? tensor.at(0) : tensor.at(col)));
    replayed.numbers.push_back(std::move(all));
  }
}

void take_given(ReplayedPipeline& replayed) {
  const auto& given = replayed.question->given;
  if (!replayed.compiled.has_norm() || !given || given->mean.numel() == 0) return;
  replayed.given = true;
  const Claim& claim = replayed.question->claim;
  const auto take = [&](std::int64_t whole) {
    replayed.mean.push_back(exact(given->mean.at(whole)));
    replayed.rstd.push_back(exact(given->rstd.at(whole)));
  };
  for (std::int64_t row = 0; row < (replayed.is_grouped() ? claim.rows : 1); ++row)
    for (std::size_t col = 0; col < replayed.part.columns.size(); ++col) {
      const std::int64_t number = replayed.part.columns[col];
      if (!replayed.is_grouped())
        take(number);
      else if (col == 0 || replayed.group_of[col] != replayed.group_of[col - 1])
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

ReplayedPipeline replayed_pipeline_of(const Question& question, Part part) {
  const Claim& claim = question.claim;
  ReplayedPipeline replayed(question, std::move(part));
  const Contract& contract = claim.contract;
  const bool narrow = contract.storage != DType::f64 && contract.accumulation != DType::f64;
  if (narrow && question.got.dtype() != DType::f64) replayed.exp = Exp::as_double;
  take_groups(replayed);
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role == Role::input) replayed.x = matrix_of(replayed, get(question.inputs, spec.name));
    if (spec.role == Role::cotangent)
      replayed.dy = matrix_of(replayed, get(question.inputs, spec.name));
  }
  take_numbers(replayed);
  take_given(replayed);
  fill_values(replayed);
  return replayed;
}

ReplayedPipeline sliced(const ReplayedPipeline& replayed,
                        const std::vector<std::int64_t>& columns) {
  ReplayedPipeline out = replayed;
  out.slice = true;
  const auto some = [&](const auto& all) {
    std::vector<std::decay_t<decltype(all[0])>> taken;
    for (std::size_t first = 0; first < all.size(); first += replayed.part.columns.size())
      for (const std::int64_t col : columns) taken.push_back(all[first + at(col)]);
    return taken;
  };
  const auto of = [&](auto& pointer) {
    using Numbers = typename std::decay_t<decltype(pointer)>::element_type;
    if (pointer) pointer = std::make_shared<Numbers>(some(*pointer));
  };
  out.part.columns = some(replayed.part.columns);
  if (replayed.is_grouped()) out.group_of = some(replayed.group_of);
  for (Matrix& numbers : out.numbers) numbers = some(numbers);
  of(out.dy);
  ReplayedValues computed = *replayed.computed;
  for (auto* of_nodes : {&computed.values, &computed.cotangents})
    for (Shared& matrix : *of_nodes) of(matrix);
  out.x = computed.values.front();
  if (!computed.cotangents.empty()) computed.cotangents.back() = out.dy;
  for (Logistics& logistics : computed.logistics) of(logistics);
  of(computed.centered);
  of(computed.xhat);
  out.computed = std::make_shared<const ReplayedValues>(std::move(computed));
  return out;
}

Shared reread(const ReplayedPipeline& replayed, const Tensor& tensor, const Layout& layout) {
  Layout same_memory = layout;
  same_memory.capacity = tensor.layout().capacity;
  same_memory.offset = tensor.layout().offset;
  Tensor other(tensor.dtype(), same_memory);
  other.bytes() = tensor.bytes();
  return matrix_of(replayed, other);
}

Shared from_rows(const ReplayedPipeline& replayed, const Tensor& tensor,
                 const std::function<std::int64_t(std::int64_t)>& source) {
  ReplayedPipeline other(*replayed.question, replayed.part);
  for (std::int64_t& row : other.part.rows) {
    const std::int64_t from = source(row);
    if (from >= 0 && from < replayed.question->claim.rows) row = from;
  }
  return matrix_of(other, tensor);
}

}  // namespace gradproof::diagnosis
