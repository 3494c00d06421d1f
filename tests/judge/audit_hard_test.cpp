// SPDX-License-Identifier: Apache-2.0
// Cases in which a right gradient was called wrong: it is 0, or far smaller than what the value
// rounds to, or second order moved numbers by more than the norm's width.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "judge/audit_case.h"
#include "judge/check_case.h"
#include "kernels/kernel.h"
#include "properties/calibration/claimed_gradients.h"
#include "tests/support/parameter_name.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

struct Hard {
  std::string text;
  std::string tensor;  ///< that was called wrong
};

void PrintTo(const Hard& hard, std::ostream* out) { *out << hard.tensor << " of " << hard.text; }

class AuditHard : public testing::TestWithParam<Hard> {
 protected:
  Case c() const { return read_case(GetParam().text); }
};

TEST_P(AuditHard, NoRightGradientIsWrong) {
  for (const Record& row : audited_without_kernel(test_systems(), c()))
    EXPECT_NE(row.verdict.outcome, Outcome::wrong) << row.tensor << ": " << row.verdict.reason;
}

/// The control: what is far smaller than gradients of the unit are like, but above what counts as
/// 0 beside them, and 15 digits of what is no 0.
TEST_P(AuditHard, AWrongOneOfThatSizeIs) {
  const Claim claim = kernel_of(c()).claim(c());
  const Tensors inputs = make_inputs(c(), claim);
  for (const double share : {1e-28, 1e-15, 1e-6, 1.0}) {
    RealGradients claimed = adjoint_gradients(claim, inputs);
    std::vector<Real>& gradient = claimed.at(GetParam().tensor);
    const auto smaller = [](const Real& a, const Real& b) { return abs(a) < abs(b); };
    Real& planted = *std::max_element(gradient.begin(), gradient.end(), smaller);
    const std::int64_t entry = &planted - gradient.data();
    const double natural = beside_entry(claim, inputs, GetParam().tensor, entry, gradient).typical;
    if (share < 1e-20 && abs(planted) > natural * share) continue;  // 20 digits are certified
    planted += std::max(Real(abs(planted)), Real(natural)) * share;
    for (const AuditRow& row : audit_gradients(claim, inputs, claimed))
      if (row.tensor == GetParam().tensor) {
        EXPECT_EQ(row.verdict, Outcome::wrong) << share << ": " << row.reason;
      }
  }
}

const std::vector<Hard> kHard{
    {"scale_batchnorm fill=scaled:10000 dy=ones", "d_scale"},
    {"scale_batchnorm rows=13 fill=constant:3.7 dy=ones seed=16", "d_x"},
    {"scale_batchnorm rows=13 fill=constant:3.7 dy=ones seed=16 dtype=f64", "d_x"},
    {"scale_batchnorm rows=40 fill=constant:3.7 dy=ones seed=43", "d_x"},
    {"scale_batchnorm rows=13 dtype=f64 fill=outlier:10000 dy=ones seed=16", "d_scale"},
    {"scale_batchnorm rows=13 dtype=bf16 layout=offset fill=scaled:10000 dy=constant:2 "
     "seed=525126",
     "d_scale"},
    {"scale_batchnorm rows=13 dtype=bf16 eps=1e10 momentum=0.001 track=no steps=3 "
     "fill=outlier:1e5 dy=ones seed=728888",
     "d_scale"},
    {"scale_batchnorm rows=9 cols=8 eps=1e-12 scale=one fill=constant:0 dy=ones", "d_x"},
    {"swish_bias_groupnorm fill=constant:0 eps=1e-37 groups=1 cols=3 rows=2 bias=one", "d_x"},
    {"swish_bias_groupnorm rows=3 dtype=f64 fill=constant:1e100", "d_bias"},
    {"swish_bias_groupnorm rows=17 cols=8 dtype=bf16 eps=1e-30 bias=one affine=no "
     "fill=scaled:10000 dy=normal seed=942408",
     "d_x"},
    {"swish_bias_groupnorm fill=scaled:10000 bias=one affine=no eps=1e-30 rows=17 cols=8", "d_x"},
    {"swish_bias_groupnorm rows=9 cols=4 groups=1 dtype=bf16 grads=parameters eps=1e10 bias=one "
     "affine=no fill=loguniform seed=243",
     "d_bias"},
    // Was inconclusive: claim, differences and what looked like a kink are the rounding of 0.
    {"scale_batchnorm rows=38 cols=44 out_layout=padded dy_layout=repeat_rows seed=393", "d_scale"},
    // Second order and dual numbers, which round more than their claims do.
    {"scale_batchnorm rows=2 cols=8 dtype=f64 op=backward grads=parameters eps=1e-20 layout=padded "
     "schedule=random:2 fill=scaled:1e+30 dy=onehot seed=2326",
     "d_weight"},
    {"scale_batchnorm rows=3 cols=8 dtype=f64 op=backward grads=parameters eps=1e-37 momentum=1 "
     "track=no layout=transposed dy_layout=repeat_cols schedule=reverse fill=alternating:1e+30 "
     "dy=normal seed=6601",
     "d_scale"},
    {"scale_batchnorm rows=5 cols=4 dtype=bf16 op=backward eps=1e-37 out_layout=transposed "
     "fill=scaled:1e+30 dy=onehot seed=6743",
     "d_scale"},
    {"scale_batchnorm rows=3 cols=12 dtype=f64 op=backward eps=1e-37 scale=row affine=no "
     "dy_layout=transposed schedule=reverse fill=alternating:1e+20 dy=normal seed=6889",
     "d_scale"},
    {"scale_batchnorm rows=2 cols=3 op=backward grads=parameters eps=1e-37 scale=row affine=no "
     "dy_layout=transposed fill=outlier:1e+30 dy=normal seed=19460",
     "d_scale"},
    {"scale_batchnorm rows=2 cols=2 op=backward eps=1e-37 scale=row affine=no track=no "
     "fill=alternating:10000000 dy=dyadic seed=21933",
     "d_scale"},
    // Second order of a gradient that is 0 whatever x is.
    {"swish_bias_groupnorm rows=1 cols=6 groups=3 dtype=bf16 params=f32 op=backward "
     "grads=parameters affine=no fill=outlier:1e-30 dy=ones seed=4522",
     "d_bias"},
    {"groupnorm_swish_multiply_swish rows=9 cols=6 groups=2 op=backward multiply=one affine=no "
     "schedule=random:2 fill=constant:10000000000 dy=constant:1e-10 seed=4019",
     "d_multiply"},
    // Terms of several units that cancel 31 of 50 digits.
    {"groupnorm_swish_multiply_swish rows=2 cols=6 groups=2 op=backward eps=1e-12 multiply=one "
     "affine=no dy_layout=repeat_cols schedule=reverse fill=subnormal dy=dyadic seed=3653",
     "d_multiply"},
    {"groupnorm_swish_multiply_swish rows=17 cols=12 op=backward multiply=one affine=no "
     "layout=padded schedule=random:2 fill=subnormal dy=ones seed=15703",
     "d_multiply"},
    // A mean's roundings are proportional to h: two differences agree on them.
    {"scale_batchnorm rows=9 cols=3 dtype=f16 op=backward eps=1e-12 scale=row affine=no "
     "layout=transposed fill=lone:1000 dy=ones seed=23304",
     "d_scale"},
    {"scale_batchnorm rows=13 cols=4 op=backward eps=1e-20 momentum=none affine=no layout=offset "
     "dy_layout=expanded fill=lone:10000000 dy=normal seed=18098",
     "d_scale"},
    // A gradient of 0 in a unit whose value is 0.
    {"scale_batchnorm rows=13 cols=8 dtype=f16 op=backward eps=1e-12 affine=no dy_layout=offset "
     "schedule=random:1 fill=subnormal dy=ones seed=4881",
     "d_x"},
};

INSTANTIATE_TEST_SUITE_P(Cases, AuditHard, testing::ValuesIn(kHard), parameter_name<Hard>);

}  // namespace
}  // namespace gradproof
