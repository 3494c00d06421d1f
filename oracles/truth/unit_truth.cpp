// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "oracles/truth/block_evaluator.h"

namespace gradproof {
namespace {

void put(Truths& into, std::size_t i, const Truth& truth) {
  into.hi[i] = truth.hi;
  into.lo[i] = truth.lo;
  into.radius[i] = truth.radius;
  into.bound[i] = truth.bound;
  into.any_nonfinite[i] = truth.any_nonfinite;
}

}  // namespace

void MatrixBatch::read(const Plan& plan, const TensorSpec& spec, const Batch& batch) {
  numbers.read(get(plan.inputs, spec.name), batch);
  const auto found = plan.inexact.find(spec.name);
  const bool inexact = found != plan.inexact.end();
  has_radius = inexact && found->second.radius.numel() > 0;
  has_error = inexact && found->second.error.numel() > 0;
  if (has_radius) radius.read(found->second.radius, batch);
  if (has_error) error.read(found->second.error, batch);
}

UnitNumbers::Matrix MatrixBatch::of(std::int64_t k) const {
  return {numbers.of(k), has_radius ? radius.of(k) : nullptr, has_error ? error.of(k) : nullptr};
}

UnitTruth::UnitTruth(const Plan& plan)
    : plan_(plan),
      fast_(fast_tier({plan.claim, plan.compiled, plan.outputs})),
      exact_truths_(plan.outputs.size()) {}

void UnitTruth::take_block(std::int64_t unit) {
  gather_numbers(numbers_, plan_.compiled, plan_.claim, plan_.inputs, unit);
  fast_->take_numbers(numbers_);
  if (exact_) exact_->take_numbers(numbers_);
}

bool UnitTruth::judge(const UnitNumbers& unit) {
  escalated_ = !fast_->judge(unit);
  if (escalated_) escalate(unit);
  return escalated_;
}

void UnitTruth::escalate(const UnitNumbers& unit) {
  if (!exact_) {
    exact_ = std::make_unique<UnitEvaluator<Plain<Real>>>(plan_.claim, Plain<Real>());
    exact_->take_numbers(numbers_);
  }
  numbers_.x.assign(unit.x.numbers, unit.x.numbers + unit.count);
  if (plan_.claim.backward) numbers_.dy.assign(unit.dy.numbers, unit.dy.numbers + unit.count);
  numbers_.given = unit.given;
  found_ = (*exact_)(numbers_);
  exact_inputs_ = unit.exact();
  for (std::size_t s = 0; s < plan_.outputs.size(); ++s)
    if (!plan_.outputs[s].summed) round_output(s);
}

/// With inexact inputs, 50 digits only say which results are NaN or infinite because an input is.
/// All other results are balls of the fast tier, whose radius may be infinite: not known.
void UnitTruth::round_output(std::size_t output_index) {
  const Values<Real> numbers = exact_numbers(output_index);
  permitted_.resize(numbers.size());
  fast_->permitted(output_index, permitted_.data());
  balls_.resize(numbers.size());
  fast_->balls(output_index, balls_.data());
  Truths& truths = exact_truths_[output_index];
  truths.resize(numbers.size());
  const StoredRounding& rounding = plan_.roundings[output_index];
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool known = exact_inputs_ || !isfinite(numbers[i]);
    Truth truth =
        known ? rounding.of(numbers[i], permitted_[i]) : rounding.of(balls_[i], permitted_[i]);
    truth.any_nonfinite = truth.any_nonfinite || (!known && std::isinf(truth.radius));
    put(truths, i, truth);
  }
}

void UnitTruth::add_exact(std::size_t output_index, std::vector<TruthSum*>& into) {
  const Values<Real>& terms = exact_terms(output_index);
  balls_.resize(terms.size());
  fast_->balls(output_index, balls_.data());
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (exact_inputs_ || !isfinite(terms[i]))
      into[i]->add(terms[i]);
    else
      into[i]->add(balls_[i]);
}

const Values<Real>& UnitTruth::exact_terms(std::size_t output_index) const {
  return found_.gradients.parameters.at(
      plan_.compiled.numbers[plan_.outputs[output_index].slot].name);
}

Values<Real> UnitTruth::exact_numbers(std::size_t output_index) const {
  const Output& output = plan_.outputs[output_index];
  switch (output.part) {
    case Output::Part::y:
      return found_.y;
    case Output::Part::input_gradient:
      return found_.gradients.input;
    case Output::Part::side_value:
      return {found_.side_values.at(plan_.compiled.sides[output.slot].name)};
    case Output::Part::parameter_gradient:
      break;
  }
  return exact_terms(output_index);
}

}  // namespace gradproof
