// SPDX-License-Identifier: Apache-2.0
// Every system through the one engine: streamed and whole, sampled, shared, with parts left out.
#include <gtest/gtest.h>

#include "oracles/oracle.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

/// Whole tensors of numbers that a kernel might have computed: the truth, some of it moved.
Tensors about_right(const Claim& claim, const Answers& answers, std::uint64_t seed) {
  Tensors got;
  const Stream stream(seed, "moved");
  for (const auto& [name, answer] : answers) {
    const TensorSpec& spec = claim.tensor(name);
    Tensor tensor(spec.dtype, spec.layout);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double bound = std::isfinite(answer.bound[k]) ? answer.bound[k] : 0;
      tensor.set(i, answer.hi[k] + 0.9 * bound * stream.normal(k));
    }
    got.emplace(name, std::move(tensor));
  }
  return got;
}

void expect_same(const Discrepancy& a, const Discrepancy& b) {
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.bad, b.bad);
  EXPECT_EQ(a.undecided, b.undecided);
  EXPECT_EQ(a.vacuous, b.vacuous);
  EXPECT_EQ(a.wrong_class, b.wrong_class);
  EXPECT_EQ(a.max_ratio, b.max_ratio);
  EXPECT_EQ(a.p99_ratio, b.p99_ratio);
  EXPECT_EQ(a.rms_ratio, b.rms_ratio);
  EXPECT_EQ(a.max_ulp, b.max_ulp);
  EXPECT_EQ(a.worst.index, b.worst.index);
  EXPECT_EQ(a.pattern, b.pattern);
  EXPECT_EQ(a.histogram, b.histogram);
}

class Streamed : public testing::TestWithParam<std::string> {};

TEST_P(Streamed, IsWhatWholeTensorsSay) {
  for (const DType storage : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    ClaimOptions options{.system = GetParam(), .rows = 70, .cols = 36, .groups = 3, .closed = true};
    options.contract.storage = storage;
    if (storage == DType::f64) options.contract.accumulation = options.contract.scalar = storage;
    const Claim claim = make_claim(options);
    Tensors inputs = make_inputs(claim, 6);
    inputs.at("x").set(37, std::nan(""));
    const Answers answers = evaluate(claim, inputs, std::nullopt);
    const Tensors got = about_right(claim, answers, 3);
    const auto judged = compare_with_truth(claim, inputs, std::nullopt, got);
    ASSERT_EQ(judged.size(), answers.size());
    std::int64_t bad = 0;
    for (const auto& [name, tensor] : judged) {
      SCOPED_TRACE(name);
      expect_same(tensor.discrepancy, compare(get(got, name), answers.at(name)));
      EXPECT_EQ(tensor.why, answers.at(name).why);
      bad += tensor.discrepancy.bad;
    }
    EXPECT_GT(bad, 0);
  }
}

TEST(GivenStatistics, AreNotLookedAtWithoutANorm) {
  const Claim claim = make_claim({.system = "swish_bias", .rows = 5, .cols = 6});
  const Tensors inputs = make_inputs(claim, 6);
  const Answers given = evaluate(claim, inputs, GivenStatistics{});
  EXPECT_EQ(given.at("d_x").hi, evaluate(claim, inputs, std::nullopt).at("d_x").hi);
}

TEST_P(Streamed, AnyLayoutIsRead) {
  ClaimOptions options{.system = GetParam(), .rows = 10, .cols = 12, .groups = 3, .closed = true};
  const Claim claim = make_claim(options);
  const Tensors inputs = make_inputs(claim, 6);
  Tensors strided = inputs;
  for (const char* name : {"x", "dy"}) {
    const Layout transposed{{10, 12}, {1, 11}, 5, 5 + 11 * 12};
    Tensor tensor(DType::f32, transposed);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, get(inputs, name).at(i));
    strided.insert_or_assign(name, tensor);
  }
  const Answers a = evaluate(claim, inputs, std::nullopt);
  const Answers b = evaluate(claim, strided, std::nullopt);
  for (const auto& [name, answer] : a) {
    EXPECT_EQ(answer.hi, b.at(name).hi) << name;
    EXPECT_EQ(answer.bound, b.at(name).bound) << name;
  }
}

TEST_P(Streamed, AGradientThatIsNotWantedIsNotJudged) {
  Claim claim =
      make_claim({.system = GetParam(), .rows = 5, .cols = 6, .groups = 2, .closed = true});
  const Tensors inputs = make_inputs(claim, 6);
  const Answers all = evaluate(claim, inputs, std::nullopt);
  const auto without = [&](const auto& unwanted) {
    Claim fewer = claim;
    std::erase_if(fewer.tensors, [&](const TensorSpec& spec) {
      return spec.role == Role::gradient && unwanted(spec);
    });
    return evaluate(fewer, inputs, std::nullopt);
  };
  const Answers parameters = without([](const TensorSpec& spec) { return spec.name == "d_x"; });
  const Answers input = without([](const TensorSpec& spec) { return spec.name != "d_x"; });
  EXPECT_FALSE(parameters.contains("d_x"));
  EXPECT_EQ(parameters.size() + 1, all.size());
  EXPECT_EQ(input.at("d_x").hi, all.at("d_x").hi);
  for (const auto& [name, answer] : parameters) EXPECT_EQ(answer.hi, all.at(name).hi) << name;
}

TEST_P(Streamed, ASampleAgreesWithTheWhole) {
  const Claim claim = make_claim(
      {.system = GetParam(), .rows = 9, .cols = 20, .groups = 5, .vector = VectorShape::row});
  const Tensors inputs = make_inputs(claim, 6);
  const std::vector<std::int64_t> blocks{3, 1};
  const Sample sample = sample_of(claim, inputs, blocks);
  const Answers whole = evaluate(claim, inputs, std::nullopt);
  const Answers part = evaluate(sample.claim, sample.inputs, std::nullopt);
  ASSERT_EQ(part.size(), whole.size());
  const std::int64_t width = claim.block_width();
  for (const auto& [name, answer] : part) {
    const Shape& shape = claim.tensor(name).layout.shape;
    if (name == "num_batches_tracked") continue;
    const bool by_group = shape.back() == claim.groups();
    const std::int64_t kept = by_group ? 2 : 2 * width;
    for (std::int64_t i = 0; i < answer.size(); ++i) {
      const std::int64_t column = i % kept;
      const std::int64_t from =
          by_group ? blocks[static_cast<std::size_t>(column)]
                   : blocks[static_cast<std::size_t>(column / width)] * width + column % width;
      const auto there = static_cast<std::size_t>(i / kept * shape.back() + from);
      EXPECT_EQ(answer.hi[static_cast<std::size_t>(i)], whole.at(name).hi[there]) << name;
      // The error arithmetic's own roundings depend on the order of a sum's blocks.
      const double bound = whole.at(name).bound[there];
      EXPECT_NEAR(answer.bound[static_cast<std::size_t>(i)], bound, 0x1p-40 * bound) << name;
    }
  }
}

TEST_P(Streamed, NoRowsHaveNoGradient) {
  const Claim claim =
      make_claim({.system = GetParam(), .rows = 0, .cols = 6, .groups = 2, .closed = true});
  const Answers answers = evaluate(claim, make_inputs(claim, 6), std::nullopt);
  for (const auto& [name, answer] : answers) {
    if (name.rfind("d_", 0) != 0) continue;
    for (std::size_t i = 0; i < answer.hi.size(); ++i) {
      EXPECT_EQ(answer.hi[i], 0) << name;
      EXPECT_EQ(answer.bound[i], 0) << name;
    }
  }
}

TEST_P(Streamed, VectorsOfOneNumberCollectAllColumns) {
  ClaimOptions options{.system = GetParam(), .rows = 9, .cols = 12, .groups = 3};
  options.vector = VectorShape::one;
  const Claim shared = make_claim(options);
  options.vector = VectorShape::cols;
  const Claim apart = make_claim(options);
  const Tensors one = make_inputs(shared, 9);
  Tensors many = one;
  for (const char* name : {"bias", "scale", "multiply"}) {
    if (!one.contains(name)) continue;
    Tensor columns(DType::f32, {12});
    for (std::int64_t i = 0; i < 12; ++i) columns.set(i, get(one, name).at(0));
    many.insert_or_assign(name, columns);
  }
  const Answers a = evaluate(shared, one, std::nullopt);
  const Answers b = evaluate(apart, many, std::nullopt);
  EXPECT_EQ(a.at("y").hi, b.at("y").hi);
  for (const char* name : {"d_bias", "d_scale", "d_multiply"}) {
    if (!a.contains(name)) continue;
    double sum = 0;
    for (const double part : b.at(name).hi) sum += part;
    EXPECT_NEAR(a.at(name).hi[0], sum, 1e-13 * (1 + std::abs(sum)));
    EXPECT_GT(a.at(name).bound[0], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Streamed, testing::ValuesIn(system_names()),
                         [](const auto& system) { return system.param; });

}  // namespace
}  // namespace gradproof::oracle_tests
