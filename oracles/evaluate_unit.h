// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/gather.h"
#include "oracles/text.h"

namespace gradproof {

/// Everything a claim says about one unit, in one arithmetic.
template <class T>
struct Evaluation {
  Values<T> y;
  Named<T> side_values;  ///< mean, rstd, buffers after the step
  Adjoint<T> gradients;
};

/// The unit forward and backward; with given statistics the backward pass starts from a forward
/// pass of its own, which uses them. `unit` is the one that the text reads.
template <class A>
Evaluation<typename A::Scalar> evaluate_text(
    const Claim& claim, Text<A>& text, Unit<typename A::Scalar>& unit,
    const std::optional<Statistics<typename A::Scalar>>& given) {
  Evaluation<typename A::Scalar> result;
  const bool separate = claim.backward && given && text.has_norm();
  unit.given.reset();
  if (claim.forward || !separate) {
    result.y = text.forward();
    result.side_values = text.side_values();
    if (claim.backward && !separate) result.gradients = text.backward();
  }
  if (separate) {
    unit.given = given;
    if (claim.forward)
      text.forward_from_norm();
    else
      text.forward();
    result.gradients = text.backward();
  }
  return result;
}

template <class A>
Evaluation<typename A::Scalar> evaluate_unit(const Claim& claim, const A& arithmetic,
                                             Unit<typename A::Scalar> numbers,
                                             const std::optional<GivenStatistics>& given,
                                             std::int64_t unit) {
  Text<A> text({claim, arithmetic, numbers});
  return evaluate_text(claim, text, numbers, given_for<typename A::Scalar>(given, unit));
}

/// Evaluates units of one claim one after the other; `take_numbers` comes before the first, and
/// whenever the parameters change.
template <class A>
class UnitEvaluator {
 public:
  using T = typename A::Scalar;

  UnitEvaluator(const Claim& claim, A arithmetic)
      : claim_(claim), arithmetic_(std::move(arithmetic)) {}
  UnitEvaluator(const UnitEvaluator&) = delete;
  UnitEvaluator& operator=(const UnitEvaluator&) = delete;

  void take_numbers(const Unit<double>& from) {
    unit_.shared = from.shared;
    unit_.channels = from.channels;
    unit_.batches = from.batches;
    for (const auto& [name, numbers] : from.numbers) assign(unit_.numbers[name], numbers);
    if (!text_) text_.emplace(Setting<A>{claim_, arithmetic_, unit_});
  }

  /// x and dy of from; its numbers are those that were taken.
  Evaluation<T> operator()(const Unit<double>& from) {
    assign(unit_.x, from.x);
    assign(unit_.dy, from.dy);
    std::optional<Statistics<T>> given;
    if (from.given) given = Statistics<T>{T(from.given->mean), T(0), T(from.given->rstd)};
    return evaluate_text(claim_, *text_, unit_, given);
  }

  const A& arithmetic() const { return arithmetic_; }

 private:
  static void assign(Values<T>& into, const Values<double>& from) {
    into.clear();
    into.reserve(from.size());
    for (const double v : from) into.push_back(T(v));
  }

  const Claim& claim_;
  A arithmetic_;
  Unit<T> unit_;
  std::optional<Text<A>> text_;
};

}  // namespace gradproof
