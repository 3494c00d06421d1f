// SPDX-License-Identifier: Apache-2.0
// What the contract promises of expf on this back-end, over the arguments that Swish gives it.
#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/kernel.h"

namespace gradproof {
namespace {

/// Largest relative error of expf in units of u = 2^-24 over every 61st float of [-104, 0] whose
/// result is normal; double's own exp is 2^29 times finer.
double worst_expf_error() {
  constexpr std::uint32_t kFirst = 0x80000000u;  // -0
  constexpr std::uint32_t kLast = 0xc2d00000u;   // -104
  double worst = 0;
  for (std::uint32_t bits = kFirst; bits <= kLast; bits += 61) {
    const float x = std::bit_cast<float>(bits);
    const double truth = std::exp(static_cast<double>(x));
    if (truth < static_cast<double>(FLT_MIN)) continue;
    const double error = std::abs(static_cast<double>(std::exp(x)) - truth);
    worst = std::max(worst, error / truth * 0x1p24);
  }
  return worst;
}

TEST(KernelFunctions, ExpKeepsTheContractsPromiseAndComesNearIt) {
  const double worst = worst_expf_error();
  RecordProperty("worst_u", std::to_string(worst));
  for (const Kernel& kernel : catalog()) {
    const double promised = kernel.claim(Case(kernel.schema)).contract.exp_error;
    EXPECT_LE(worst, promised) << kernel.schema->word;
    EXPECT_GT(worst, promised / 2) << "the promise is vacuous";  // the control
  }
}

}  // namespace
}  // namespace gradproof
