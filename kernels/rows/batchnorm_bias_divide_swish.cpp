// SPDX-License-Identifier: Apache-2.0
#include "kernels/batchnorm_bias_divide_swish.h"

#include "kernels/rows/batchnorm_claim.h"
#include "kernels/rows/batchnorm_entry.h"
#include "kernels/rows/batchnorm_schema.h"
#include "kernels/rows/rows.h"

namespace gradproof {

Kernel batchnorm_bias_divide_swish() {
  Kernel kernel;
  kernel.entry = batchnorm_entry();
  kernel.mutants = batchnorm_mutants();
  std::vector<std::string> mutants;
  for (const auto& [name, entry] : kernel.mutants) mutants.push_back(name);
  kernel.schema = batchnorm_schema(mutants);
  kernel.claim = batchnorm_claim;
  kernel.workspace = [](const Case& c) {
    return batchnorm::workspace_elements(c.integer("rows"), c.integer("cols"));
  };
  return kernel;
}

}  // namespace gradproof
