// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/exact_block.h"

namespace gradproof {
ExactBlock::ExactBlock(const GraphPlan& plan, const Tensors& inputs, const PackedBlock& packed)
    : numbers_(plan, inputs, packed),
      view_(numbers_.view()),
      runner_(plan, arithmetic_, view_.chosen, packed.block.length) {
  for (std::size_t k = 0; k < view_.tensors.size(); ++k)
    if (view_.tensors[k] != nullptr)
      runner_.tensor(k) = field_of<Real>(plan.values[k], view_.tensors[k]);
  runner_.forward();
  std::vector<Field<Real>> cotangents;
  for (std::size_t k = 0; k < plan.outputs.size(); ++k)
    cotangents.push_back(field_of<Real>(plan.values[static_cast<std::size_t>(plan.outputs[k])],
                                        view_.cotangents[k]));
  runner_.backward(std::move(cotangents));
}

}  // namespace gradproof
