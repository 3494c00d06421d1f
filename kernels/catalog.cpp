// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "kernels/kernel.h"
#include "kernels/rows/rows.h"

namespace gradproof {

const EntryPoints& Kernel::entry_of(const Case& c) const {
  const std::string& mutant = c.text("mutant");
  if (mutant == "none") return entry;
  return mutants.at(mutant);
}

const std::vector<Kernel>& catalog() {
  static const std::vector<Kernel> kernels{batchnorm_bias_divide_swish()};
  return kernels;
}

std::vector<SchemaPtr> schemas() {
  std::vector<SchemaPtr> all;
  for (const Kernel& kernel : catalog()) all.push_back(kernel.schema);
  return all;
}

const Kernel& kernel_of(const Case& c) {
  std::vector<std::string> known;
  for (const Kernel& kernel : catalog()) {
    if (kernel.schema->word == c.word()) return kernel;
    known.push_back(kernel.schema->word);
  }
  throw UsageError(fmt::format("unknown kernel '{}'; known: {}", c.word(), fmt::join(known, " ")));
}

}  // namespace gradproof
