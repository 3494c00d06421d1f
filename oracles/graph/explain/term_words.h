// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "oracles/explain/explain.h"
#include "oracles/graph/explain/step_bounds.h"
#include "oracles/graph/explain/step_sources.h"

namespace gradproof {

/// The way by which an error reaches the element: through a number that the groups of the step
/// `owner` share, or on its own.
struct ErrorWay {
  std::size_t part = ErrorParts::kIndependent;
  int owner = -1;

  bool is(SharedError symbol) const { return part == static_cast<std::size_t>(symbol); }
};

/// Text and detail of terms, without their shares. Sizes are those of the claim.
class TermWords {
 public:
  /// Both arguments must outlive this object.
  TermWords(const GraphClaim& claim, const std::string& target) : claim_(claim), target_(target) {}

  Term of_source(const StepPlace& place, const StepSource& source, const ErrorWay& way) const;
  Term of_roundings(const StepPlace& place, const ErrorWay& way) const;
  /// The term of the sum over blocks.
  Term of_sum() const;
  Term of_underflow() const { return {"underflow of products", type(), 0}; }

  /// The longest chain of additions in a step's sums; 0 of a function.
  std::int64_t chain(const GraphStep& s, const StepSource& source) const;
  /// The chain of the sum over blocks: that of the first step that takes the tensor.
  std::int64_t chain_of_sum() const;

 private:
  const GraphStep& step(const StepPlace& place) const { return claim_.graph.steps[place.step]; }
  std::string type() const { return std::string(name_of(claim_.contract.accumulation)); }
  const GraphStep* first_taker() const;
  std::int64_t extent_of(const std::vector<std::string>& axes) const;
  std::int64_t length_of(const GraphStep& s, const StepSource& source) const;
  std::string sum_text(const StepPlace& place, const StepSource& source, const ErrorWay& way) const;
  Term of_step(const StepPlace& place, const std::string& text, const std::string& detail,
               const ErrorWay& way) const;

  const GraphClaim& claim_;
  const std::string& target_;
};

}  // namespace gradproof
