// SPDX-License-Identifier: Apache-2.0
#include "kernels/counted/counted.h"

#include <utility>

#include "counting_kernels.h"

namespace gradproof {

Catalog counted_catalog(const Catalog& catalog) {
  std::vector<Kernel> kernels = catalog.kernels();
  for (Kernel& kernel : kernels)
    for (KernelUnit& counting : counting_kernels())
      if (counting.kernel.word == kernel.schema->word)
        kernel.counting.entry = std::move(counting.kernel.entry);
  return Catalog(std::move(kernels));
}

}  // namespace gradproof
