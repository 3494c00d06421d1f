// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "oracles/pipeline/stages/batch_norm.h"
#include "oracles/pipeline/stages/bias.h"
#include "oracles/pipeline/stages/divide.h"
#include "oracles/pipeline/stages/group_norm.h"
#include "oracles/pipeline/stages/scale.h"
#include "oracles/pipeline/stages/swish.h"

namespace gradproof {

/// The one place that knows which formulas belong to which kind of step.
template <class A>
std::unique_ptr<Stage<A>> make_stage(const CompiledStep& line, const Setting<A>& setting) {
  switch (line.formula) {
    case StageFormula::bias:
      return std::make_unique<Bias<A>>(line, setting);
    case StageFormula::scale:
      return std::make_unique<Scale<A>>(line, setting);
    case StageFormula::divide:
      return std::make_unique<Divide<A>>(line, setting);
    case StageFormula::swish:
      return std::make_unique<Swish<A>>(line, setting);
    case StageFormula::batch_norm:
      return std::make_unique<BatchNorm<A>>(line, setting);
    case StageFormula::group_norm:
      return std::make_unique<GroupNorm<A>>(line, setting);
  }
  return nullptr;
}

}  // namespace gradproof
