// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "judge/check_case.h"
#include "judge/model_pairs/linear_system.h"
#include "tests/support/catalog.h"

/// All that a lab's main can judge, for tests.
namespace gradproof {

inline const Systems& test_systems() {
  static const Systems all{test_catalog(), model_pairs()};
  return all;
}

/// A small Case of the kernel with a norm and three elementwise steps behind it.
inline const std::string kChainCase = "batchnorm_bias_divide_swish rows=9 cols=5 seed=3";

/// A Case of a kernel, of a mutant or of a model pair.
inline Case read_case(const std::string& text) {
  return parse_case(text, test_systems().schemas());
}

}  // namespace gradproof
