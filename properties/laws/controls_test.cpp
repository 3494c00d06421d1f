// SPDX-License-Identifier: Apache-2.0
// The laws on trial: each must convict the wrong kernels that break it, and shrink them to a small
// Case.
#include <gtest/gtest.h>

#include "core/case/shrink.h"
#include "properties/laws/generate.h"
#include "properties/laws/law.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

/// Whether the law applies to the Case and fails on it.
bool convicts(const Law& law, const Case& c) {
  const Kernel& kernel = kernel_of(c);
  if (!law.applies(kernel.claim(c))) return false;
  for (const Finding& f : law.check(kernel, c))
    if (f.verdict.outcome == Outcome::failed) return true;
  return false;
}

/// The law convicts the mutant on one of a few drawn Cases, which shrinks to small extents, and
/// acquits the right kernel there.
void expect_conviction(const Law& law, const std::string& mutant,
                       const std::vector<std::string>& pinned) {
  constexpr int kDraws = 20;
  constexpr std::int64_t kSmall = 8;
  rc::Random random(20);
  const SchemaPtr& schema = kernel_named("batchnorm_bias_divide_swish").schema;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Case drawn = any_case(schema, pinned)(random.split(), 0).value();
    const Case wrong = drawn.with("law", law.name).with("mutant", mutant);
    if (!convicts(law, wrong)) continue;
    const Case small = shrink(
        wrong, [&](const Case& c) { return convicts(law, c); }, 200);
    std::cout << "convicted: gradproof replay '" << to_string(small) << "'\n";
    EXPECT_LE(small.integer("rows") + small.integer("cols"), kSmall);
    EXPECT_FALSE(convicts(law, small.with("mutant", "none")))
        << "the right kernel is convicted too";
    return;
  }
  ADD_FAILURE() << law.name << " does not convict " << mutant;
}

TEST(LawControls, AdjointIdentityConvictsAMissingMeanTerm) {
  expect_conviction(adjoint_identity(), "missing_mean_term",
                    {"mode=train", "op=both", "grads=all", "dtype=f32", "params=same"});
}

TEST(LawControls, DxSumConvictsAMissingMeanTerm) {
  expect_conviction(dx_sum(), "missing_mean_term",
                    {"mode=train", "op=both", "grads=all", "dtype=f32", "params=same"});
}

TEST(LawControls, RecurrenceConvictsABiasedRunningVariance) {
  expect_conviction(running_recurrence(), "biased_running_variance",
                    {"mode=train", "op=forward", "track=yes", "dtype=f32", "params=same"});
}

}  // namespace
}  // namespace gradproof
