// SPDX-License-Identifier: Apache-2.0
// Files that say what became of the run that wrote them, and truths that stand in a file: with the
// real worker.
#include <cstdint>
#include <fstream>

#include <gtest/gtest.h>

#include "tensor_files/safetensors.h"
#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

Tensor numbers(const Shape& shape, double first, DType dtype = DType::f32) {
  Tensor t(dtype, shape);
  for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, first + static_cast<double>(i));
  return t;
}

/// A file without a tensor whose metadata is this JSON.
void write_metadata(const std::string& path, const std::string& metadata) {
  const std::string header = R"({"__metadata__":)" + metadata + "}";
  const std::uint64_t length = header.size();
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(&length), sizeof length);
  stream << header;
}

class GivenRun : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  Finished judge(const std::string& line) const {
    return shell(front() + " judge --pipeline '" + line + "' --inputs " + file("in") +
                     " --outputs " + file("out"),
                 "given-run");
  }

  Finished witnessed(const std::string& verb = "check") const {
    return shell(front() + " " + verb + " 'witnessed outputs=" + file("out") +
                     " truth=" + file("truth") + " name=mine'",
                 "witnessed");
  }

  std::string folder_ = scratch_directory(
      std::string("given-run-") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(GivenRun, ARunThatCrashedIsOneRecordOfItsExecution) {
  write_safetensors(file("in"), {{"x", numbers({2, 3}, 0)}});
  write_metadata(file("out"), R"({"Crashed":"SIGSEGV","Failed":"y has another shape"})");
  const Finished done = judge("y = neg(x)");
  EXPECT_EQ(done.code, 1) << done.out << done.err;
  EXPECT_TRUE(has(done.out, "execution  SIGSEGV")) << done.out;
  EXPECT_TRUE(has(done.out, "execution  y has another shape")) << done.out;
  EXPECT_TRUE(has(last_line_of(done.out), "passed=0 failed=2 mistrusted=0 skipped=0")) << done.out;
}

TEST_F(GivenRun, OtherMetadataExplainsNoMissingTensor) {
  write_safetensors(file("in"), {{"x", numbers({2, 3}, 0)}});
  write_metadata(file("out"), R"({"format":"pt"})");
  const Finished done = judge("y = neg(x)");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "has no tensor")) << done.err;
}

TEST_F(GivenRun, AxesOfLengthOneThatTheLineHasNotAreLeftOut) {
  write_safetensors(file("in"), {{"x", numbers({1, 2, 3}, 1)}, {"b", numbers({3, 1}, 1)}});
  Tensor sum(DType::f32, {2, 1, 3});
  for (std::int64_t i = 0; i < sum.numel(); ++i) sum.set(i, static_cast<double>(i + 1 + i % 3 + 1));
  write_safetensors(file("out"), {{"y", sum}});
  const Finished done = judge("y = add(x[rows,cols], b[cols])");
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  sum.set(4, 0);
  write_safetensors(file("out"), {{"y", sum}});
  EXPECT_EQ(judge("y = add(x[rows,cols], b[cols])").code, 1);
}

TEST_F(GivenRun, AWitnessedResultIsJudgedByTheFilesBound) {
  write_safetensors(file("truth"), {{"y", numbers({2, 3}, 1, DType::f64)},
                                    {"y.bound", numbers({2, 3}, 0, DType::f64)}});
  Tensor y = numbers({2, 3}, 1);
  y.set(5, 6 + 5.5);
  write_safetensors(file("out"), {{"y", y}});
  const Finished wrong = witnessed();
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_TRUE(has(wrong.out, "FAILED  mine y  1 of 6 elements")) << wrong.out;
  EXPECT_TRUE(has(wrong.out, "why: weaker witness")) << wrong.out;
  y.set(5, 6 + 4.5);
  write_safetensors(file("out"), {{"y", y}});
  const Finished right = witnessed();
  EXPECT_EQ(right.code, 4) << right.out;  // a bound as large as the truth proves little
  EXPECT_TRUE(has(last_line_of(right.out), "failed=0 mistrusted=1")) << right.out;
}

TEST_F(GivenRun, AResultThatTheFileLacksIsWrong) {
  const Tensors both = {{"y", numbers({2}, 1, DType::f64)},
                        {"y.bound", numbers({2}, 1, DType::f64)},
                        {"z", numbers({2}, 1, DType::f64)},
                        {"z.bound", numbers({2}, 1, DType::f64)}};
  write_safetensors(file("truth"), both);
  write_safetensors(file("out"), {{"y", numbers({2}, 1)}});
  const Finished done = witnessed();
  EXPECT_EQ(done.code, 1) << done.out << done.err;
  EXPECT_TRUE(has(done.out, "FAILED  mine z  not in ")) << done.out;
  write_safetensors(file("out"), {{"y", numbers({2}, 1)}, {"z", numbers({2}, 1)}});
  EXPECT_TRUE(has(witnessed().out, "failed=0")) << "a control";
}

TEST_F(GivenRun, WhatIsWitnessedHasNothingToExplainOrAudit) {
  write_safetensors(file("truth"),
                    {{"y", numbers({2}, 1, DType::f64)}, {"y.bound", numbers({2}, 1, DType::f64)}});
  write_safetensors(file("out"), {{"y", numbers({2}, 1)}});
  for (const char* verb : {"explain", "audit"}) {
    const Finished done = witnessed(verb);
    EXPECT_EQ(done.code, 2) << verb << done.out;
    EXPECT_TRUE(has(done.err, "witnessed")) << done.err;
  }
}

TEST_F(GivenRun, ATruthWithoutABoundIsRefused) {
  write_safetensors(file("truth"), {{"y", numbers({2}, 1, DType::f64)}});
  write_safetensors(file("out"), {{"y", numbers({2}, 1)}});
  const Finished done = witnessed();
  EXPECT_EQ(done.code, 2) << done.out;
  EXPECT_TRUE(has(done.err, "has no y.bound")) << done.err;
}

}  // namespace
}  // namespace gradproof
