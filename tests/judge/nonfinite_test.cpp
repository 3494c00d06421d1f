// SPDX-License-Identifier: Apache-2.0
// NaN, infinities, zeros of either sign, subnormals and the largest numbers, one at a time in every
// tensor of every system: docs/nonfinite.md is what these tests hold.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "core/graph/stages.h"
#include "judge/check_case.h"
#include "kernels/kernel.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/oracle.h"
#include "tests/support/nonfinite_reference.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

/// A hard number in one element of one tensor.
struct Planted {
  std::string system, mode, tensor, value;
};

std::vector<std::string> values_for(const std::string& tensor, DType dtype) {
  std::vector<std::string> all{"nan", "inf", "-inf", "-0"};
  const double least = std::ldexp(1.0, min_exponent_of(dtype) - precision_of(dtype) + 1);
  for (const double v : {least, largest_finite(dtype), -largest_finite(dtype)})
    all.push_back(fmt::format("{}", v));
  if (tensor == "running_var") all.insert(all.end(), {"0", "-1", "-1e-05"});  // the last is -eps
  return all;
}

Case case_of(const Planted& p, DType dtype) {
  const Kernel& kernel = kernel_named(p.system);
  Case c = Case(kernel.schema)
               .with("rows", "6")
               .with("cols", "8")
               .with("dtype", std::string(name_of(dtype)))
               .with("dy", "normal");
  if (!p.mode.empty()) c = c.with("mode", p.mode);
  if (p.tensor.empty()) return c;
  const Claim claim = kernel.claim(c);
  const std::size_t rank = claim.tensor(p.tensor).layout.shape.size();
  return c.with("set", fmt::format("{}@{}3:{}", p.tensor, rank == 2 ? "2," : "", p.value));
}

/// Planted numbers for every system, mode, tensor and value.
std::vector<Planted> all_planted(DType dtype) {
  std::vector<Planted> all;
  for (const Kernel& kernel : test_kernels()) {
    const bool modes = kernel.schema->has("mode");
    for (const std::string& mode :
         modes ? std::vector<std::string>{"train", "eval"} : std::vector<std::string>{""}) {
      const Claim claim = kernel.claim(case_of({kernel.schema->word, mode, "", ""}, dtype));
      for (const TensorSpec& spec : claim.tensors)
        if (spec.role != Role::output && spec.role != Role::gradient && spec.dtype != DType::i64)
          for (const std::string& value : values_for(spec.name, dtype))
            all.push_back({kernel.schema->word, mode, spec.name, value});
    }
  }
  return all;
}

/// True if the element may be of any class.
bool is_open(const Answer& answer, std::size_t i) {
  return answer.any_nonfinite[i] != 0 || std::isinf(answer.bound[i]);
}

/// The tensors that have an element of another class than the oracle's, where that is decided, as
/// "y: NaN for finite".
template <class Number>
std::set<std::string> other_classes(const Claim& claim, const Answers& answers, Number&& number) {
  static const char* const kNames[] = {"NaN", "Inf", "-Inf", "finite"};
  std::set<std::string> found;
  for (const auto& [name, answer] : answers) {
    const DType dtype = claim.tensor(name).dtype;
    if (dtype == DType::i64) continue;
    for (std::size_t i = 0; i < answer.hi.size(); ++i) {
      const Class want = class_of(answer.hi[i], dtype);
      const Class got = class_of(number(name, i), dtype);
      if (got != want && !is_open(answer, i))
        found.insert(fmt::format("{}: {} for {}", name, kNames[static_cast<int>(got)],
                                 kNames[static_cast<int>(want)]));
    }
  }
  return found;
}

class NonFinite : public testing::TestWithParam<DType> {};

/// The class of every element is that of the pipeline as it is written, in plain loops.
TEST_P(NonFinite, ClassesAreThoseOfThePipelineAsWritten) {
  std::size_t decided = 0;
  for (const Planted& p : all_planted(GetParam())) {
    const Case c = case_of(p, GetParam());
    const Claim claim = kernel_of(c).claim(c);
    const Tensors inputs = make_inputs(c, claim);
    const Answers answers = evaluate(claim, inputs, std::nullopt);
    const Reference reference = reference_of(claim, inputs);
    const auto number = [&](const std::string& name, std::size_t i) {
      return reference.at(name).at(i);
    };
    EXPECT_EQ(other_classes(claim, answers, number), std::set<std::string>{}) << to_string(c);
    for (const auto& [name, answer] : answers)
      for (std::size_t i = 0; i < answer.hi.size() && !answer.any_nonfinite.empty(); ++i)
        decided += !is_open(answer, i) && !std::isfinite(answer.hi[i]);
  }
  EXPECT_GT(decided, 0u);
}

/// In a column with an infinity rstd is NaN, and so is y: a number or an infinity times NaN leaves
/// nothing open, whatever the mean is. The mean is open where Welford's formula finds it, and so is
/// Inf times a number that float32 may flush to 0.
TEST(NonFiniteColumn, IsNaNAndNotOpen) {
  const auto open = [](const std::string& text, const std::string& tensor) {
    const Case c = read_case(text);
    const Claim claim = kernel_of(c).claim(c);
    const Answers answers = evaluate(claim, make_inputs(c, claim), std::nullopt);
    const Answer& answer = answers.at(tensor);
    std::size_t count = 0;
    for (std::size_t i = 0; i < answer.hi.size(); ++i) count += is_open(answer, i);
    return count;
  };
  EXPECT_EQ(open("batchnorm_bias_divide_swish rows=6 cols=8 set=x@2,3:inf", "y"), 0u);
  EXPECT_EQ(open("groupnorm rows=6 cols=8 groups=2 set=x@2,3:-inf", "y"), 0u);
  const std::string welford = "batchnorm_bias_divide_swish rows=2000 cols=2 set=x@2,1:inf";
  EXPECT_EQ(open(welford, "y"), 0u);
  EXPECT_EQ(open(welford, "mean"), 1u);
  EXPECT_EQ(open("swish_bias rows=2 cols=2 set=x@0,0:-300;dy@0,0:inf", "d_x"), 1u);
}

/// The kernels are never wrong at such numbers, and no witness contradicts another.
TEST_P(NonFinite, KernelsHoldToThem) {
  for (const Planted& p : all_planted(GetParam())) {
    const Case c = case_of(p, GetParam());
    const std::vector<Record> records = check_case(test_systems(), c);
    EXPECT_FALSE(records.empty());
    for (const Record& record : records) {
      const Outcome outcome = record.verdict.outcome;
      EXPECT_TRUE(outcome == Outcome::passed || outcome == Outcome::mistrusted)
          << to_string(c) << ": " << record.tensor << " " << name_of(outcome) << " "
          << record.verdict.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, NonFinite,
                         testing::Values(DType::f32, DType::f64, DType::f16, DType::bf16),
                         [](const auto& one) { return std::string(name_of(one.param)); });

/// LibTorch in float64 has the classes of its own contract: if its form makes another class of an
/// infinity than the pipeline as it is written, the element is open.
TEST(NonFiniteWitness, LibTorchHasTheClassesOfItsContract) {
  std::size_t decided = 0;
  for (const Planted& p : all_planted(DType::f32)) {
    const Case c = case_of(p, DType::f32);
    const Claim claim = as_libtorch_float64(kernel_of(c).claim(c));
    const Tensors inputs = make_inputs(c, kernel_of(c).claim(c));
    const Tensors witness = autograd_witness(claim, inputs);
    const Answers answers = evaluate(claim, inputs, std::nullopt);
    const auto number = [&](const std::string& name, std::size_t i) {
      return static_cast<long double>(get(witness, name).at(static_cast<std::int64_t>(i)));
    };
    EXPECT_EQ(other_classes(claim, answers, number), std::set<std::string>{}) << to_string(c);
    for (const auto& [name, answer] : answers)
      for (std::size_t i = 0; i < answer.hi.size() && !answer.any_nonfinite.empty(); ++i)
        decided += !is_open(answer, i) && !std::isfinite(answer.hi[i]);
  }
  EXPECT_GT(decided, 1000U) << "of infinities and NaN";
}

}  // namespace
}  // namespace gradproof
