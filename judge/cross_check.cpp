// SPDX-License-Identifier: Apache-2.0
#include "judge/cross_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/compare/discrepancy.h"
#include "core/tensor/philox.h"
#include "judge/agreement.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

constexpr std::int64_t kFewest = 3;
constexpr std::int64_t kMost = 32;

bool all_finite(const Tensors& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [](const auto& named) { return is_finite(named.second); });
}

/// True if 1/std is not finite somewhere, which finite inputs can cause too: running_var = -eps.
bool infinite_rstd(const Answers& answers) {
  const auto rstd = answers.find("rstd");
  return rstd != answers.end() && std::any_of(rstd->second.hi.begin(), rstd->second.hi.end(),
                                              [](double v) { return !std::isfinite(v); });
}

/// If Inf or NaN is in the inputs or in 1/std, only the witness's finite answers are compared:
/// LibTorch's folded form has other classes (Inf - Inf).
CrossCheck asked_about(const Claim& claim, const Tensors& inputs) {
  const Tensors witness = autograd_witness(claim, inputs);
  Claim whole = as_libtorch_float64(claim);
  whole.forward = true;
  Answers answers = evaluate(whole, inputs, std::nullopt);
  if (!all_finite(inputs) || infinite_rstd(answers))
    for (auto& [name, answer] : answers) answer.any_nonfinite.assign(answer.hi.size(), 1);
  CrossCheck said{"LibTorch float64"};
  for (const auto& [name, tensor] : witness) {
    const Answer& answer = answers.find(name)->second;
    const Discrepancy d = compare(tensor, answer);
    said.agreements[name] = {digits_of_agreement(tensor, answer), d.max_ratio, d.bad};
    if (d.bad > 0)
      said.texts[name] =
          fmt::format("LibTorch float64 says {} at {} where the oracle says {}", d.worst.got,
                      index_text(tensor.shape(), d.worst.index), d.worst.want);
  }
  return said;
}

}  // namespace

std::vector<std::int64_t> sampled_blocks(const Claim& claim, std::int64_t elements,
                                         std::uint64_t seed) {
  const std::int64_t blocks = claim.blocks();
  std::vector<std::int64_t> all(static_cast<std::size_t>(blocks));
  std::iota(all.begin(), all.end(), 0);
  if (claim.rows() * claim.cols() <= elements || blocks <= kFewest) return all;
  const std::int64_t of_one = claim.rows() * claim.block_width();
  const std::int64_t count = std::clamp(elements / of_one, kFewest, std::min(kMost, blocks));
  std::set<std::int64_t> chosen{0, blocks - 1};
  const Stream stream(seed, "witness");
  for (std::uint64_t i = 0; static_cast<std::int64_t>(chosen.size()) < count; ++i)
    chosen.insert(static_cast<std::int64_t>(stream.bits(i) % static_cast<std::uint64_t>(blocks)));
  return {chosen.begin(), chosen.end()};
}

CrossCheck cross_check(const Claim& claim, const Tensors& inputs, std::uint64_t seed) {
  if (!has_libtorch()) return {};
  const std::vector<std::int64_t> blocks = sampled_blocks(claim, kWitnessedElements, seed);
  if (static_cast<std::int64_t>(blocks.size()) == claim.blocks()) return asked_about(claim, inputs);
  const Sample sample = sample_of(claim, inputs, blocks);
  CrossCheck said = asked_about(sample.claim, sample.inputs);
  said.asked += fmt::format(" on {} of {} {}", blocks.size(), claim.blocks(),
                            claim.groups() > 0 ? "groups" : "columns");
  return said;
}

}  // namespace gradproof
