// SPDX-License-Identifier: Apache-2.0
// The LibTorch witness agrees with the oracle, within the bound of LibTorch's own float64
// arithmetic.
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/tensor/philox.h"
#include "tests/support/autograd_claims.h"

namespace gradproof {
namespace {

void expect_agreement(const Case& c) {
  SCOPED_TRACE(to_string(c));
  const Question q(c);
  EXPECT_EQ(joined(disagreements(autograd_witness(q.claim, q.inputs), q.claim, q.inputs)), "");
}

void expect_agreement_of_all(const std::vector<std::string>& words,
                             const std::vector<std::string>& keys) {
  for (const std::string& word : words)
    for (const std::string& k : keys) expect_agreement(read("system=" + word + " " + k));
}

std::vector<std::string> systems_with(bool System::*norm) {
  std::vector<std::string> words;
  for (const std::string& word : systems())
    if (System(word).*norm) words.push_back(word);
  return words;
}

TEST(AutogradWitness, AgreesOnEveryOptionalPart) {
  expect_agreement_of_all(
      systems(), {"", "vector=each", "vector=row", "affine=no", "grads=input", "grads=parameters",
                  "rows=2 cols=2", "rows=65 cols=24 groups=3"});
  expect_agreement_of_all(systems_with(&System::batch_norm),
                          {"rows=2 momentum=1", "rows=3 cols=1", "momentum=none", "track=no",
                           "mode=eval", "mode=eval rows=1", "mode=eval affine=no vector=each",
                           "mode=eval track=no", "affine=no track=no vector=each", "momentum=0"});
  expect_agreement_of_all(systems_with(&System::group_norm),
                          {"groups=1", "groups=8", "rows=1 cols=1 groups=1", "rows=1 groups=4",
                           "groups=4 affine=no", "cols=7 groups=1 rows=3"});
}

/// f16 and bf16 as they are stored, parameters beside them in the same or in f32.
TEST(AutogradWitness, TakesEveryDtypeExactly) {
  expect_agreement_of_all(systems(), {"dtype=f32 params=f32", "dtype=f16 params=f32",
                                      "dtype=bf16 params=bf16", "dtype=f16 params=f16"});
}

TEST(AutogradWitness, AgreesOnHardInputs) {
  expect_agreement_of_all(
      systems(), {"fill=offset:1e3", "fill=offset:1e6 rows=128 affine=no", "fill=outlier:1e5",
                  "fill=alternating:30", "fill=constant:3", "fill=lone:3", "fill=pow2",
                  "fill=loguniform", "fill=subnormal", "fill=scaled:1e-20", "fill=scaled:1e18",
                  "eps=1e-12 fill=scaled:1e-6", "dy=ones", "dy=onehot", "dy=scaled:1e30"});
  expect_agreement_of_all(systems_with(&System::batch_norm), {"fill=offset:1e3 mode=eval"});
}

/// Units on both sides of LibTorch's vectors, chunks of 16 vectors and levels of its cascade, and
/// tails after them.
TEST(AutogradWitness, AgreesOnGroupsOfManyWidths) {
  for (const int width :
       {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 257})
    for (const char* keys : {"", " fill=offset:1e3", " fill=outlier:1e5"})
      expect_agreement_of_all({"groupnorm"}, {"rows=3 groups=2 cols=" + std::to_string(2 * width) +
                                              keys + " seed=" + std::to_string(width)});
  for (const int width : {1023, 1024, 1025, 1030, 2049})
    for (const char* fill : {"normal", "outlier:1e5", "lone:3"})
      expect_agreement_of_all({"groupnorm"}, {"rows=2 groups=1 cols=" + std::to_string(width) +
                                              " fill=" + fill + " seed=" + std::to_string(width)});
}

TEST(AutogradWitness, AgreesOnRandomShapes) {
  const Stream stream(1, "random shapes");
  for (std::uint64_t i = 0; i < 96; ++i) {
    const auto draw = [&](std::uint64_t k, std::uint64_t n) { return stream.bits(16 * i + k) % n; };
    const std::uint64_t groups = 1 + draw(7, 6);
    Case c = read("system=" + systems()[i % systems().size()]);
    c = c.with("rows", std::to_string(2 + draw(0, 90)))
            .with("groups", std::to_string(groups))
            .with("cols", std::to_string(groups * (1 + draw(1, 12))));
    c = c.with("mode", draw(2, 3) ? "train" : "eval").with("affine", draw(3, 3) ? "yes" : "no");
    c = c.with("vector", draw(4, 2) ? "one" : "each").with("momentum", draw(5, 3) ? "0.9" : "none");
    c = c.with("fill", draw(6, 2) ? "offset:1e3" : "normal").with("seed", std::to_string(i));
    expect_agreement(c);
  }
}

/// The statistics of no rows are no answer: a claim leaves them out.
Claim without_statistics(Claim claim) {
  std::erase_if(claim.tensors,
                [](const TensorSpec& spec) { return spec.name == "mean" || spec.name == "rstd"; });
  return claim;
}

TEST(AutogradWitness, NoRowsWorkAsInLibTorch) {
  for (const std::string& word : systems()) {
    SCOPED_TRACE(word);
    const Question q(read("rows=0 system=" + word));
    const Tensors results = autograd_witness(without_statistics(q.claim), q.inputs);
    EXPECT_EQ(get(results, "y").numel(), 0);
    for (const auto& [name, tensor] : results)
      for (std::int64_t i = 0; i < tensor.numel() && name.starts_with("d_"); ++i)
        EXPECT_EQ(tensor.at(i), 0) << name;
    if (!System(word).batch_norm) continue;
    for (const char* name : {"running_mean", "running_var"})
      for (std::int64_t i = 0; i < get(results, name).numel(); ++i)
        EXPECT_EQ(get(results, name).at(i), get(q.inputs, name).at(i)) << name;
    EXPECT_EQ(get(results, "num_batches_tracked").at(0),
              get(q.inputs, "num_batches_tracked").at(0) + 1);
  }
}

TEST(AutogradWitness, RefusesWhatLibTorchRefuses) {
  for (const char* keys : {"rows=1", "rows=1 mode=eval track=no", "system=scale_batchnorm rows=1",
                           "system=groupnorm cols=7 groups=2"}) {
    const Case c = read(keys);
    const Case legal = c.with("groups", "1");
    const Tensors inputs = make_inputs(legal, claim_of(legal));
    EXPECT_THROW(autograd_witness(as_libtorch_float64(claim_of(c)), inputs), InstrumentError)
        << keys;
  }
  for (const char* keys : {"", "system=groupnorm"}) {
    Question half(read(keys));
    EXPECT_NO_THROW(autograd_witness(half.claim, half.inputs));
    half.claim.graph.steps[0].operands.resize(2);  // without beta
    EXPECT_THROW(autograd_witness(half.claim, half.inputs), InstrumentError) << keys;
  }
}

}  // namespace
}  // namespace gradproof
