// SPDX-License-Identifier: Apache-2.0
#include "judge/model_pairs/linear_run.h"

namespace gradproof {

LinearTensors LinearRun::linear_tensors() const {
  const auto find = [](const Tensors& tensors, const std::string& key) -> const Tensor* {
    const auto found = tensors.find(key);
    return found == tensors.end() ? nullptr : &found->second;
  };
  return {find(linear, "input"),
          find(linear, name + ".weight"),
          find(linear, name + ".bias"),
          find(inputs, "x"),
          linear.contains("d_z") ? find(linear, "d_z") : find(run.tensors, "d_x"),
          find(linear, "d_input"),
          find(linear, "d_" + name + ".weight"),
          find(linear, "d_" + name + ".bias")};
}

}  // namespace gradproof
