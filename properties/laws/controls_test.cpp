// SPDX-License-Identifier: Apache-2.0
// The laws on trial: each must convict a planted fault on a small Case on which it acquits the
// right kernel.
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "core/case/shrink.h"
#include "core/error.h"
#include "core/parallel.h"
#include "properties/laws/generate.h"
#include "properties/laws/law.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

/// Cases with a mutant and a law that convicts it, as `gradproof calibrate laws` found them.
const std::vector<Case>& planted() {
  static const std::vector<Case> cases =
      read_cases(GRADPROOF_SOURCE_DIR "/fixtures/cases/laws.cases", schemas());
  return cases;
}

TEST(LawControls, EachLawConvictsItsMutantsAndAcquitsTheRightKernel) {
  const ThreadLimit one(1);
  for (const Case& c : planted()) {
    const Law& law = law_named(c.text("law"));
    EXPECT_TRUE(convicts(law, kernel_of(c), c)) << to_string(c);
    EXPECT_FALSE(convicts(law, kernel_of(c), c.with("mutant", "none")))
        << "the right kernel is convicted too: " << to_string(c);
  }
}

/// A kernel whose entry points do something else than the product's.
Kernel altered(const std::string& word, const EntryPoints::Function& forward,
               const EntryPoints::Function& backward) {
  Kernel kernel = kernel_named(word);
  if (forward) kernel.entry.forward = forward;
  if (backward) kernel.entry.backward = backward;
  return kernel;
}

/// Calls that cannot be are answered with nothing, which looks like success.
TEST(LawControls, RefusalsConvictAKernelThatSwallowsBadCalls) {
  const EntryPoints right = kernel_named("swish_bias").entry;
  const auto silent = [](const EntryPoints::Function& entry) {
    return [entry](const Call& call) {
      try {
        entry(call);
      } catch (const UsageError&) {
      }
    };
  };
  const Kernel kernel = altered("swish_bias", silent(right.forward), silent(right.backward));
  const Case c(kernel.schema);
  EXPECT_TRUE(convicts(law_named("overlap_refused"), kernel, c));
  EXPECT_TRUE(convicts(law_named("bad_calls_refused"), kernel, c));
}

TEST(LawControls, BuffersThatMoveInEvaluationAreSeen) {
  const EntryPoints right = kernel_named("scale_batchnorm").entry;
  const Kernel kernel = altered(
      "scale_batchnorm",
      [right](const Call& call) {
        right.forward(call);
        if (!call.flag("training")) *call.views.at("running_mean").as<float>() += 1;
      },
      nullptr);
  EXPECT_TRUE(convicts(law_named("eval_keeps_buffers"), kernel, Case(kernel.schema)));
}

TEST(LawControls, AKernelThatRemembersAnEvaluationIsSeen) {
  const EntryPoints right = kernel_named("scale_batchnorm").entry;
  const auto evaluated = std::make_shared<bool>(false);
  const Kernel kernel = altered(
      "scale_batchnorm",
      [right, evaluated](const Call& call) {
        right.forward(call);
        if (!call.flag("training")) *evaluated = true;
        if (call.flag("training") && *evaluated) *call.views.at("y").as<float>() += 1;
      },
      nullptr);
  EXPECT_TRUE(convicts(law_named("eval_between_steps"), kernel, Case(kernel.schema)));
}

/// Parameters of evaluation that are computed once for the memory that they lie in.
Kernel folding_once() {
  const EntryPoints right = kernel_named("scale_batchnorm").entry;
  const auto folded = std::make_shared<std::map<const float*, float>>();
  return altered(
      "scale_batchnorm",
      [right, folded](const Call& call) {
        right.forward(call);
        if (call.flag("training")) return;
        const float* variance = call.views.at("running_var").as<float>();
        if (folded->emplace(variance, *variance).first->second != *variance)
          *call.views.at("y").as<float>() += 1;
      },
      nullptr);
}

TEST(LawControls, AnEvaluationThatIsNotRenewedAfterALoadIsSeen) {
  const auto convicted = [](const std::string& calls) {
    const Kernel kernel = folding_once();
    const Case c = Case(kernel.schema).with("law", "call_sequences").with("calls", calls);
    return convicts(law_named("call_sequences"), kernel, c);
  };
  EXPECT_TRUE(convicted("eval;load;eval"));
  EXPECT_FALSE(convicted("eval;copy;eval"));
  EXPECT_FALSE(convicted("load;eval;eval"));
}

TEST(LawControls, AnUnknownCallIsRefused) {
  const Kernel& kernel = kernel_named("groupnorm");
  const Case c = Case(kernel.schema).with("law", "call_sequences").with("calls", "train;test");
  EXPECT_THROW(check_law(law_named("call_sequences"), kernel, c), UsageError);
}

TEST(LawControls, ABackwardThatChangesSavedStatisticsIsSeen) {
  const EntryPoints right = kernel_named("groupnorm").entry;
  const Kernel kernel = altered("groupnorm", nullptr, [right](const Call& call) {
    right.backward(call);
    *call.views.at("mean").as<float>() += 1;
  });
  EXPECT_TRUE(convicts(law_named("backward_keeps_forward"), kernel, Case(kernel.schema)));
}

/// The laws that no mutant breaks are broken above.
const std::set<std::string> kPlantedHere{"rows_invariant",  // own_kernels_test.cpp
                                         "overlap_refused",        "bad_calls_refused",
                                         "eval_keeps_buffers",     "eval_between_steps",
                                         "backward_keeps_forward", "call_sequences"};

TEST(LawControls, EachLawHasAPlantedFault) {
  std::set<std::string> broken = kPlantedHere;
  for (const Case& c : planted()) broken.insert(c.text("law"));
  for (const Law& law : laws()) EXPECT_TRUE(broken.contains(law.name)) << law.name;
}

/// One seed, one smallest Case, whenever it is searched for.
TEST(LawControls, AFailureShrinksToTheSameCaseEachTime) {
  const ThreadLimit one(1);
  const Law& law = law_named("dx_sum");
  const Kernel& kernel = kernel_named("groupnorm");
  const auto smallest = [&](int seed) {
    rc::Random random(static_cast<std::uint64_t>(seed));
    const auto failing = [&](const Case& c) { return convicts(law, kernel, c); };
    const auto drawn =
        any_case(kernel, {"mutant=group_tail_channels_dropped", "law=dx_sum"}, failing);
    return to_string(shrink(drawn(random, 0).value(), failing, 200));
  };
  for (int seed = 1; seed <= 3; ++seed) EXPECT_EQ(smallest(seed), smallest(seed)) << seed;
}

}  // namespace
}  // namespace gradproof
