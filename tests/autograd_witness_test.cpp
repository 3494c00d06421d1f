// SPDX-License-Identifier: Apache-2.0
// The LibTorch witness agrees with the oracle, within the bound of LibTorch's own float64
// arithmetic.
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/philox.h"
#include "tests/autograd_claims.h"

namespace gradproof {
namespace {

void expect_agreement(const Case& c) {
  SCOPED_TRACE(to_string(c));
  const Claim claim = claim_of(c);
  const Tensors inputs = make_inputs(c, claim);
  EXPECT_EQ(joined(disagreements(autograd_witness(claim, inputs), claim, inputs)), "");
}

TEST(AutogradWitness, AgreesOnEveryOptionalPart) {
  for (const char* keys :
       {"", "rows=2 momentum=1", "rows=3 cols=1", "momentum=none", "bias=each", "affine=no",
        "track=no", "mode=eval", "mode=eval rows=1", "mode=eval affine=no bias=each",
        "mode=eval track=no", "affine=no track=no bias=each", "momentum=0"})
    expect_agreement(read(keys));
}

TEST(AutogradWitness, AgreesOnHardInputs) {
  for (const char* keys :
       {"fill=offset:1e3", "fill=offset:1e6 rows=128 affine=no", "fill=outlier:1e5",
        "fill=alternating:30", "fill=constant:3", "fill=lone:3", "fill=pow2", "fill=loguniform",
        "fill=subnormal", "fill=scaled:1e-20", "fill=scaled:1e18", "fill=offset:1e3 mode=eval",
        "eps=1e-12 fill=scaled:1e-6", "dy=ones", "dy=onehot", "dy=scaled:1e30"})
    expect_agreement(read(keys));
}

TEST(AutogradWitness, AgreesOnRandomShapes) {
  const Stream stream(1, "random shapes");
  for (std::uint64_t i = 0; i < 24; ++i) {
    Case c = read("");
    const auto draw = [&](std::uint64_t k, std::uint64_t n) { return stream.bits(8 * i + k) % n; };
    c = c.with("rows", std::to_string(2 + draw(0, 90)))
            .with("cols", std::to_string(1 + draw(1, 40)));
    c = c.with("mode", draw(2, 3) ? "train" : "eval").with("affine", draw(3, 3) ? "yes" : "no");
    c = c.with("bias", draw(4, 2) ? "one" : "each").with("momentum", draw(5, 3) ? "0.9" : "none");
    c = c.with("fill", draw(6, 2) ? "offset:1e3" : "normal").with("seed", std::to_string(i));
    expect_agreement(c);
  }
}

TEST(AutogradWitness, NoRowsWorkAsInLibTorch) {
  const Case c = read("rows=0");
  const Claim claim = claim_of(c);
  const Tensors inputs = make_inputs(c, claim);
  const Tensors results = autograd_witness(claim, inputs);
  EXPECT_EQ(get(results, "y").numel(), 0);
  for (const char* name : {"d_weight", "d_beta", "d_bias"})
    for (std::int64_t i = 0; i < get(results, name).numel(); ++i)
      EXPECT_EQ(get(results, name).at(i), 0) << name;
  for (const char* name : {"running_mean", "running_var"})
    for (std::int64_t i = 0; i < get(results, name).numel(); ++i)
      EXPECT_EQ(get(results, name).at(i), get(inputs, name).at(i)) << name;
  EXPECT_EQ(get(results, "num_batches_tracked").at(0),
            get(inputs, "num_batches_tracked").at(0) + 1);
}

TEST(AutogradWitness, RefusesWhatLibTorchRefuses) {
  for (const char* keys : {"rows=1", "rows=1 mode=eval track=no"}) {
    const Case c = read(keys);
    const Claim claim = claim_of(c);
    EXPECT_THROW(autograd_witness(claim, make_inputs(c, claim)), InstrumentError) << keys;
  }
  Claim half = claim_of(read(""));
  half.pipeline.steps[0].parameters[1].clear();
  EXPECT_THROW(autograd_witness(half, make_inputs(read(""), half)), InstrumentError);
}

}  // namespace
}  // namespace gradproof
