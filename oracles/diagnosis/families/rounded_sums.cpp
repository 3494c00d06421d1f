// SPDX-License-Identifier: Apache-2.0
// These hypotheses round the partial sums of a gradient to the storage type.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/summed_product.h"

namespace gradproof::diagnosis {
namespace {

/// The most chunks of a hypothesis.
constexpr std::int64_t kMostChunks = 512;

/// The sum of the rounded sums of `count` chunks, as even as they go: the first extent % count
/// chunks have one number more. The code's sum of a chunk may lie on the other side of a rounding
/// boundary: then it is rounded to the neighbour.
PredictedEntry rounded_sum(const PartialSums& sums, std::int64_t count, const WrongTensor& whole) {
  const DType narrow = whole.claim.contract.storage;
  const std::int64_t extent = std::ssize(sums.values) - 1;
  const auto first = [&](std::int64_t k) {
    return k * (extent / count) + std::min(k, extent % count);
  };
  PredictedEntry sum;
  for (std::int64_t k = 0; k < count; ++k) {
    const double middle = static_cast<double>(sums.between(first(k), first(k + 1)));
    const double sizes = sums.size_between(first(k), first(k + 1));
    const double off = 2 * unit_roundoff(whole.claim.contract.accumulation) * sizes;
    sum.value += round_to(narrow, middle);
    sum.tolerance += off + (round_to(narrow, middle + off) - round_to(narrow, middle - off));
  }
  sum.tolerance += whole.unit() * static_cast<double>(std::fabs(sum.value));
  return sum;
}

}  // namespace

void add_rounded_sums(const WrongTensor& whole, Hypotheses& all) {
  if (!whole.is_gradient()) return;
  const std::optional<SummedProduct> found = summed_product(whole);
  const GraphContract& contract = whole.claim.contract;
  if (!found || found->axes.size() != 1 ||
      precision_of(contract.storage) >= precision_of(contract.accumulation))
    return;
  const SummedProduct& product = *found;
  const std::string& axis = product.axes.front();
  const Line line = line_along(whole.claim.extents, product.cotangent->axes, axis);
  const auto sums = std::make_shared<const SumsOfEntries>(partial_sums(product, line));
  for (std::int64_t count = 2; count <= std::min(line.extent, kMostChunks); ++count) {
    const std::int64_t each = line.extent / count;
    const std::string size = line.extent % count == 0 ? fmt::format("{}", each)
                                                      : fmt::format("{} or {}", each, each + 1);
    all.push_back(predicted(fmt::format("the sums of {} chunks of {} {} are rounded to {}", count,
                                        size, axis, name_of(contract.storage)),
                            Rank::rounded_sum, [sums, count](const WrongTensor& asked) {
                              std::optional<Prediction> p{Prediction()};
                              for (const PartialSums& of : *sums)
                                p->push_back(rounded_sum(of, count, asked));
                              return p;
                            }));
    all.back().of_whole = true;
  }
}

}  // namespace gradproof::diagnosis
