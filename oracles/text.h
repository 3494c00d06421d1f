// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <optional>

#include "core/error.h"
#include "oracles/stages/batch_norm.h"
#include "oracles/stages/bias.h"
#include "oracles/stages/divide.h"
#include "oracles/stages/group_norm.h"
#include "oracles/stages/scale.h"
#include "oracles/stages/swish.h"

namespace gradproof {

/// The one place that knows which stage belongs to which kind of step.
template <class A>
std::unique_ptr<Stage<A>> make_stage(const Step& step, const Setting<A>& setting) {
  switch (step.kind) {
    case StageKind::bias:
      return std::make_unique<Bias<A>>(step, setting);
    case StageKind::scale:
      return std::make_unique<Scale<A>>(step, setting);
    case StageKind::divide:
      return std::make_unique<Divide<A>>(step, setting);
    case StageKind::swish:
      return std::make_unique<Swish<A>>(step, setting);
    case StageKind::batch_norm:
      return std::make_unique<BatchNorm<A>>(step, setting);
    case StageKind::group_norm:
      return std::make_unique<GroupNorm<A>>(step, setting);
  }
  throw InstrumentError("no stage for step '" + step.name + "'");
}

/// A claim's pipeline on one unit, as a text that an arithmetic reads: forward, then backward; and
/// again after the unit's numbers have changed. The setting must outlive it.
template <class A>
class Text {
 public:
  using T = typename A::Scalar;

  explicit Text(const Setting<A>& setting) : setting_(setting) {
    const std::vector<Step>& steps = setting.claim.pipeline.steps;
    norm_ = steps.size();
    for (std::size_t k = 0; k < steps.size(); ++k) {
      inputs_.push_back(position(steps[k]));
      stages_.push_back(make_stage(steps[k], setting));
      const StageKind kind = steps[k].kind;
      if (kind == StageKind::batch_norm || kind == StageKind::group_norm)
        norm_ = std::min(norm_, k);
    }
    values_.resize(steps.size() + 1);
  }

  bool has_norm() const { return norm_ < stages_.size(); }

  /// y over the unit's elements.
  const Values<T>& forward() {
    values_.front() = setting_.unit.x;
    return forward_from(0);
  }

  /// The same after the unit was given other statistics: what lies before the norm stands.
  const Values<T>& forward_from_norm() { return forward_from(norm_); }

  /// The cotangent of x, and the gradients of all parameters, from the unit's dy.
  Adjoint<T> backward() const {
    std::vector<std::optional<Values<T>>> cotangents(stages_.size() + 1);
    cotangents.back() = setting_.unit.dy;
    Named<Values<T>> parameters;
    for (std::size_t k = stages_.size(); k-- > 0;) {
      if (!cotangents[k + 1]) continue;  // no later step takes this value
      Adjoint<T> adjoint = stages_[k]->adjoint(*cotangents[k + 1]);
      accumulate(cotangents[inputs_[k]], std::move(adjoint.input));
      for (auto& [name, values] : adjoint.parameters) accumulate(parameters, name, values);
    }
    return {std::move(cotangents.front()).value(), std::move(parameters)};
  }

  /// Outputs and buffers that stages have beside their value.
  Named<T> side_values() const {
    Named<T> all;
    for (const auto& stage : stages_) all.merge(stage->side_values());
    return all;
  }

 private:
  /// Where a step's input lies: 0 is x, k + 1 the value of step k.
  std::size_t position(const Step& step) const {
    if (step.from.empty()) return inputs_.size();
    if (step.from == "x") return 0;
    const std::vector<Step>& steps = setting_.claim.pipeline.steps;
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      if (steps[k].name == step.from) return k + 1;
    throw InstrumentError("step '" + step.name + "' takes '" + step.from + "', which is no value");
  }

  const Values<T>& forward_from(std::size_t first) {
    for (std::size_t k = first; k < stages_.size(); ++k)
      values_[k + 1] = stages_[k]->value(values_[inputs_[k]]);
    return values_.back();
  }

  static void add(Values<T>& into, const Values<T>& more) {
    for (std::size_t i = 0; i < more.size(); ++i) into[i] = into[i] + more[i];
  }

  static void accumulate(std::optional<Values<T>>& into, Values<T> more) {
    if (into)
      add(*into, more);
    else
      into = std::move(more);
  }

  static void accumulate(Named<Values<T>>& into, const std::string& name, Values<T>& more) {
    const auto [at, fresh] = into.try_emplace(name, std::move(more));
    if (!fresh) add(at->second, more);
  }

  Setting<A> setting_;
  std::size_t norm_ = 0;  ///< position of the first norm; none: past the end
  std::vector<std::size_t> inputs_;
  std::vector<std::unique_ptr<Stage<A>>> stages_;
  std::vector<Values<T>> values_;  ///< x, then each step's
};

}  // namespace gradproof
