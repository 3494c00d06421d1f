// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/element_text.h"

#include <gtest/gtest.h>

namespace gradproof {
namespace {

TEST(ElementText, ReadsATensorAnIndexOrBoth) {
  const auto both = element_text("d_x[3,7]");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->tensor, "d_x");
  EXPECT_EQ(both->index, (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(element_text("d_x")->tensor, "d_x");
  EXPECT_TRUE(element_text("d_x")->index.empty());
  EXPECT_EQ(element_text("3,7")->tensor, "");
  EXPECT_EQ(element_text("3,7")->index, (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(element_text("x[-1]")->index, (std::vector<std::int64_t>{-1})) << "may lie outside";
}

TEST(ElementText, AnythingElseIsNone) {
  for (const char* text : {"", "x[", "x[]", "x[1", "x[1,]", "x[,1]", "x[a]", "x[1]2", "1,",
                           "x[1.5]", "x[99999999999999999999]"})
    EXPECT_FALSE(element_text(text)) << text;
}

TEST(WholeNumber, IsAllOfItsText) {
  EXPECT_EQ(whole_number("12"), 12);
  EXPECT_EQ(whole_number("-3"), -3);
  for (const char* text : {"", "1x", " 1", "1.0", "99999999999999999999"})
    EXPECT_FALSE(whole_number(text)) << text;
}

}  // namespace
}  // namespace gradproof
