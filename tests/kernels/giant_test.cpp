// SPDX-License-Identifier: Apache-2.0
// Strides beyond 32 bits over sparse memory: every kernel keeps its bits there, and what a kernel
// with short offsets does is found.
#include <string>

#include <gtest/gtest.h>

#include "kernels/kernel.h"
#include "tests/kernels/runs.h"

namespace gradproof {
namespace {

bool has(const KernelRun& run, const std::string& text) {
  for (const simt::Finding& finding : run.findings)
    if (finding.text.find(text) != std::string::npos) return true;
  return false;
}

class GiantStrides : public testing::TestWithParam<std::string> {};

TEST_P(GiantStrides, LeaveTheBits) {
  const Kernel& kernel = kernel_named(GetParam());
  const Case plain = Case(kernel.schema).with("rows", "5").with("cols", "4");
  const KernelRun want = run(kernel, plain);
  for (const char* layout : {"giant_rows", "giant_cols"}) {
    const KernelRun got = run(kernel, plain.with("layout", layout).with("dy_layout", layout));
    EXPECT_TRUE(got.findings.empty()) << layout << ": " << got.findings.front().text;
    ASSERT_EQ(got.tensors.size(), want.tensors.size());
    for (const auto& [name, tensor] : want.tensors)
      EXPECT_TRUE(same_bits(tensor, get(got.tensors, name))) << name << " " << layout;
  }
}

std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const Kernel& kernel : test_kernels()) all.push_back(kernel.schema->word);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalog, GiantStrides, testing::ValuesIn(words()),
                         [](const auto& name) { return name.param; });

/// A forward pass that does only this to y, in rows of four that lie 2^32 + 8 apart.
KernelRun run_on(const std::function<void(const View& y)>& act) {
  const Case c = parse_case("swish_bias rows=3 cols=4 op=forward layout=giant_rows", schemas());
  Kernel kernel = kernel_of(c);
  kernel.entry.forward = [=](const Call& call) { act(call.views.at("y")); };
  return run(kernel, c);
}

/// y = 1 by a kernel whose offsets are of type Offset.
template <class Offset>
KernelRun ones_by() {
  return run_on([](const View& y) {
    for (std::int64_t row = 0; row < 3; ++row)
      for (std::int64_t col = 0; col < 4; ++col)
        y.as<float>()[static_cast<Offset>(row * y.strides[0] + col)] = 1;
  });
}

TEST(GiantStridesControl, ShortOffsetsWriteBesideTheElements) {
  EXPECT_TRUE(has(ones_by<std::int32_t>(), "y: written at byte 32, between its elements"));
  EXPECT_TRUE(has(ones_by<std::uint32_t>(), "y: written at byte 32, between its elements"));
  EXPECT_TRUE(ones_by<std::int64_t>().findings.empty());
}

TEST(GiantStridesControl, ATouchOfAStrayPageIsFound) {
  const auto stray = [](const View& y) { return y.as<float>() + (std::int64_t{1} << 28); };
  const char* const text = "far from its elements";
  EXPECT_TRUE(has(run_on([=](const View& y) { *stray(y) = 0; }), text));
  EXPECT_TRUE(has(
      run_on([=](const View& y) { y.as<float>()[1] = *static_cast<volatile float*>(stray(y)); }),
      text));
  EXPECT_TRUE(run_on([](const View& y) { y.as<float>()[1] = 0; }).findings.empty());
}

}  // namespace
}  // namespace gradproof
