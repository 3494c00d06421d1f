// SPDX-License-Identifier: Apache-2.0
#include "core/float_mode.h"

#include <cfenv>
#include <limits>

#include <gtest/gtest.h>

namespace gradproof {
namespace {

#if defined(__aarch64__)
constexpr unsigned kFlush = 1u << 24;
#else
constexpr unsigned kFlush = 0x8040;
#endif

/// The test's thread gets back the mode that it had.
class FloatModeTest : public testing::Test {
 protected:
  void TearDown() override { set_float_mode(before_); }
  const FloatMode before_ = float_mode();
};

TEST_F(FloatModeTest, AProgramStartsInTheDefaultMode) {
  set_default_float_mode();
  EXPECT_EQ(float_mode(), before_);
  EXPECT_EQ(change_of(before_, float_mode()), "");
}

TEST_F(FloatModeTest, AChangeIsNamedAndTakenBack) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  EXPECT_EQ(change_of(before_, float_mode()), "rounding mode upward");
  EXPECT_EQ(change_of(float_mode(), before_), "rounding mode to nearest");
  set_float_mode(before_);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(float_mode(), before_);
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST_F(FloatModeTest, FlushedSubnormalsAreNamed) {
  const FloatMode flushing{before_.rounding, before_.vector_bits | kFlush, before_.x87_bits};
  set_float_mode(flushing);
  const volatile float subnormal = std::numeric_limits<float>::denorm_min();
  ASSERT_EQ(subnormal * 2, 0.0F) << "the processor does as the mode says";
  EXPECT_EQ(change_of(before_, float_mode()), "subnormal numbers flushed to 0");
  set_default_float_mode();
  EXPECT_GT(subnormal * 2, 0);
}
#endif

// The flags of past operations are no part of the mode: an inexact result changes nothing.
TEST_F(FloatModeTest, FlagsAreNoMode) {
  const volatile double three = 3;
  const volatile double third = 1 / three;
  EXPECT_NE(third, 0);
  EXPECT_EQ(std::fetestexcept(FE_INEXACT), FE_INEXACT);
  EXPECT_EQ(float_mode(), before_);
}

}  // namespace
}  // namespace gradproof
