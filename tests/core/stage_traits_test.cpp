// SPDX-License-Identifier: Apache-2.0
#include "core/claim/stage_traits.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/error.h"

namespace gradproof {
namespace {

TEST(StageTraits, EveryKindHasItsRow) {
  std::set<std::string_view> names;
  for (const StageTraits& traits : all_stages()) {
    EXPECT_EQ(&traits_of(traits.kind), &traits) << traits.name;
    EXPECT_TRUE(names.insert(traits.name).second) << traits.name << " stands twice";
    EXPECT_EQ(traits.formula.empty(), traits.is_norm()) << traits.name;
    EXPECT_EQ(traits.adjoint.empty(), traits.is_norm()) << traits.name;
  }
}

TEST(StageTraits, AKindWithoutARowIsAnError) {
  EXPECT_THROW(traits_of(static_cast<StageKind>(all_stages().size())), InstrumentError);
}

TEST(StageTraits, ABatchNormIsCurvedWhereItsStatisticsAreItsOwn) {
  EXPECT_TRUE(traits_of(StageKind::batch_norm).is_curved(true));
  EXPECT_FALSE(traits_of(StageKind::batch_norm).is_curved(false));
  EXPECT_TRUE(traits_of(StageKind::group_norm).is_curved(false));
  EXPECT_TRUE(traits_of(StageKind::swish).is_curved(false));
  EXPECT_FALSE(traits_of(StageKind::scale).is_curved(true));
}

TEST(StageTraits, AnExhaustiveRunBeginsWithTheIdentity) {
  for (const StageTraits& traits : all_stages()) {
    if (traits.exhaustive.empty()) continue;
    const double identity =
        traits.parameters.empty() ? traits.scalars[0].identity : traits.parameters[0].identity;
    EXPECT_EQ(std::stod(std::string(traits.exhaustive.front())), identity) << traits.name;
  }
}

}  // namespace
}  // namespace gradproof
