// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/functions/constants.h"

#include "oracles/graph/functions/real_functions.h"

namespace gradproof {
namespace {

Ball rounded(const Real& value) {
  const double hi = value.convert_to<double>();
  return {hi, Real(value - Real(hi)).convert_to<double>(), 0x1p-105 * hi};
}

}  // namespace

const Ball& constant_ball(Constant name) {
  static const Ball all[] = {rounded(real_constant(Constant::sqrt_half)),
                             rounded(real_constant(Constant::normal_peak)),
                             rounded(real_constant(Constant::sqrt_two_over_pi)),
                             rounded(real_constant(Constant::two_over_root_pi)),
                             rounded(real_constant(Constant::gelu_cubic))};
  return all[static_cast<int>(name)];
}

}  // namespace gradproof
