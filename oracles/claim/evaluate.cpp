// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/error.h"
#include "oracles/claim/graph_of_claim.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof {
namespace {

bool is_judged(const Claim& claim, const TensorSpec& spec) {
  if (spec.role == Role::gradient) return claim.backward;
  return claim.forward && (spec.role == Role::output || spec.role == Role::buffer);
}

std::string why_of(const Claim& claim, const TensorSpec& spec, bool given) {
  const std::string why = claim.contract.why();
  if (spec.role != Role::gradient) return why;
  return why + (given ? ", given the statistics" : ", end to end");
}

void check_inexact(const Claim& claim, const InexactInputs& inexact) {
  for (const auto& [name, numbers] : inexact) {
    const TensorSpec& spec = claim.tensor(name);
    if (spec.role != Role::input && spec.role != Role::cotangent)
      throw InstrumentError(name + " is neither an input nor a cotangent: it is exact");
    for (const Tensor* tensor : {&numbers.radius, &numbers.error})
      if (tensor->numel() > 0 &&
          (tensor->dtype() != DType::f64 || tensor->shape() != spec.layout.shape))
        throw InstrumentError(name + ": radius and error are f64 and in the matrix's shape");
  }
}

FurtherInputs further_inputs(const Claim& claim, const std::optional<GivenStatistics>& given,
                             const InexactInputs& inexact) {
  check_inexact(claim, inexact);
  FurtherInputs all;
  all.statistics = statistics_from(given);
  all.inexact = inexact;
  return all;
}

Judged compared_with_kept(const std::vector<double>& numbers, const Tensor& got) {
  Comparison comparison(got.dtype(), got.shape());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    comparison.add(at, got.at(at), {numbers[i], 0, 0, 0, false});
  }
  return {comparison.finish(), "", 0, 0};
}

Answer answer_of(Truths truths) {
  return {std::move(truths.hi),
          std::move(truths.lo),
          std::move(truths.radius),
          std::move(truths.bound),
          "",
          std::move(truths.any_nonfinite)};
}

}  // namespace

Answers evaluate(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const InexactInputs& inexact) {
  Answers all;
  std::map<std::string, std::string> targets;  // of the graph, by the claim's
  Tensors likes;
  JudgedTensors judged;
  for (const TensorSpec& spec : claim.tensors) {
    if (!is_judged(claim, spec)) continue;
    const std::string target = target_of(claim, spec);
    if (target.empty()) {
      const std::vector<double> numbers = kept_numbers(claim, spec, inputs);
      Truths truths;
      truths.resize(numbers.size());
      truths.hi = numbers;
      all.emplace(spec.name, answer_of(std::move(truths)));
    } else {
      const auto like = likes.emplace(target, Tensor(spec.dtype, spec.layout.shape)).first;
      judged.emplace(target, &like->second);
      targets.emplace(spec.name, target);
    }
  }
  auto truths = truths_of_graph(graph_of_claim(claim, inputs), inputs, judged,
                                further_inputs(claim, given, inexact));
  for (const auto& [name, target] : targets)
    all.emplace(name, answer_of(std::move(truths.at(target).truths)));
  for (auto& [name, answer] : all)
    answer.why = why_of(claim, claim.tensor(name), given.has_value());
  return all;
}

std::map<std::string, Judged, std::less<>> compare_with_truth(
    const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
    const Tensors& got, const InexactInputs& inexact) {
  std::map<std::string, Judged, std::less<>> all;
  std::map<std::string, std::string> targets;
  JudgedTensors judged;
  for (const TensorSpec& spec : claim.tensors) {
    if (!is_judged(claim, spec)) continue;
    const Tensor& tensor = get(got, spec.name);
    if (tensor.shape() != spec.layout.shape)
      throw InstrumentError(fmt::format("{}: {} elements against {} of the truth", spec.name,
                                        tensor.numel(), numel(spec.layout.shape)));
    const std::string target = target_of(claim, spec);
    if (target.empty()) {
      all.emplace(spec.name, compared_with_kept(kept_numbers(claim, spec, inputs), tensor));
    } else {
      judged.emplace(target, &tensor);
      targets.emplace(spec.name, target);
    }
  }
  auto found = judge_graph(graph_of_claim(claim, inputs), inputs, judged,
                           further_inputs(claim, given, inexact));
  for (const auto& [name, target] : targets) all.emplace(name, std::move(found.at(target)));
  for (auto& [name, one] : all) one.why = why_of(claim, claim.tensor(name), given.has_value());
  return all;
}

}  // namespace gradproof
