// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "judge/graph/judged_run.h"
#include "oracles/graph/likely/whole_tensor.h"

namespace gradproof {
namespace {

/// The advice for an improbable program, which may still be right.
constexpr std::string_view kAdvice =
    "a program may be right that is so far off: declare its sums, or bound=certain";

std::string beyond_likely(const Discrepancy& likely, const Discrepancy& certain) {
  return fmt::format(
      "{} of {} elements are further off than roundings are likely to be in any order of the sums, "
      "the worst {:.3g} times; that is {:.2g} of the certain bound, so {}",
      likely.bad, likely.elements, likely.max_ratio, certain.max_ratio, kAdvice);
}

std::string beyond_typical(const WholeTensor& whole) {
  return fmt::format(
      "its elements are {:.3g} typical errors off in root mean square, where {:.3g} is the limit "
      "of {} independent group{}; no element is beyond its own bound, so {}",
      whole.root_mean_square, whole.most, whole.groups, whole.groups == 1 ? "" : "s", kAdvice);
}

/// Judges the whole of each tensor that passed element by element.
void judge_whole_tensors(const GraphRun& run, JudgedRun& found) {
  std::map<std::string, JudgedTensors> by_contract;
  for (const auto& [name, tensor] : found)
    if (tensor.improbable.empty() && may_be_beyond(run.claim, name, tensor.judged.discrepancy))
      by_contract[tensor.contract.declared].emplace(name, &get(run.got, name));
  for (const auto& [declared, tensors] : by_contract) {
    GraphClaim claim = run.claim;
    claim.contract = found.at(tensors.begin()->first).contract;
    for (const auto& [name, whole] : whole_tensors(claim, run.inputs, tensors))
      if (whole.is_beyond()) found.at(name).improbable = beyond_typical(whole);
  }
}

}  // namespace

JudgedRun judged_run(const Case& c, const GraphRun& run, Detail detail) {
  const auto declared = declared_of(c);
  if (declared && declared->bound == ErrorBound::certain)
    return judged_by(ErrorBound::certain, c, run, detail);
  JudgedRun found = judged_by(ErrorBound::likely, c, run, detail, false);
  GraphRun beyond = run.of({}), improbable = run.of({});
  for (const auto& [name, tensor] : found)
    if (tensor.judged.discrepancy.bad > 0) beyond.got.emplace(name, get(run.got, name));
  JudgedRun certain;
  if (!beyond.got.empty()) certain = judged_by(ErrorBound::certain, c, beyond, detail);
  for (auto& [name, tensor] : certain)
    if (tensor.judged.discrepancy.bad > 0)
      found.at(name) = std::move(tensor);
    else
      improbable.got.emplace(name, get(run.got, name));
  if (!improbable.got.empty())
    for (auto& [name, likely] : judged_by(ErrorBound::likely, c, improbable, detail)) {
      likely.improbable =
          beyond_likely(likely.judged.discrepancy, certain.at(name).judged.discrepancy);
      found.at(name) = std::move(likely);
    }
  judge_whole_tensors(run, found);
  return found;
}

}  // namespace gradproof
