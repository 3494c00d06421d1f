// SPDX-License-Identifier: Apache-2.0
// Numbers moved with only their own element evaluated, and differences in doubles, against the
// whole unit in 50 digits.
#include <cmath>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "oracles/differences/pipeline_target.h"
#include "oracles/differences/unit_pass.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

constexpr AuditArithmetic kPacked[] = {AuditArithmetic::double_double,
                                       AuditArithmetic::triple_double};

class AuditElements : public testing::TestWithParam<std::string> {
 protected:
  Claim claim_ = make_claim({.system = GetParam(), .rows = 37, .cols = 150, .groups = 3});
  Tensors inputs_ = make_inputs(claim_, 2);
  PipelineTarget target_{claim_, inputs_};
};

/// Fewer than 2^10 roundings, of |dy y| of all elements at most, and of what they are moved from.
double allowed(PerturbedLoss& losses, AuditArithmetic arithmetic) {
  return 0x1p10 * static_cast<double>(precision_of(arithmetic).unit) * (1 + losses.magnitude());
}

TEST_P(AuditElements, SayWhatTheWholeUnitSays) {
  for (const AuditArithmetic arithmetic : kPacked) {
    const auto losses = target_.losses(arithmetic);
    losses->take_unit(1);
    const double bound = allowed(*losses, arithmetic);
    for (std::size_t tensor = 0; tensor < target_.tensors().size(); ++tensor) {
      const Method method = losses->quickest(tensor);
      const double move = std::ldexp(1, losses->log2_scale(tensor) - 20);
      int same = 0;  // the control: moved the other way
      int places = 0;
      for (std::int64_t place = 0; place < losses->count(tensor); place += 7, ++places) {
        const Digits400 whole = losses->change(tensor, place, move);
        const auto by_method = losses->changes(tensor, {place}, {move, -move}, method);
        EXPECT_LE(abs(whole - by_method[0][0]), bound)
            << target_.tensors()[tensor].name << " " << place;
        const Digits400& other = by_method[1][0];
        if (abs(whole) > bound && abs(whole - other) <= bound) ++same;
      }
      EXPECT_LE(2 * same, places) << target_.tensors()[tensor].name;
    }
  }
}

/// The tableau in packs of triple-doubles, and what is rounded of it, against that of 50 digits
/// from the same changes: a double is off by 2^-53 of itself, the tableau by 2^8 units of D(h).
TEST_P(AuditElements, DifferencesInDoublesAreThoseOfFiftyDigits) {
  for (const AuditArithmetic arithmetic : kPacked)
    for (int order_index = 0; order_index < kOrders; ++order_index) {
      for (std::size_t tensor = 0; tensor < target_.tensors().size(); ++tensor) {
        LossCache cache(target_, tensor);
        const StepChoice choice{order_index, -20};
        const Method method = cache.at(arithmetic, 1).quickest(tensor);
        const UnitAtRest unit(cache, arithmetic, 1);
        const auto quick = packed_pass(unit, choice, method);
        if (!quick) continue;
        const Values<Entry> slow = unit_pass(unit, choice, method);
        ASSERT_EQ(slow.size(), quick->size());
        for (std::size_t k = 0; k < slow.size(); ++k) {
          const Entry& entry = (*quick)[k];
          const Extended least = std::abs(slow[k].fine) * (0x1p8L * 0x1p-156L);
          const auto near = [&](Extended found, Extended truth) {
            return std::abs(found - truth) <= least + std::abs(truth) * 0x1p-50L;
          };
          EXPECT_LE(std::abs(entry.claimed - slow[k].claimed),
                    std::abs(slow[k].claimed) * 0x1p-62L);
          EXPECT_EQ(entry.index, slow[k].index);
          EXPECT_TRUE(near(entry.error, slow[k].error));
          EXPECT_TRUE(near(entry.self_error, slow[k].self_error));
          EXPECT_FALSE(near(entry.error, slow[k].fine)) << "the control";
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, AuditElements, testing::ValuesIn(system_names()),
                         [](const auto& system) { return system.param; });

}  // namespace
}  // namespace gradproof::oracle_tests
