// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/diagnosis.h"

#include <fmt/format.h>

#include "core/error.h"
#include "oracles/diagnosis/overview.h"

namespace gradproof {
namespace {

/// Elements of x that are replayed together at most: it takes some 800 bytes for each.
constexpr std::int64_t kMost = std::int64_t{1} << 21;

/// Whether the smallest part that decides an entry is too large: a block, or for a gradient of one
/// number all blocks.
bool is_too_large(const diagnosis::Question& q) {
  const std::int64_t block = q.claim.rows * q.claim.block_width();
  return (diagnosis::target_of(q).shared ? block * q.claim.blocks() : block) > kMost;
}

/// The wrong entries and their pattern, without an explanation; no truth is kept.
Diagnosis located(const diagnosis::Question& q) {
  const Claim claim = diagnosis::narrowed(q.claim, q.gradient);
  const Discrepancy found = compare_with_truth(claim, q.inputs, q.given, {{q.gradient, q.got}})
                                .at(q.gradient)
                                .discrepancy;
  if (found.bad == 0) return {};
  Diagnosis result{found.bad, {found.worst.index}, found.pattern, ""};
  for (const Element& bad : found.first_bad)
    if (bad.index != found.worst.index) result.entries.push_back(bad.index);
  return result;
}

}  // namespace

Diagnosis diagnose(const Claim& claim, const Tensors& inputs,
                   const std::optional<GivenStatistics>& given, const std::string& gradient,
                   const Tensor& got) {
  const TensorSpec& spec = claim.tensor(gradient);
  if (spec.role != Role::gradient)
    throw InstrumentError(fmt::format("'{}' is no gradient of the claim", gradient));
  if (got.numel() != numel(spec.layout.shape))
    throw InstrumentError(fmt::format("'{}' has {} entries, the claim says {}", gradient,
                                      got.numel(), numel(spec.layout.shape)));
  if (got.numel() == 0) return {};
  const diagnosis::Question question{claim, inputs, given, gradient, got};
  if (is_too_large(question)) return located(question);
  const diagnosis::Overview overview = diagnosis::overview_of(question);
  Diagnosis result{overview.wrong, overview.worst, overview.pattern, ""};
  if (result.wrong > 0) result.words = diagnosis::explanation_text(question, overview);
  return result;
}

}  // namespace gradproof
