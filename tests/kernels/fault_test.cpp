// SPDX-License-Identifier: Apache-2.0
// A kernel that reads past a tensor is reported with the tensor's name and the index, and the
// harness goes on.
#include <string>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "kernels/kernel.h"
#include "simt/simt.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

__global__ void copy_element(const float* from, std::int64_t index, float* to) {
  *to = from[index];
}

/// The findings in a forward pass that does only this: it reads the element of the named tensor at
/// so many elements from its first one, and writes it to y.
std::vector<simt::Finding> findings_of(const std::string& keys, const std::string& tensor,
                                       std::int64_t index) {
  const Case c = parse_case("swish_bias rows=33 cols=9 op=forward " + keys, schemas());
  Kernel kernel = kernel_of(c);
  kernel.entry.forward = [=](const Call& call) {
    simt::launch(copy_element, {.stream = call.stream},
                 const_cast<const float*>(call.views.at(tensor).as<float>()), index,
                 call.views.at("y").as<float>());
  };
  const Claim claim = kernel.claim(c);
  return run_kernel(kernel, c, claim, make_inputs(c, claim), execution_of(c)).findings;
}

void expect_read(const std::string& keys, const std::string& tensor, std::int64_t index,
                 const std::string& text) {
  const std::vector<simt::Finding> findings = findings_of(keys, tensor, index);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "out-of-bounds");
  EXPECT_EQ(findings[0].text, "thread 0 reads " + text + " [block (0,0,0)]");
}

TEST(KernelFault, AReadPastAParameterSaysItsIndex) {
  EXPECT_TRUE(findings_of("", "bias", 8).empty());
  expect_read("", "bias", 130, "bias[130], 484 bytes past the end of bias[9]");
  expect_read("", "bias", -2000, "bias[-2000], 8000 bytes before bias[9]");
}

TEST(KernelFault, AReadPastAMatrixSaysRowAndColumnByItsStrides) {
  EXPECT_TRUE(findings_of("", "x", 33 * 9 - 1).empty());
  expect_read("", "x", 100 * 9 + 4, "x[100,4], 2428 bytes past the end of x[33,9]");
  expect_read("layout=transposed", "x", 100 * 33 + 4,
              "x[4,100], 12028 bytes past the end of x[33,9]");
}

}  // namespace
}  // namespace gradproof
