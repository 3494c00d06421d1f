// SPDX-License-Identifier: Apache-2.0
// One kernel runs on both back-ends. Without a device its half is skipped, and says so.
#include "simt/device.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "simt/launch.h"
#include "tests/simt/simt_sample.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

constexpr int kSize = 1000;

std::vector<float> sums_on(Backend backend, ExpSums exp_sums) {
  std::vector<float> input = counting(kSize);
  for (float& value : input) value /= kSize;
  Buffer<float> x(backend, input.size(), "x");
  Buffer<float> sums(backend, 4, "sums");
  x.upload(input);
  exp_sums(x.data(), sums.data(), kSize);
  synchronize(backend);
  EXPECT_TRUE(sums.memory().guards_intact()) << sums.memory().guard_damage();
  return sums.download();
}

/// gamma_n of Higham, Accuracy and Stability of Numerical Algorithms, (3.1), doubled because two
/// results are compared: at most 14 additions in a chain, and an exp of at most 2 ulp.
double relative_bound() {
  const double u = std::numeric_limits<float>::epsilon() / 2;
  const double n = 14 + 2 * 2;
  return 2 * n * u / (1 - n * u);
}

void expect_right_sums(const std::vector<float>& sums) {
  double want = 0;
  for (int i = 0; i < kSize; ++i)
    want += std::exp(-static_cast<double>(static_cast<float>(i) / kSize));
  for (const float sum : sums) EXPECT_NEAR(sum, want, relative_bound() * want);
}

TEST(SimtDevice, TheExecutorRunsTheSample) {
  expect_right_sums(sums_on(Backend::cpu, host::exp_sums));
  Buffer<float> x = cpu_buffer(counting(kSize), "x");
  EXPECT_THROW(host::too_many_threads(x.data(), x.data(), kSize), ExecutionError);
}

#if defined(GRADPROOF_WITH_CUDA)

class SimtCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device_info()) GTEST_SKIP() << "no CUDA device here";
  }
};

TEST_F(SimtCuda, TheDeviceRunsTheSample) {
  expect_right_sums(sums_on(Backend::cuda, device::exp_sums));
}

TEST_F(SimtCuda, ARefusedLaunchNamesItsConfigurationAndLeavesTheDeviceUsable) {
  try {
    device::too_many_threads(nullptr, nullptr, kSize);
    FAIL() << "2048 threads were accepted";
  } catch (const LaunchError& error) {
    EXPECT_NE(std::string(error.what()).find("2048x1x1"), std::string::npos) << error.what();
  }
  expect_right_sums(sums_on(Backend::cuda, device::exp_sums));
}

TEST_F(SimtCuda, MemoryIsPoisonedAndGuarded) {
  Buffer<float> x(Backend::cuda, kSize, "x");
  Buffer<float> three(Backend::cuda, 3, "three");
  for (const float value : three.download()) EXPECT_TRUE(std::isnan(value));
  x.upload(counting(kSize));
  device::exp_sums(x.data(), three.data(), kSize);  // which writes four
  synchronize(Backend::cuda);
  EXPECT_EQ(three.memory().guard_damage(), "three: written past its end, at byte 0 beyond it");
}

TEST_F(SimtCuda, TimesAreMeasured) {
  EXPECT_GT(copy_rate(std::size_t{1} << 24, 3), 0.0);
  EXPECT_FALSE(device_info()->arch.empty());
}

#endif

}  // namespace
}  // namespace simt::testing
