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

Tensor zeros(const Shape& shape, DType dtype = DType::f32) {
  Tensor t(dtype, shape);
  for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, 0);
  return t;
}

/// A file with this metadata, JSON, and with no tensor or with y, six numbers of float32.
void write_metadata(const std::string& path, const std::string& metadata,
                    const Tensor* y = nullptr) {
  const std::string of_y = R"(,"y":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})";
  const std::string header = R"({"__metadata__":)" + metadata + (y != nullptr ? of_y : "") + "}";
  const std::uint64_t length = header.size();
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(&length), sizeof length);
  stream << header;
  if (y != nullptr) stream.write(reinterpret_cast<const char*>(y->bytes().data()), 24);
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
  EXPECT_TRUE(has(done.out, "execution: SIGSEGV")) << done.out;
  EXPECT_TRUE(has(done.out, "  besides  FAILED execution: y has another shape")) << done.out;
  EXPECT_TRUE(has(last_line_of(done.out), "passed=0 failed=2 mistrusted=0 skipped=0")) << done.out;
}

TEST_F(GivenRun, OtherMetadataExplainsNoMissingTensor) {
  write_safetensors(file("in"), {{"x", numbers({2, 3}, 0)}});
  write_metadata(file("out"), R"({"format":"pt"})");
  const Finished done = judge("y = neg(x)");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "has no tensor")) << done.err;
}

TEST_F(GivenRun, OfGradientsThatNobodyAskedForNothingIsSaid) {
  write_safetensors(file("in"), {{"x", numbers({2, 3}, 0)}});
  Tensor y(DType::f32, {2, 3});
  for (std::int64_t i = 0; i < y.numel(); ++i) y.set(i, -static_cast<double>(i));
  write_metadata(file("out"), R"({"gradients":"not asked for"})", &y);
  const Finished done = judge("y = neg(x)");
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(has(last_line_of(done.out), "passed=1 failed=0 mistrusted=0 skipped=0")) << done.out;
  write_safetensors(file("out"), {{"y", y}});
  EXPECT_TRUE(has(last_line_of(judge("y = neg(x)").out), "skipped=1")) << "the control";
}

TEST_F(GivenRun, ANestedCallWithAxesInAnotherOrderIsJudged) {
  write_safetensors(file("in"), {{"s", numbers({2, 4}, 0)}, {"m", zeros({4})}});
  write_safetensors(file("out"), {{"y", numbers({2, 4}, 1)}});
  const Finished done = judge("y = add(s[b,i], exp(m[i]))");
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  write_safetensors(file("out"), {{"y", numbers({2, 4}, 2)}});
  EXPECT_EQ(judge("y = add(s[b,i], exp(m[i]))").code, 1);
}

TEST_F(GivenRun, TypesMayBeSaidInAnyOrder) {
  const auto check = [&](const std::string& dtypes) {
    return shell(front() + " check '{y = add(multiply(x, a), c)} rows=2 cols=3 dtype=bf16 dtypes=" +
                     dtypes + " inputs=" + file("in") + " outputs=" + file("out") + "'",
                 "given-types");
  };
  const Tensor a = numbers({2, 3}, 2), c = numbers({2, 3}, 1);
  write_safetensors(file("in"), {{"x", zeros({2, 3}, DType::bf16)}, {"a", a}, {"c", c}});
  write_safetensors(file("out"), {{"y", numbers({2, 3}, 1, DType::bf16)}});
  for (const char* dtypes : {"a:f32,c:f32", "c:f32,a:f32"}) {
    const Finished done = check(dtypes);
    EXPECT_EQ(done.code, 0) << dtypes << "\n" << done.out << done.err;
  }
  EXPECT_EQ(check("c:f32").code, 2) << "the control: they are other types";
}

/// LibTorch has no operator that divides by N; its composition is the second opinion.
TEST_F(GivenRun, ARunningVarianceOverNIsJudged) {
  Tensor x(DType::f32, {4, 2});  // variances over N: 1.25 and 5
  for (std::int64_t i = 0; i < x.numel(); ++i) x.set(i, static_cast<double>(i / 2 * (1 + i % 2)));
  const auto moved = [](double to_n) {
    Tensor v(DType::f32, {2});
    for (std::int64_t c = 0; c < 2; ++c) v.set(c, 0.9 + 0.1 * (c == 0 ? 1.25 : 5.0) * to_n);
    return v;
  };
  Tensor one(DType::f32, {2});
  for (std::int64_t c = 0; c < 2; ++c) one.set(c, 1);
  write_safetensors(file("in"), {{"x", x}, {"var", one}});
  write_safetensors(file("out"), {{"v", moved(1)}});
  const std::string line = "v = running_var(x[n,c], var, correction=0)";
  const Finished done = judge(line);
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  write_safetensors(file("out"), {{"v", moved(4.0 / 3)}});
  EXPECT_EQ(judge(line).code, 1) << "the control: that over N - 1";
}

TEST_F(GivenRun, OneNumberThatIsWrongIsTheOneThatIsExplained) {
  write_safetensors(file("in"), {{"x", numbers({2, 3}, 1)}});
  Tensor loss(DType::f32, Shape{});
  loss.set(0, 4);  // where 3.5 is right
  write_safetensors(file("out"), {{"l", loss}, {"y", numbers({2, 3}, 1)}});
  const Finished done = judge("y = relu(x); l = mean(x, rows, cols)");
  EXPECT_EQ(done.code, 1) << done.out << done.err;
  const Finished explained = shell(command_in(done.out, "explain"), "given-number");
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_TRUE(has(explained.out, "l[]\n  verdict     l Failed")) << explained.out;
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
  EXPECT_TRUE(has(wrong.out, "FAILED  mine y: 1 of 6 elements")) << wrong.out;
  EXPECT_TRUE(has(wrong.out, "\n  weaker witness\n")) << wrong.out;
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
  EXPECT_TRUE(has(in_one_line(done.out), "FAILED mine z: not in ")) << done.out;
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
