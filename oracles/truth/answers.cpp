// SPDX-License-Identifier: Apache-2.0
#include "oracles/oracle.h"
#include "oracles/truth/judging.h"

namespace gradproof {
namespace {

/// Writes truths into whole tensors; threads write different elements.
class AnswerSink final : public TruthSink {
 public:
  AnswerSink(const Claim& claim, bool given) : answers_(claim.tensors.size()) {
    for (std::size_t k = 0; k < claim.tensors.size(); ++k) {
      const TensorSpec& spec = claim.tensors[k];
      if (!is_judged(claim, spec)) continue;
      const auto size = static_cast<std::size_t>(numel(spec.layout.shape));
      Answer& answer = answers_[k];
      for (auto* values : {&answer.hi, &answer.lo, &answer.radius, &answer.bound})
        values->resize(size);
      answer.any_nonfinite.resize(size);
      answer.why = why_of(claim, spec, given);
    }
  }

  std::unique_ptr<SinkWriter> writer() override { return std::make_unique<AnswerWriter>(*this); }

  Answers take(const Claim& claim) {
    Answers all;
    for (std::size_t k = 0; k < claim.tensors.size(); ++k)
      if (is_judged(claim, claim.tensors[k]))
        all.emplace(claim.tensors[k].name, std::move(answers_[k]));
    return all;
  }

 private:
  class AnswerWriter final : public SinkWriter {
   public:
    explicit AnswerWriter(AnswerSink& sink) : sink_(sink) {}

    void put(const ElementRange& range, const Truths& truths) override {
      Answer& answer = sink_.answers_[range.tensor];
      auto at = static_cast<std::size_t>(range.first);
      for (std::size_t i = 0; i < truths.size();
           ++i, at += static_cast<std::size_t>(range.stride)) {
        answer.hi[at] = truths.hi[i];
        answer.lo[at] = truths.lo[i];
        answer.radius[at] = truths.radius[i];
        answer.bound[at] = truths.bound[i];
        answer.any_nonfinite[at] = truths.any_nonfinite[i];
      }
    }

   private:
    AnswerSink& sink_;
  };

  std::vector<Answer> answers_;
};

}  // namespace

Answers evaluate(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const InexactInputs& inexact) {
  AnswerSink sink(claim, given.has_value());
  judge_claim(claim, inputs, given, inexact, sink);
  return sink.take(claim);
}

}  // namespace gradproof
