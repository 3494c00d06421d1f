// SPDX-License-Identifier: Apache-2.0
// Laws of kernels that are not of the catalog: what they say of a right one, and which of the
// faults planted in it they convict without any answer of an oracle.
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/parallel.h"
#include "properties/laws/law.h"
#include "properties/laws/own/planted_kernels.h"

namespace gradproof {
namespace {

std::vector<PlantedKernel> planted_kernels() {
  return {planted_rms_norm(),   planted_layer_norm(), planted_softmax(),
          planted_group_norm(), planted_swiglu(),     planted_linear()};
}

/// Two Cases of odd extents.
std::vector<Case> cases_of(const Kernel& kernel) {
  Case c(kernel.schema);
  std::int64_t extent = 5;
  for (const std::string& axis : kernel.schema->size_keys) {
    c = c.with(axis, std::to_string(axis == "c" ? 6 : extent));
    extent += 2;
  }
  return {c, c.with("seed", "7").with(kernel.schema->size_keys.front(), "3")};
}

std::vector<std::string> convicting(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const Law& law : laws())
    for (const Case& c : cases_of(kernel))
      if (convicts(law, kernel, c)) {
        names.push_back(law.name);
        break;
      }
  return names;
}

class OwnKernels : public ::testing::TestWithParam<PlantedKernel> {
 protected:
  const ThreadLimit one_{1};
};

TEST_P(OwnKernels, ARightOneKeepsAllLaws) {
  const Kernel kernel = system_of(GetParam().with(""));
  int trusted = 0;
  for (const Law& law : laws())
    for (const Case& c : cases_of(kernel)) {
      if (!law.applies(kernel.claim(c))) continue;
      for (const Finding& f : check_law(law, kernel, c)) {
        EXPECT_FALSE(is_wrong(f.verdict.outcome))
            << law.name << ": " << f.quantity << ": " << f.verdict.reason << ", "
            << f.discrepancy.max_ratio << " of the bound; " << to_string(c);
        trusted += f.verdict.outcome == Outcome::passed ? 1 : 0;
      }
    }
  EXPECT_GT(trusted, 40);
}

TEST_P(OwnKernels, PlantedFaultsAreConvicted) {
  for (const std::string& fault : GetParam().faults) {
    const std::vector<std::string> names = convicting(system_of(GetParam().with(fault)));
    std::cout << GetParam().word << " " << fault << ":";
    for (const std::string& name : names) std::cout << " " << name;
    std::cout << "\n";
    EXPECT_FALSE(names.empty()) << fault;
  }
}

/// Sums in another order in a batch of another size are right, and not the same bits.
TEST(BatchInvariance, OtherOrdersOfSumsInOtherBatchesAreSeenWhereTheyAreAskedFor) {
  const Kernel kernel = system_of(planted_softmax().with("other_order_in_small_batches"));
  Case c = Case(kernel.schema).with("rows", "9").with("cols", "67");
  EXPECT_TRUE(convicts(law_named("rows_invariant"), kernel, c));
  EXPECT_FALSE(convicts(law_named("rows_alone"), kernel, c));
  EXPECT_FALSE(convicts(law_named("rows_invariant"), system_of(planted_softmax().with("")), c));
  EXPECT_TRUE(law_named("rows_invariant").only_by_name);
}

INSTANTIATE_TEST_SUITE_P(All, OwnKernels, ::testing::ValuesIn(planted_kernels()),
                         [](const auto& kernel) { return kernel.param.word; });

}  // namespace
}  // namespace gradproof
