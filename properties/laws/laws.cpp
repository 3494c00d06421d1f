// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "properties/laws/law.h"

namespace gradproof {

const std::vector<Law>& laws() {
  static const std::vector<Law> all{adjoint_identity(), dx_sum(), running_recurrence()};
  return all;
}

std::vector<Finding> check_law(const Kernel& kernel, const Case& c) {
  for (const Law& law : laws()) {
    if (law.name != c.text("law")) continue;
    if (!law.applies(kernel.claim(c)))
      throw UsageError(
          fmt::format("law={} does not apply: {} in '{}'", law.name, law.says, to_string(c)));
    return law.check(kernel, c);
  }
  throw InstrumentError("no law '" + c.text("law") + "'");
}

bool all_finite(const Tensors& inputs) {
  for (const auto& [name, tensor] : inputs)
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      if (!std::isfinite(tensor.at(i))) return false;
  return true;
}

Finding not_finite() {
  return {kExecutionQuantity,
          {},
          {},
          {Outcome::mistrusted, "the law says nothing where inputs or gradients are not finite"},
          ""};
}

Tensor as_tensor(const std::vector<double>& values) {
  Tensor tensor(DType::f64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<std::int64_t>(i), values[i]);
  return tensor;
}

}  // namespace gradproof
