// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/mutants/mutants.h"

/// The catalog that a lab's main makes, for tests: the kernels of this tree with all mutants.
namespace gradproof {

inline const Catalog& test_catalog() {
  static const Catalog all = catalog(mutants());
  return all;
}

inline const std::vector<Kernel>& test_kernels() { return test_catalog().kernels(); }
inline const Kernel& kernel_of(const Case& c) { return test_catalog().of(c); }
inline const Kernel& kernel_named(const std::string& word) { return test_catalog().named(word); }
inline std::vector<SchemaPtr> schemas() { return test_catalog().schemas(); }

}  // namespace gradproof
