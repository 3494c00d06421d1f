// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>

#include "oracles/pipeline/stage_list.h"

namespace gradproof {

/// Evaluates a claim's pipeline on one unit in one arithmetic: forward, then backward, and again
/// after the unit's numbers have changed. All evaluations use the same buffers. The setting must
/// outlive the runner.
template <class A>
class PipelineRunner {
 public:
  using T = typename A::Scalar;

  explicit PipelineRunner(const Setting<A>& setting) : setting_(setting) {
    const CompiledPipeline& compiled = setting.compiled;
    for (const CompiledStep& line : compiled.lines) stages_.push_back(make_stage(line, setting));
    values_.resize(stages_.size() + 1);
    cotangents_.resize(stages_.size() + 1);
    cotangent_sums_.resize(stages_.size() + 1);
    gradients_.resize(compiled.numbers.size());
    gradient_sums_.resize(compiled.numbers.size());
    sides_.resize(compiled.sides.size());
  }

  /// Computes y for the unit's elements, and the side values.
  const Values<T>& forward() {
    values_.front() = &setting_.unit.x;
    for (std::size_t k = 0; k < stages_.size(); ++k) read(k);
    const CompiledPipeline& compiled = setting_.compiled;
    for (std::size_t s = 0; s < sides_.size(); ++s)
      sides_[s] = stages_[compiled.sides[s].line]->side_value(compiled.sides[s].side);
    return *values_.back();
  }

  /// Computes what backward() needs after the unit was given statistics, from the norm on. The
  /// values before the norm, y and the side values stay as they are.
  void remember_from_norm() { remember(setting_.compiled.norm); }

  /// Computes what backward() needs, from the first step on.
  void remember() {
    values_.front() = &setting_.unit.x;
    remember(0);
  }

  /// Computes the cotangent of x from the unit's dy, and the gradients of all parameters.
  const Values<T>& backward() {
    std::fill(cotangents_.begin(), cotangents_.end(), nullptr);
    std::fill(gradients_.begin(), gradients_.end(), nullptr);
    cotangents_.back() = &setting_.unit.dy;
    for (std::size_t k = stages_.size(); k-- > 0;) {
      if (cotangents_[k + 1] == nullptr) continue;  // no later step takes this value
      const CompiledStep& line = setting_.compiled.lines[k];
      if (line.scaled_by != CompiledStep::kAbsent)
        stages_[k]->take_unscaled(*values_[unscaled(line)]);
      const Values<T>& cotangent = stages_[k]->adjoint(*cotangents_[k + 1]);
      const std::size_t input = line.input;
      accumulate(cotangents_[input], cotangent_sums_[input], cotangent);
      for (const Gradient<T>& g : stages_[k]->gradients())
        accumulate(gradients_[g.number], gradient_sums_[g.number], g.terms);
    }
    return *cotangents_.front();
  }

  /// The last results of forward() and backward().
  const Values<T>& value() const { return *values_.back(); }
  const Values<T>& input_gradient() const { return *cotangents_.front(); }

  /// A side value of the last forward pass, by CompiledPipeline::sides.
  const T& side_value(std::size_t side) const { return sides_[side]; }

  /// A parameter's gradient, by CompiledPipeline::numbers; nullptr if no step has one for it.
  const Values<T>* gradient(std::size_t number) const { return gradients_[number]; }

 private:
  void read(std::size_t k) {
    values_[k + 1] = &stages_[k]->value(*values_[setting_.compiled.lines[k].input]);
  }

  /// The position in `values_` of the input of the step right in front of a norm.
  std::size_t unscaled(const CompiledStep& norm) const {
    return setting_.compiled.lines[static_cast<std::size_t>(norm.scaled_by)].input;
  }

  void remember(std::size_t first) {
    const std::size_t last = stages_.size() - 1;
    for (std::size_t k = first; k < last; ++k) read(k);
    if (!stages_.empty()) stages_[last]->remember(*values_[setting_.compiled.lines[last].input]);
  }

  /// Adds `more` to a sum. The first summand is referred to, not copied.
  static void accumulate(const Values<T>*& into, Values<T>& sum, const Values<T>& more) {
    if (into == nullptr) {
      into = &more;
      return;
    }
    const Values<T>& before = *into;
    as_long_as(sum, more);
    for (std::size_t i = 0; i < more.size(); ++i) sum[i] = before[i] + more[i];
    into = &sum;
  }

  Setting<A> setting_;
  std::vector<std::unique_ptr<Stage<A>>> stages_;
  std::vector<const Values<T>*> values_;      ///< x, then each step's
  std::vector<const Values<T>*> cotangents_;  ///< of those
  std::vector<Values<T>> cotangent_sums_;     ///< where several steps take one value
  std::vector<const Values<T>*> gradients_;   ///< by number
  std::vector<Values<T>> gradient_sums_;      ///< where several steps have one parameter
  std::vector<T> sides_;
};

}  // namespace gradproof
