// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/last_truths.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/graph/graph_case.h"

namespace gradproof {
namespace {

bool are_same(const Tensors& a, const Tensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && same_bits(one.second, other.second);
  });
}

}  // namespace

struct LastTruths::Evaluation {
  /// All that truths and bounds follow from, but for the numbers.
  struct Question {
    Graph graph;
    GraphExtents extents;
    std::string dtype, dtypes, contract;  ///< words of the Case
    ErrorBound bound = ErrorBound::certain;

    friend bool operator==(const Question&, const Question&) = default;
  };

  Question question;
  Tensors inputs;
  KeptTruths truths;
  std::set<const GraphTruths*> agreed;

  /// The truths of all these tensors, or none if one is missing.
  KeptTruths truths_of(const Tensors& got) const {
    KeptTruths found;
    for (const auto& [name, tensor] : got)
      if (const auto kept = truths.find(name); kept != truths.end()) found.insert(*kept);
    return found.size() == got.size() ? found : KeptTruths();
  }
};

LastTruths::LastTruths() = default;
LastTruths::~LastTruths() = default;

LastTruths& LastTruths::of_process() {
  static LastTruths last;
  return last;
}

JudgedGraph LastTruths::judged(const Case& c, const GraphClaim& claim, const GraphRun& run) {
  if (elements_of(run.got) > kMostKept) return {judge_graph(claim, run.inputs, run.got), {}};
  if (!has_given_tensors(c) || elements_of(run.inputs) > kMostKept)
    return judge_graph_and_keep(claim, run.inputs, run.got, run.known.get());
  const std::lock_guard lock(mutex_);
  Evaluation::Question question{claim.graph,      claim.extents,      c.text("dtype"),
                                c.text("dtypes"), c.text("contract"), claim.contract.bound};
  if (last_ && last_->question == question && are_same(last_->inputs, run.inputs))
    if (KeptTruths truths = last_->truths_of(run.got); !truths.empty())
      return judge_by_truths(claim, run.inputs, run.got, std::move(truths));
  last_.reset();  // the memory of both at once is more than the Case was estimated to take
  JudgedGraph found = judge_graph_and_keep(claim, run.inputs, run.got, run.known.get());
  last_ =
      std::make_unique<Evaluation>(Evaluation{std::move(question), run.inputs, found.truths, {}});
  return found;
}

bool LastTruths::has_agreed(const std::shared_ptr<const GraphTruths>& truths) const {
  const std::lock_guard lock(mutex_);
  return last_ && last_->agreed.contains(truths.get());
}

void LastTruths::note_agreement(const std::shared_ptr<const GraphTruths>& truths) {
  const std::lock_guard lock(mutex_);
  if (!last_) return;
  for (const auto& [name, kept] : last_->truths)
    if (kept == truths) last_->agreed.insert(truths.get());
}

}  // namespace gradproof
