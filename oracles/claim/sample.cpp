// SPDX-License-Identifier: Apache-2.0
#include "oracles/oracle.h"

namespace gradproof {
namespace {

/// The chosen columns of the claim's tensors.
class Chosen {
 public:
  Chosen(const Claim& claim, const std::vector<std::int64_t>& blocks) : claim_(claim) {
    for (const std::int64_t block : blocks)
      for (std::int64_t i = 0; i < claim.block_width(); ++i)
        columns_.push_back(block * claim.block_width() + i);
    blocks_ = blocks;
  }

  std::int64_t cols() const { return static_cast<std::int64_t>(columns_.size()); }

  /// The chosen columns or groups on a tensor's last axis; nullptr if it counts neither of them.
  const std::vector<std::int64_t>* last_axis(const TensorSpec& spec) const {
    const Shape& shape = spec.layout.shape;
    const bool per_group =
        claim_.groups() > 0 && spec.role == Role::output && !claim_.is_matrix(spec);
    if (per_group) return &blocks_;
    if (shape.empty() || shape.back() != claim_.cols() || spec.dtype == DType::i64) return nullptr;
    return claim_.cols() > 1 || claim_.is_matrix(spec) ? &columns_ : nullptr;
  }

  Layout layout(const TensorSpec& spec) const {
    Shape shape = spec.layout.shape;
    if (const auto* kept = last_axis(spec)) shape.back() = static_cast<std::int64_t>(kept->size());
    return Layout::contiguous(shape);
  }

  Tensor part(const TensorSpec& spec, const Tensor& whole) const {
    Tensor part(whole.dtype(), layout(spec));
    const auto* kept = last_axis(spec);
    const std::int64_t width = kept != nullptr ? spec.layout.shape.back() : 1;
    for (std::int64_t i = 0; i < part.numel(); ++i) {
      if (kept == nullptr) {
        part.set(i, whole.at(i));
        continue;
      }
      const auto count = static_cast<std::int64_t>(kept->size());
      part.set(i, whole.at(i / count * width + (*kept)[static_cast<std::size_t>(i % count)]));
    }
    return part;
  }

 private:
  const Claim& claim_;
  std::vector<std::int64_t> blocks_;
  std::vector<std::int64_t> columns_;
};

}  // namespace

Sample sample_of(const Claim& claim, const Tensors& inputs,
                 const std::vector<std::int64_t>& blocks) {
  const Chosen chosen(claim, blocks);
  Sample sample{claim, {}};
  sample.claim.extents.at("cols") = chosen.cols();
  sample.claim.graph = with_groups(claim.graph, std::ssize(blocks));
  for (Reduction& reduction : sample.claim.contract.reductions)
    if (reduction.name == "shared" && reduction.length == claim.cols())
      reduction.length = chosen.cols();  // still over the columns' own sums
  for (TensorSpec& spec : sample.claim.tensors) {
    const TensorSpec whole = spec;
    spec.layout = chosen.layout(whole);
    if (const auto found = inputs.find(spec.name); found != inputs.end())
      sample.inputs.emplace(spec.name, chosen.part(whole, found->second));
  }
  return sample;
}

}  // namespace gradproof
