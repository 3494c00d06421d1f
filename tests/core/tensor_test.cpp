// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/tensor.h"

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "core/tensor/digest.h"
#include "tests/support/sample_schema.h"

namespace gradproof {
namespace {

constexpr std::int64_t kGiant = (std::int64_t{1} << 32) + 8;

Layout giant_rows(std::int64_t rows, std::int64_t cols) {
  return {{rows, cols}, {kGiant, 1}, 0, (rows - 1) * kGiant + cols};
}

/// A tensor that has the same numbers in any layout.
Tensor numbered(const Layout& layout) {
  Tensor t(DType::f32, layout);
  for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, static_cast<double>(i) + 0.5);
  return t;
}

TEST(Layout, IsSparseWhereNearlyAllIsPaddingAndMuch) {
  EXPECT_TRUE(giant_rows(2, 5).is_sparse());
  EXPECT_FALSE(giant_rows(1, 5).is_sparse());
  EXPECT_FALSE(Layout::contiguous({1 << 16, 1 << 16}).is_sparse());  // large, but all of it used
  EXPECT_FALSE((Layout{{100, 1}, {1 << 20, 1}, 0, 100 << 20}.is_sparse()));  // not large enough
}

TEST(Tensor, ReadsAndDigestsTheSameThroughAnyLayout) {
  const Tensor dense = numbered(Layout::contiguous({3, 4}));
  const Layout layouts[]{{{3, 4}, {4, 1}, 1, 13},   // not at the beginning
                         {{3, 4}, {8, 1}, 0, 24},   // with gaps
                         {{3, 4}, {1, 3}, 0, 12}};  // transposed
  EXPECT_TRUE(dense.is_dense());
  EXPECT_TRUE(numbered(layouts[0]).is_dense());
  EXPECT_FALSE(numbered(layouts[1]).is_dense());
  for (const Layout& layout : layouts) {
    const Tensor other = numbered(layout);
    for (std::int64_t i = 0; i < 12; ++i) EXPECT_EQ(other.at(i), dense.at(i));
    EXPECT_TRUE(same_bits(dense, other));
    EXPECT_EQ(digest(dense), digest(other));
  }
  Tensor control = numbered(layouts[0]);
  control.set(11, 0);
  EXPECT_FALSE(same_bits(dense, control));
  EXPECT_NE(digest(dense), digest(control));
}

TEST(Inputs, OfASparseLayoutAreContiguousAndTheSameNumbers) {
  const Case c(sample_schema());
  Claim claim;
  claim.extents = {{"rows", 3}, {"cols", 4}};
  claim.tensors = {{"x", Role::input, DType::f32, Layout::contiguous({3, 4})}};
  const Tensors dense = make_inputs(c, claim);
  claim.tensors.front().layout = giant_rows(3, 4);
  const Tensors sparse = make_inputs(c, claim);
  EXPECT_TRUE(same_bits(get(dense, "x"), get(sparse, "x")));
  EXPECT_EQ(get(sparse, "x").bytes().size(), 12 * sizeof(float));
}

}  // namespace
}  // namespace gradproof
