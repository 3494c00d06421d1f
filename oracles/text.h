// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "core/error.h"
#include "oracles/stages/batch_norm.h"
#include "oracles/stages/bias.h"
#include "oracles/stages/divide.h"
#include "oracles/stages/swish.h"

namespace gradproof {

/// The one place that knows which stage belongs to which kind of step.
template <class A>
std::unique_ptr<Stage<A>> make_stage(const Step& step, const Setting<A>& setting) {
  switch (step.kind) {
    case StageKind::bias:
      return std::make_unique<Bias<A>>(step, setting);
    case StageKind::divide:
      return std::make_unique<Divide<A>>(step, setting);
    case StageKind::swish:
      return std::make_unique<Swish<A>>(step, setting);
    case StageKind::batch_norm:
      return std::make_unique<BatchNorm<A>>(step, setting);
  }
  throw InstrumentError("no stage for step '" + step.name + "'");
}

/// A claim's pipeline on one unit, as a text that an arithmetic reads: forward once, then backward.
/// The setting must outlive it.
template <class A>
class Text {
 public:
  using T = typename A::Scalar;

  explicit Text(const Setting<A>& setting) : setting_(setting) {
    for (const Step& step : setting.claim.pipeline.steps) {
      inputs_.push_back(position(step));
      stages_.push_back(make_stage(step, setting));
    }
  }

  /// y over the unit's rows.
  Values<T> forward() {
    std::vector<Values<T>> values{setting_.unit.x};
    for (std::size_t k = 0; k < stages_.size(); ++k)
      values.push_back(stages_[k]->value(values[inputs_[k]]));
    return values.back();
  }

  /// The cotangent of x, and the gradients of all parameters, from the unit's dy.
  Adjoint<T> backward() const {
    std::vector<std::optional<Values<T>>> cotangents(stages_.size() + 1);
    cotangents.back() = setting_.unit.dy;
    Named<T> parameters;
    for (std::size_t k = stages_.size(); k-- > 0;) {
      if (!cotangents[k + 1]) continue;  // no later step takes this value
      Adjoint<T> adjoint = stages_[k]->adjoint(*cotangents[k + 1]);
      accumulate(cotangents[inputs_[k]], std::move(adjoint.input));
      for (auto& [name, value] : adjoint.parameters) accumulate(parameters, name, value);
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

  static void accumulate(std::optional<Values<T>>& into, Values<T> more) {
    if (!into) {
      into = std::move(more);
      return;
    }
    for (std::size_t i = 0; i < more.size(); ++i) (*into)[i] = (*into)[i] + more[i];
  }

  static void accumulate(Named<T>& into, const std::string& name, const T& value) {
    const auto [at, fresh] = into.emplace(name, value);
    if (!fresh) at->second = at->second + value;
  }

  Setting<A> setting_;
  std::vector<std::size_t> inputs_;
  std::vector<std::unique_ptr<Stage<A>>> stages_;
};

}  // namespace gradproof
