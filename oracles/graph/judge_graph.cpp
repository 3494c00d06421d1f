// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/judge_graph.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "oracles/bounds/with_number_type.h"
#include "oracles/graph/segments/judged_targets.h"
#include "oracles/graph/segments/kept_truths.h"
#include "oracles/graph/segments/segment_blocks.h"
#include "oracles/graph/ties/tie_shares.h"

namespace gradproof {
namespace {

template <class F>
class Judging {
 public:
  Judging(const GraphClaim& claim, const Tensors& inputs, const JudgedTensors& got,
          const FurtherInputs& further)
      : claim_(claim),
        inputs_(inputs),
        asked_(got),
        segments_(segments_of(claim)),
        setting_{claim.contract, claim.contract.stored_between()},
        arithmetic_(claim.contract, setting_.between),
        roundings_(claim),
        targets_(claim, got),
        exact_(segments_, inputs),
        further_(further) {
    if (segments_.size() > 1 && !(further.inexact.empty() && further.statistics.empty()))
      throw InstrumentError("a graph in segments has exact inputs and its own statistics");
  }

  std::map<std::string, Judged, std::less<>> run() {
    evaluate();
    return targets_.judged(claim_.contract.why());
  }

  std::map<std::string, GraphTruths, std::less<>> truths() {
    targets_.keep_truths();
    evaluate();
    return targets_.truths();
  }

  JudgedGraph run_and_keep() {
    targets_.keep_truths();
    evaluate();
    return {targets_.judged(claim_.contract.why()), kept(targets_.truths())};
  }

 private:
  /// Forward through all segments but the last, for what later ones take; then backward through
  /// all, each forward again for its own adjoints.
  void evaluate() {
    for (std::size_t k = 0; k < segments_.size(); ++k)
      if (!segments_[k].passed_on.empty()) pass(k, {inputs_, &values_, nullptr});
    for (const Segment& s : segments_)
      for (const std::string& output : s.outputs)
        if (s.passes_on(output)) start_gradient(output);
    for (std::size_t k = segments_.size(); k-- > 0;) pass(k, inputs_of(segments_[k]));
    for (const GraphTensor& t : claim_.graph.tensors)
      if (has_gradient(t.part)) finish_gradient(t.name);
  }

  GraphInputs inputs_of(const Segment& s) const {
    if (!s.alone) return {inputs_, &values_, &gradients_};
    GraphInputs inputs(inputs_);
    if (!further_.inexact.empty()) inputs.inexact = &further_.inexact;
    if (!further_.statistics.empty()) inputs.statistics = &further_.statistics;
    inputs.forward = std::any_of(asked_.begin(), asked_.end(), [&](const auto& one) {
      return std::none_of(claim_.graph.tensors.begin(), claim_.graph.tensors.end(),
                          [&](const GraphTensor& t) { return one.first == gradient_name(t.name); });
    });
    return inputs;
  }

  void pass(std::size_t k, const GraphInputs& inputs) {
    const Segment& s = segments_[k];
    SegmentNumbers made;
    const auto put = [&](const BlockAnswer& a, const PackedBlock& block) {
      if (a.is_kept)
        keep(made, a, block);
      else
        targets_.put(a, block);
    };
    KnownBlocks* const known = s.alone ? further_.known : nullptr;
    const SegmentSetting setting{setting_, roundings_, s, k, exact_, asked_, known};
    auto sums = evaluate_blocks<F>(setting, inputs, put);
    for (auto& [name, numbers] : made)
      (inputs.backward ? gradients_ : values_)[name] = std::move(numbers);
    for (std::size_t t = 0; inputs.backward && t < s.claim.graph.tensors.size(); ++t)
      if (sums.front().has(static_cast<int>(t))) take_sums(s, t, sums);
  }

  std::size_t count_of(const std::string& name) const {
    return static_cast<std::size_t>(numel(claim_.shape_of(name)));
  }

  /// Copies a block's numbers to their places; blocks have no place in common.
  void keep(SegmentNumbers& into, const BlockAnswer& a, const PackedBlock& block) {
    const auto room = [&]() -> BlockAnswers& {
      const std::lock_guard lock(mutex_);
      const auto [found, is_new] = into.try_emplace(a.value->name);
      if (is_new) found->second.resize(count_of(a.value->name));
      if (is_new) found->second.count_terms(a.packed.terms);
      return found->second;
    };
    BlockAnswers& whole = room();
    PackedPlaces(*a.value, block).each([&](std::size_t stored, std::size_t at) {
      copy_number(whole, at, a.packed, stored);
    });
  }

  /// The cotangent of an output that later segments take too.
  void start_gradient(const std::string& output) {
    const Tensor& dy = get(inputs_, cotangent_name(output));
    BlockAnswers& start = gradients_[output];
    start.resize(count_of(output));
    for (std::size_t i = 0; i < start.hi.size(); ++i) {
      start.hi[i] = start.estimate[i] = dy.at(static_cast<std::int64_t>(i));
      if (!std::isfinite(start.hi[i])) start.radius[i] = std::numeric_limits<double>::infinity();
    }
  }

  /// The gradient of a tensor that the segment's blocks do not cut, from the sums of each strip.
  void take_sums(const Segment& s, std::size_t tensor, std::vector<CollectedSums<F>>& of_strips) {
    const GraphTensor& t = s.claim.graph.tensors[tensor];
    const int place = static_cast<int>(tensor);
    const bool is_kept = s.gradients.contains(t.name);
    if (!is_kept && !targets_.wants(gradient_name(t.name))) return;
    const std::size_t count = count_of(t.name);
    const std::size_t of_strip = count / of_strips.size();
    const BlockAnswers* const before = is_kept ? numbers_of(gradients_, t.name) : nullptr;
    for (std::size_t k = 0; before != nullptr && k < of_strips.size(); ++k)
      of_strips[k].start(CollectedSums<F>::terms(place, *before, k * of_strip, of_strip));
    const StoredRounding& rounding = roundings_.of(gradient_name(t.name));
    BlockAnswers made;
    GraphTruths judged;
    if (is_kept)
      made.resize(count);
    else
      judged.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto [error, truth, terms, sizes] =
          of_strips[i / of_strip].of(place, i % of_strip, arithmetic_);
      if (t.part == TensorPart::value) error = arithmetic_.stored(error);
      const Permitted permitted{error.total(), error.vacuous, error.overflow,
                                is_surely_infinite(error)};
      if (is_kept) {
        put_ball(made, i, truth.ball(rounding, permitted));
        put_permitted(made, i, error.v, permitted);
        if (i == 0) made.count_terms(terms);
        if (terms > 1) made.sizes[i] = sizes;
      } else {
        put(judged.truths, i, with_open_class(truth.stored_truth(rounding, permitted), permitted));
        judged.escalated[i] = truth.escalated() ? 1 : 0;
      }
    }
    if (is_kept)
      gradients_[t.name] = std::move(made);
    else
      targets_.put(gradient_name(t.name), judged);
  }

  /// Ends the gradient of a tensor in several segments; it is 0 where none gave a part.
  void finish_gradient(const std::string& name) {
    const BlockAnswers* const kept = numbers_of(gradients_, name);
    const std::string target = gradient_name(name);
    if (!targets_.wants(target) || (kept == nullptr && targets_.has_any(target))) return;
    GraphTruths judged;
    const std::size_t count = count_of(name);
    judged.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Permitted permitted = kept == nullptr ? Permitted{} : kept->permitted(i);
      const Ball ball = kept == nullptr ? Ball{} : kept->ball(i);
      put(judged.truths, i, with_open_class(roundings_.of(target).of(ball, permitted), permitted));
    }
    targets_.put(target, judged);
  }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  const JudgedTensors& asked_;
  std::vector<Segment> segments_;
  GraphSetting setting_;
  ErrorArithmetic<F> arithmetic_;
  TargetRoundings roundings_;
  JudgedTargets targets_;
  ExactSegments exact_;
  const FurtherInputs& further_;
  SegmentNumbers values_;
  SegmentNumbers gradients_;
  std::mutex mutex_;
};

template <class Ask>
auto judging(const GraphClaim& claim, const Tensors& inputs, const JudgedTensors& got,
             const FurtherInputs& further, const Ask& ask) {
  return with_number_type(claim.contract, [&](auto type) {
    return ask(Judging<decltype(type)>(claim, inputs, got, further));
  });
}

void add_shares(const GraphClaim& claim, const Tensors& inputs, const JudgedTensors& got,
                std::map<std::string, Judged, std::less<>>& judged) {
  for (auto& [name, text] : wrong_tie_shares(claim, inputs, got))
    judged.at(name).wrong_shares = std::move(text);
}

JudgedTensors all_of(const Tensors& tensors) {
  JudgedTensors all;
  for (const auto& [name, tensor] : tensors) all.emplace(name, &tensor);
  return all;
}

}  // namespace

std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs,
                                                       const JudgedTensors& got,
                                                       const FurtherInputs& further) {
  auto judged = judging(claim, inputs, got, further, [](auto&& all) { return all.run(); });
  if (further.inexact.empty() && further.statistics.empty()) add_shares(claim, inputs, got, judged);
  return judged;
}

JudgedGraph judge_graph_and_keep(const GraphClaim& claim, const Tensors& inputs, const Tensors& got,
                                 KnownBlocks* known) {
  const JudgedTensors asked = all_of(got);
  JudgedGraph found = judging(claim, inputs, asked, {.known = known},
                              [](auto&& all) { return all.run_and_keep(); });
  add_shares(claim, inputs, asked, found.judged);
  return found;
}

std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got) {
  return judge_graph(claim, inputs, all_of(got));
}

std::map<std::string, GraphTruths, std::less<>> truths_of_graph(const GraphClaim& claim,
                                                                const Tensors& inputs,
                                                                const JudgedTensors& like,
                                                                const FurtherInputs& further) {
  return judging(claim, inputs, like, further, [](auto&& judging) { return judging.truths(); });
}

}  // namespace gradproof
