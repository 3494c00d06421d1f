// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "oracles/explain/explain.h"
#include "oracles/pipeline/geometry.h"

namespace gradproof {
namespace {

/// The block of the claim that decides each element of a tensor.
class Blocks {
 public:
  Blocks(const Claim& claim, const TensorSpec& spec)
      : matrix_(claim.is_matrix(spec)), width_(claim.block_width()) {
    const Shape& shape = spec.layout.shape;
    per_group_ = claim.groups() > 0 && spec.role == Role::output && !matrix_;
    last_ = shape.empty() ? 1 : shape.back();
    const bool counted = spec.dtype == DType::i64 || (last_ != claim.cols() && !per_group_);
    everywhere_ = counted || (claim.cols() == 1 && !matrix_ && !per_group_);
  }

  /// True if all blocks together decide each element, as in a tensor of one number.
  bool everywhere() const { return everywhere_; }

  std::int64_t block(std::int64_t index) const {
    return per_group_ ? index % last_ : index % last_ / width_;
  }

  /// The index of the element in the part of the claim that consists of these blocks.
  std::int64_t in_part(std::int64_t index, const std::vector<std::int64_t>& blocks) const {
    if (everywhere_) return index;
    const auto at = std::lower_bound(blocks.begin(), blocks.end(), block(index)) - blocks.begin();
    const auto count = static_cast<std::int64_t>(blocks.size());
    if (per_group_) return index / last_ * count + at;
    return index / last_ * count * width_ + at * width_ + index % last_ % width_;
  }

 private:
  bool matrix_;
  std::int64_t width_;
  bool per_group_ = false;
  std::int64_t last_ = 1;
  bool everywhere_ = false;
};

}  // namespace

Closeup closeup_of(const Claim& claim, const Tensors& inputs,
                   const std::optional<GivenStatistics>& given, const std::string& tensor,
                   const std::vector<std::int64_t>& indices) {
  const Blocks tensor_blocks(claim, claim.tensor(tensor));
  if (tensor_blocks.everywhere()) return {claim, inputs, given, indices};
  std::vector<std::int64_t> blocks;
  for (const std::int64_t index : indices) blocks.push_back(tensor_blocks.block(index));
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  Sample sample = sample_of(claim, inputs, blocks);
  Closeup closeup{std::move(sample.claim), std::move(sample.inputs), std::nullopt, {}};
  if (given) {
    Tensors saved = sample_of(claim, {{"mean", given->mean}, {"rstd", given->rstd}}, blocks).inputs;
    closeup.given = GivenStatistics{saved.at("mean"), saved.at("rstd")};
  }
  for (const std::int64_t index : indices)
    closeup.indices.push_back(tensor_blocks.in_part(index, blocks));
  return closeup;
}

std::vector<Truth> truths_of(const Closeup& closeup, const std::string& tensor) {
  Claim claim = closeup.claim;
  const bool gradient = claim.tensor(tensor).role == Role::gradient;
  claim.forward = !gradient;
  claim.backward = gradient;
  std::erase_if(claim.tensors, [&](const TensorSpec& spec) {
    const bool judged = spec.role == Role::output || spec.role == Role::gradient;
    return judged && spec.name != tensor;
  });
  const Answers answers = evaluate(claim, closeup.inputs, closeup.given);
  const Answer& answer = answers.find(tensor)->second;
  std::vector<Truth> truths;
  for (const std::int64_t index : closeup.indices) {
    const auto i = static_cast<std::size_t>(index);
    truths.push_back({answer.hi[i], answer.lo[i], answer.radius[i], answer.bound[i],
                      answer.any_nonfinite[i] != 0});
  }
  return truths;
}

std::vector<std::int64_t> neighbours_of(const Claim& claim, const std::string& tensor,
                                        std::int64_t index, std::int64_t reach) {
  const TensorSpec& spec = claim.tensor(tensor);
  const Geometry geometry(claim);
  const bool matrix = claim.is_matrix(spec);
  const std::int64_t place = matrix ? geometry.place_of(index) : index;
  const std::int64_t size = matrix ? geometry.unit_size() : numel(spec.layout.shape);
  const std::int64_t first = matrix ? geometry.first(geometry.unit_of(index)) : 0;
  const std::int64_t from = std::max<std::int64_t>(0, place - reach);
  const std::int64_t to = std::min(size - 1, place + reach);
  std::vector<std::int64_t> all;
  for (std::int64_t i = from; i <= to; ++i)
    all.push_back(first + i * (matrix ? geometry.stride() : 1));
  return all;
}

}  // namespace gradproof
