// SPDX-License-Identifier: Apache-2.0
// LibTorch's module (oracles/libtorch/load.h) is loaded by the first question and by no worker
// without one; a module that is missing, broken, of another build or wrong is named.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "oracles/libtorch/autograd.h"
#include "oracles/libtorch/load.h"
#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

namespace fs = std::filesystem;

const std::string kPasses = "'bias_divide_swish rows=33 cols=127'";
const std::string kWrong = "'bias_divide_swish rows=4 cols=8 mutant=cotangent_twice' --no-shrink";
const std::string kOfLibTorch = "'{y = tanh(x)} rows=4 cols=8'";

/// `check ARGUMENTS`, with this folder as the first in which the worker looks for the module.
Finished check(const std::string& arguments, const std::string& folder) {
  return shell("LD_LIBRARY_PATH=" + folder + " " + front() + " check " + arguments, "check");
}

/// A folder with a file in the module's place.
std::string folder_with(const std::string& text) {
  const std::string folder = scratch_directory("module");
  std::ofstream(folder + "/libgradproof_libtorch.so") << text;
  return folder;
}

std::string file_of_one_case() {
  std::string file = scratch_directory("file") + "/one.cases";
  std::ofstream(file) << "bias_divide_swish rows=33 cols=127\n";
  return file;
}

bool is_mapped(const std::string& library) { return has(text_of("/proc/self/maps"), library); }

/// True if a process of the run loaded the library, by the loader's own log.
bool was_loaded(const std::string& library, const std::string& arguments) {
  const std::string folder = scratch_directory("loader");
  const Finished done =
      shell("LD_DEBUG=files LD_DEBUG_OUTPUT=" + folder + "/log " + front() + " check " + arguments,
            "loader-run");
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  for (const auto& file : fs::directory_iterator(folder))
    if (has(text_of(file.path()), library)) return true;
  return false;
}

TEST(LibTorchModule, IsLoadedOnceWhenSeveralThreadsAskAtOnce) {
  EXPECT_FALSE(is_mapped("libtorch_cpu.so"));
  EXPECT_NE(libtorch_module_file(), "");
  EXPECT_FALSE(is_mapped("libtorch_cpu.so")) << "a look at the file is no question";
  std::atomic<bool> begin = false;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&] {
      while (!begin) std::this_thread::yield();
      if (has_libtorch() && libtorch_version() != "none") ++right;
    });
  begin = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_TRUE(is_mapped("libtorch_cpu.so"));
}

TEST(LibTorchModule, IsLoadedByNoWorkerThatIsNotAsked) {
  EXPECT_FALSE(was_loaded("libtorch_cpu.so", kPasses));
  EXPECT_TRUE(was_loaded("libtorch_cpu.so", kPasses + " --verbose")) << "the control";
}

TEST(LibTorchModule, MissesInAWorkerThatLiesAlone) {
  const std::string folder = scratch_directory("alone");
  fs::copy(GRADPROOF_BIN_DIR "/gradproof-worker", folder + "/gradproof-worker");
  const std::string worker = " --worker " + folder + "/gradproof-worker";
  const Finished kernel = check("--cases " + file_of_one_case() + " --json" + worker, "");
  EXPECT_EQ(kernel.code, 0) << kernel.err;
  EXPECT_TRUE(has(kernel.out, R"("witness":"double-double")")) << kernel.out;
  const Finished of_libtorch = check(kOfLibTorch + worker, "");
  EXPECT_TRUE(has(of_libtorch.out, kNoLibTorch)) << of_libtorch.out;
  EXPECT_TRUE(has(of_libtorch.out, " skipped=1 ")) << of_libtorch.out;
  EXPECT_EQ(of_libtorch.code, 4);
}

TEST(LibTorchModule, ThatDoesNotLoadBreaksTheInstrument) {
  const std::string folder = folder_with("this is no library\n");
  for (const std::string& arguments : {kPasses + " --verbose", kOfLibTorch}) {
    const Finished done = check(arguments, folder);
    EXPECT_EQ(done.code, 3) << done.out;
    EXPECT_TRUE(has(in_one_line(done.out), "LibTorch's witness does not load: " + folder))
        << done.out;
  }
  EXPECT_EQ(check(kPasses, folder).code, 0) << "a pass asks nothing";
}

TEST(LibTorchModule, OfAnotherBuildIsRefused) {
  const Finished done = check(kPasses + " --verbose", GRADPROOF_OTHER_MODULE);
  EXPECT_EQ(done.code, 3) << done.out;
  EXPECT_TRUE(has(done.out, "is of another build of gradproof (0.0.0, of a test)")) << done.out;
}

// The witness is wrong: whoever asks it is told that the instrument is broken, of a kernel that is
// right and of one that is wrong.
TEST(LibTorchModule, ThatIsWrongBreaksTheInstrument) {
  for (const std::string& arguments :
       {kPasses + " --verbose", "--cases " + file_of_one_case(), kWrong}) {
    const Finished done = check(arguments, GRADPROOF_WRONG_MODULE);
    EXPECT_EQ(done.code, 3) << arguments << done.out << done.err;
    EXPECT_TRUE(has(done.out, "InstrumentBroken")) << done.out;
  }
  EXPECT_EQ(check(kPasses, GRADPROOF_WRONG_MODULE).code, 0) << "nobody asks it";
}

// If a tensor is wrong, LibTorch says whether the oracle is right.
TEST(LibTorchModule, IsAskedAboutWhatIsWrong) {
  const std::string passes = check(kPasses + " --json", "").out;
  EXPECT_TRUE(has(passes, R"("witness":"double-double")")) << passes;
  const std::string wrong = check(kWrong + " --json", "").out;
  EXPECT_TRUE(has(wrong, R"("verdict":"Failed")")) << wrong;
  EXPECT_FALSE(has(wrong, R"("witness":"double-double")")) << wrong;
  EXPECT_TRUE(has(wrong, R"("witness":"double-double, LibTorch float64")")) << wrong;
}

TEST(LibTorchModule, IsAskedAboutASuiteAboutAFileOfCasesAndAboutManyCases) {
  std::string nine;
  for (int k = 1; k <= 9; ++k) nine += "'swish_bias rows=" + std::to_string(k) + " cols=8' ";
  for (const std::string& arguments :
       {std::string("--suite language"), "--cases " + file_of_one_case(), nine}) {
    const std::string lines = check(arguments + " --json", "").out;
    EXPECT_TRUE(has(lines, "LibTorch float64")) << lines;
    EXPECT_FALSE(has(lines, R"("witness":"double-double")")) << lines;
  }
}

}  // namespace
}  // namespace gradproof
