// SPDX-License-Identifier: Apache-2.0
// The epilogue's results are judged from the network's input: an error of the Linear is seen in y.
#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "judge/model_pairs/linear_end_to_end.h"
#include "judge/model_pairs/linear_step.h"
#include "judge/model_pairs/linear_system.h"
#include "judge/model_pairs/pairs.h"
#include "judge/records.h"

namespace gradproof {
namespace {

constexpr std::int64_t kAt = 77;

Case read(const std::string& text) { return parse_case(text, linear_schemas()); }

/// gamma_n (|A||B| + |b|) of one element of z, n = in + 1: what a float32 product is permitted.
double permitted(const Case& c, const LinearTensors& t, std::int64_t index) {
  const std::int64_t in = c.integer("in"), cols = c.integer("cols");
  double size = std::abs(t.bias->at(index % cols));
  for (std::int64_t k = 0; k < in; ++k)
    size += std::abs(t.input->at(index / cols * in + k) * t.weight->at(index % cols * in + k));
  const double nu = static_cast<double>(in + 1) * 0x1p-24;
  return nu / (1 - nu) * size;
}

/// Runs the Case with one element of z off by so many of these; the epilogue itself is right.
LinearRun off_by(const Case& c, double bounds) {
  const LinearRun clean = run_linear(c);
  const double size = bounds * permitted(c, clean.linear_tensors(), kAt);
  return run_linear(c, [size](const at::Tensor& z) {
    at::Tensor fault = at::zeros_like(z);
    fault.mutable_data_ptr<float>()[kAt] = static_cast<float>(size);
    return z + fault;
  });
}

const Record* find(const EndToEnd& found, const std::string& tensor) {
  for (const Record& r : found.records)
    if (r.tensor == tensor + " end to end") return &r;
  return nullptr;
}

/// The verdicts that are no pass, and the tensors that are silent, with their reasons.
std::string trouble(const EndToEnd& found) {
  std::string text;
  for (const Record& r : found.records)
    if (r.verdict.outcome != Outcome::passed) text += r.tensor + ": " + r.verdict.reason + "; ";
  for (const auto& [name, reason] : found.silent) text += name + " silent: " + reason + "; ";
  return text;
}

TEST(EndToEnd, APairAsItIsPasses) {
  for (const LinearPair& pair : linear_pairs())
    for (const char* keys : {"", " rows=65 in=129 cols=24", " weights=integers fill=integers",
                             " offset=10", " op=forward", " op=backward", " affine=no"}) {
      // Without eps the BatchNorm takes the scale out again: its gradient says nothing.
      const bool scaled = pair.kernel == "scale_batchnorm";
      const Case c = read(pair.word + (scaled ? " eps=1" : "") + keys);
      const EndToEnd found = end_to_end(c, run_linear(c), blank_record(c));
      EXPECT_EQ(trouble(found), "") << pair.word << keys;
      EXPECT_EQ(find(found, "y") != nullptr, !c.is("op", "backward")) << pair.word << keys;
      EXPECT_EQ(find(found, "d_z") != nullptr, !c.is("op", "forward")) << pair.word << keys;
    }
}

/// z has whole numbers and no tolerance, so y has the epilogue's alone.
TEST(EndToEnd, AFaultOfTheProductIsSeenInY) {
  for (const LinearPair& pair : linear_pairs()) {
    const Case c = read(pair.word + " rows=65 in=129 cols=24 weights=integers fill=integers");
    const EndToEnd found = end_to_end(c, off_by(c, 3), blank_record(c));
    const Record* y = find(found, "y");
    ASSERT_NE(y, nullptr) << pair.word;
    EXPECT_EQ(y->verdict.outcome, Outcome::failed) << pair.word;
    EXPECT_EQ(y->discrepancy().worst.index, kAt) << pair.word;
  }
}

/// With the running statistics an error of z stays in its element: three bounds are seen, half of
/// one is permitted.
TEST(EndToEnd, RealNumbersHaveTheProductsTolerance) {
  for (const char* word : {"linear_scale_batchnorm", "linear_batchnorm_bias_divide_swish"}) {
    const Case c = read(std::string(word) + " mode=eval op=forward rows=65 in=129 cols=24");
    const EndToEnd within = end_to_end(c, off_by(c, 0.5), blank_record(c));
    EXPECT_EQ(trouble(within), "") << word;
    const EndToEnd over = end_to_end(c, off_by(c, 3), blank_record(c));
    const Record* y = find(over, "y");
    ASSERT_NE(y, nullptr) << word;
    EXPECT_EQ(y->discrepancy().bad, 1) << word;
    EXPECT_EQ(y->discrepancy().worst.index, kAt) << word;
  }
}

/// If z may be anything, no tensor is judged, and the reason is given.
TEST(EndToEnd, SaysWhyItIsSilent) {
  const Case c = read("linear_scale_batchnorm fill=scaled:0x1p126 weights=integers offset=0.1");
  const EndToEnd found = end_to_end(c, run_linear(c), blank_record(c));
  EXPECT_TRUE(found.records.empty());
  ASSERT_TRUE(found.silent.contains("y"));
  EXPECT_NE(found.silent.at("y").find("vacuous"), std::string::npos);
}

/// Three blocks of a large claim are judged, and no tensor that needs all of them.
TEST(EndToEnd, OfALargeCaseSomeColumns) {
  const Case c = read("linear_batchnorm_bias_divide_swish rows=4096 in=3 cols=300 bias=one");
  const EndToEnd found = end_to_end(c, run_linear(c), blank_record(c));
  EXPECT_EQ(trouble(found), "");
  const Record* y = find(found, "y");
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(y->shape, (Shape{4096, 300}));
  EXPECT_LT(y->discrepancy().elements, 4096 * 300);
  EXPECT_EQ(y->discrepancy().elements % 4096, 0);
  EXPECT_NE(y->witness.find("of 300 columns"), std::string::npos) << y->witness;
  EXPECT_EQ(find(found, "d_bias"), nullptr);
  EXPECT_NE(find(found, "d_bn.weight"), nullptr);

  LinearRun wrong = run_linear(c);  // the last column is always among them
  wrong.run.tensors.at("y").set(7 * 300 + 299, 1e6);
  const EndToEnd seen = end_to_end(c, wrong, blank_record(c));
  EXPECT_EQ(find(seen, "y")->discrepancy().bad, 1);
  EXPECT_EQ(find(seen, "y")->discrepancy().worst.index, 7 * 300 + 299);
}

}  // namespace
}  // namespace gradproof
