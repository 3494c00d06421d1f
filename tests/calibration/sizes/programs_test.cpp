// SPDX-License-Identifier: Apache-2.0
// The programs of `calibrate sizes`: orders of sums, right ones and wrong ones.
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "properties/calibration/sizes/programs/computations.h"
#include "tools/calibrate/undeclared.h"

namespace gradproof::programs {
namespace {

constexpr std::array<DType, 3> kTypes{DType::f32, DType::f16, DType::bf16};

/// Normal numbers, and a length that no number of lanes divides.
std::vector<float> normal_numbers(std::int64_t count) {
  const Case c = computation_named("mean").of(count, DType::f32, 7, "normal");
  std::vector<float> all = numbers_of<float>(get(make_graph_inputs(graph_of(c), c), "x"));
  all.resize(static_cast<std::size_t>(count));
  return all;
}

template <class T>
T sum_of(AdditionOrder order, const std::vector<T>& numbers) {
  return sum_in<T>(
      order, std::ssize(numbers), [&](std::int64_t i) { return numbers[i]; },
      [](T a, T b) { return a + b; });
}

bool same(const Tensors& a, const Tensors& b) {
  for (const auto& [name, tensor] : a)
    if (!same_bits(tensor, get(b, name))) return false;
  return true;
}

Tensors inputs_of(const Case& c) { return make_graph_inputs(graph_of(c), c); }

TEST(AdditionOrders, TakeEveryTermOnceAndAreExactOnIntegers) {
  for (const AdditionOrder order : kAdditionOrders)
    for (const std::int64_t count : {0, 1, 2, 7, 64, 100, 257, 1000, 4096}) {
      std::vector<int> taken(static_cast<std::size_t>(count));
      const double sum = sum_in<double>(
          order, count,
          [&](std::int64_t i) {
            ++taken[i];
            return static_cast<double>(3 * i - 50);
          },
          [](double a, double b) { return a + b; });
      const auto n = static_cast<double>(count);
      EXPECT_EQ(sum, 3 * n * (n - 1) / 2 - 50 * n) << name_of(order) << " " << count;
      EXPECT_EQ(std::set<int>(taken.begin(), taken.end()), (count ? std::set{1} : std::set<int>{}))
          << name_of(order) << " " << count;
    }
}

TEST(AdditionOrders, RoundDifferently) {
  const std::vector<float> numbers = normal_numbers(4100);
  std::set<float> sums;
  for (const AdditionOrder order : kAdditionOrders) sums.insert(sum_of(order, numbers));
  EXPECT_GE(sums.size(), 6U) << "normal numbers have a rounding at every addition";
}

TEST(AdditionOrders, KahanIsAsGoodAsOneRounding) {
  const std::vector<float> numbers = normal_numbers(4100);
  const std::vector<double> wide(numbers.begin(), numbers.end());
  const double exact = sum_of(AdditionOrder::chain, wide);
  const double kahan = sum_of(AdditionOrder::kahan, numbers);
  double sizes = 0;
  for (const double number : wide) sizes += std::abs(number);
  // Higham, "Accuracy and Stability", 4.3: |error| <= (2u + n u^2) sum |x|.
  const double u = unit_roundoff(DType::f32);
  EXPECT_LE(std::abs(kahan - exact), (2 * u + 4100 * u * u) * sizes);
  const double chain = sum_of(AdditionOrder::chain, numbers);
  EXPECT_GT(std::abs(chain - exact), std::abs(kahan - exact)) << "the control";
}

class Programs : public testing::TestWithParam<std::string> {
 protected:
  const Computation& computation() const { return computation_named(GetParam()); }
};

/// The oracle, which shares no code with the programs, judges them.
TEST_P(Programs, ReferenceIsTheTruth) {
  const Case c = computation().of(130, DType::f64, 3, "normal");
  const Tensors inputs = inputs_of(c);
  const Tensors reference = computation().reference(inputs);
  EXPECT_EQ(std::ssize(reference), std::ssize(c.schema().tensors));
  for (const auto& [name, verdict] : judged_undeclared(c, inputs, reference))
    EXPECT_FALSE(is_wrong(verdict.outcome)) << name << " " << verdict.ratio;
}

TEST_P(Programs, RightOnesAreWithinTheBound) {
  for (const DType dtype : kTypes) {
    const Case c = computation().of(130, dtype, 4, "normal");
    const Tensors inputs = inputs_of(c);
    for (const Variant& variant : computation().right())
      for (const auto& [name, verdict] :
           judged_undeclared(c, inputs, computation().computed(variant, dtype, inputs)))
        EXPECT_FALSE(is_wrong(verdict.outcome))
            << gradproof::name_of(dtype) << " " << variant.text() << " " << name << " "
            << verdict.ratio;
  }
}

TEST_P(Programs, WrongOnesDifferFromTheRightOne) {
  for (const DType dtype : kTypes) {
    const Tensors inputs = inputs_of(computation().of(64, dtype, 5, "normal"));
    const Tensors right =
        computation().computed({.order = AdditionOrder::lanes_128}, dtype, inputs);
    for (const Variant& variant : computation().wrong(dtype))
      EXPECT_FALSE(same(right, computation().computed(variant, dtype, inputs)))
          << gradproof::name_of(dtype) << " " << variant.text();
  }
}

/// The control of RightOnesAreWithinTheBound. A short sum hides little.
TEST_P(Programs, MostWrongOnesAreConvictedAtShortSums) {
  const Case c = computation().of(64, DType::f32, 6, "normal");
  const Tensors inputs = inputs_of(c);
  std::int64_t convicted = 0;
  const std::vector<Variant> wrong = computation().wrong(DType::f32);
  for (const Variant& variant : wrong) {
    bool any = false;
    for (const auto& [name, verdict] :
         judged_undeclared(c, inputs, computation().computed(variant, DType::f32, inputs)))
      any = any || is_wrong(verdict.outcome);
    convicted += any;
  }
  EXPECT_GE(3 * convicted, 2 * std::ssize(wrong)) << "of " << wrong.size();
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Computation& c : computations()) all.emplace_back(c.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Programs, testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::erase_if(name, [](char c) { return c == ' ' || c == ','; });
  return name;
});

TEST(WrongPrograms, AreMany) {
  std::size_t count = 0;
  for (const Computation& c : computations())
    for (const DType dtype : kTypes) count += c.wrong(dtype).size();
  EXPECT_GE(computations().size(), 12U);
  EXPECT_GE(count, 150U);
}

TEST(WrongPrograms, AreWrongInWiderTypesThanTheirFault) {
  EXPECT_FALSE(is_wrong_in(Fault::none, DType::f32));
  EXPECT_TRUE(is_wrong_in(Fault::operands_tf32, DType::f32));
  EXPECT_FALSE(is_wrong_in(Fault::operands_tf32, DType::f16)) << "a float16 has as many bits";
  EXPECT_TRUE(is_wrong_in(Fault::operands_bf16, DType::f16));
  EXPECT_FALSE(is_wrong_in(Fault::operands_bf16, DType::bf16));
  EXPECT_TRUE(is_wrong_in(Fault::last_left_out, DType::bf16));
}

TEST(WrongPrograms, UnknownComputationIsRefused) {
  EXPECT_THROW(computation_named("rms"), UsageError);
}

TEST(ArithmeticFaults, RoundOperandsToTheirBits) {
  const auto operand = [](Fault fault, float x) {
    return Arithmetic<float>({.fault = fault}, DType::f32).operand(x);
  };
  const float x = 1 + 0x1p-8F + 0x1p-10F + 0x1p-20F;
  EXPECT_EQ(operand(Fault::none, x), x);
  EXPECT_EQ(operand(Fault::operands_tf32, x), 1 + 0x1p-8F + 0x1p-10F);
  EXPECT_EQ(operand(Fault::operands_half, x), 1 + 0x1p-8F + 0x1p-10F);
  EXPECT_EQ(operand(Fault::operands_bf16, x), 1 + 0x1p-7F);
}

}  // namespace
}  // namespace gradproof::programs
