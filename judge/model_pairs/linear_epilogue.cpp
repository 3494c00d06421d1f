// SPDX-License-Identifier: Apache-2.0
// The statements of the Case about the kernel behind the Linear are compared with the model's own.
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "judge/model_pairs/linear_step.h"
#include "judge/model_pairs/pairs.h"

namespace gradproof {
namespace {

/// The kernel's Case that the system's Case asks for, inputs at their defaults. A parameter of one
/// column has the same shape for `cols` and `one`: there the model's word counts.
Case asked_for(const Case& c, const Case& of_model) {
  static const std::set<std::string, std::less<>> inputs{"fill", "dy", "seed", "dtype"};
  static const std::set<std::string, std::less<>> vectors{"bias", "scale", "multiply"};
  Case kernel(model_kernels().named(linear_pair_of(c.word()).kernel).schema);
  for (const Key& key : kernel.schema().keys) {
    if (!c.schema().has(key.name) || inputs.contains(key.name)) continue;
    std::string text = to_string(key, c.value(key.name));
    const bool either = vectors.contains(key.name) && c.integer("cols") == 1 && text != "row";
    if (either) text = of_model.text(key.name);
    kernel = kernel.with(key.name, text);
  }
  return kernel;
}

}  // namespace

void refuse_another_epilogue(const Case& c, const LinearModel& model) {
  const Case of_model = kernel_case(model, c.integer("rows"), c.text("op"));
  const Case asked = asked_for(c, of_model);
  if (!(asked == of_model))
    throw InstrumentError(fmt::format("the model runs '{}', the Case asks for '{}'",
                                      to_string(of_model), to_string(asked)));
}

}  // namespace gradproof
