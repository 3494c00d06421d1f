// SPDX-License-Identifier: Apache-2.0
#include "oracles/functions/function_target.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/tensor/philox.h"

namespace gradproof {
namespace {

constexpr int kLeastWidth = -900;
constexpr int kUsualRange = 20;

std::string text_of(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

void check_input(const FunctionInput& input) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("input '{}': {}", input.name, why));
  };
  if (std::ranges::any_of(input.shape, [](auto extent) { return extent < 0; }))
    refuse(fmt::format("shape {} has a negative extent", text_of(input.shape)));
  if (numel(input.shape) != std::ssize(input.numbers))
    refuse(fmt::format("shape {} takes {} numbers, {} were given", text_of(input.shape),
                       numel(input.shape), input.numbers.size()));
  for (std::size_t i = 0; i < input.numbers.size(); ++i)
    if (!std::isfinite(input.numbers[i]))
      refuse(fmt::format("{} is {}, and only finite numbers can be audited",
                         index_text(input.shape, static_cast<std::int64_t>(i)), input.numbers[i]));
}

/// The lower median of the sizes of all numbers but 0; 0 if there are none.
double usual_size(const std::vector<double>& numbers) {
  std::vector<double> sizes;
  for (const double number : numbers)
    if (number != 0) sizes.push_back(std::abs(number));
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + (std::ssize(sizes) - 1) / 2;
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// log2 of the standard deviation, or of the largest number where all are equal. The numbers are
/// divided by 2^log2_size first, as the square of 1e300 is infinite.
int log2_deviation(std::vector<double> numbers, int log2_size) {
  const auto n = static_cast<double>(numbers.size());
  double mean = 0;
  double squares = 0;
  double largest = 0;
  for (double& number : numbers) {
    number = std::ldexp(number, -log2_size);
    mean += number / n;
    largest = std::max(largest, std::abs(number));
  }
  for (const double number : numbers) squares += (number - mean) * (number - mean) / n;
  const double deviation = std::sqrt(squares);
  return log2_size + std::ilogb(deviation > 0x1p-20 * largest ? deviation : largest);
}

}  // namespace

void Widths::narrow(int by) {
  most = std::max(kLeastWidth, most - by);
  for (int& width : own) width = std::max(kLeastWidth, width - by);
}

Widths widths_of(const std::vector<double>& numbers) {
  Widths widths{0, std::vector<int>(numbers.size(), 0)};
  const double usual = usual_size(numbers);
  if (usual == 0) return widths;
  const int log2_usual = std::ilogb(usual);
  const auto above = [&](double x) { return x != 0 && std::ilogb(x) > log2_usual + kUsualRange; };
  const auto below = [&](double x) { return x == 0 || std::ilogb(x) < log2_usual - kUsualRange; };
  std::vector<double> bulk;
  for (const double x : numbers)
    if (!above(x) && (!below(x) || x == 0)) bulk.push_back(x);
  widths.most = std::max(kLeastWidth, log2_deviation(bulk, log2_usual));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers[i];
    int& own = widths.own[i] = widths.most;
    if (above(x)) own = std::max(kLeastWidth, std::ilogb(x));
    if (below(x)) own = std::min(own, x == 0 ? 0 : std::max(0, std::ilogb(x)));
  }
  return widths;
}

double FunctionFacts::noticed_rounding() const {
  constexpr int kLog2Expected = 12;  // roundings of a chain of operations
  // Roundings partly cancel. As an error is far off at 2^6 estimates (entry.h), no error below
  // twice the bound is.
  constexpr int kLog2Cancelled = 5;
  constexpr double kMost = 1e300;
  if (!(rounding > ldexp(magnitude, kLog2Expected))) return 0;
  return std::min(Real(kMost), ldexp(rounding, -kLog2Cancelled)).convert_to<double>();
}

Real FunctionFacts::size_of(const Values<Real>& y) const {
  Real sum(0);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (isfinite(y[i])) sum += abs(Real(dy[i] * y[i]));
  return sum;
}

void FunctionFacts::check_outputs(std::size_t count) const {
  if (!dy.empty() && dy.size() != count)
    throw UsageError(fmt::format("value(): it returned {} outputs, then {} for numbers close by",
                                 dy.size(), count));
}

FunctionTarget::FunctionTarget(const std::vector<FunctionInput>& inputs) {
  if (inputs.empty()) throw UsageError("inputs: none was given; each is a {name, shape, numbers}");
  std::set<std::string> names;
  for (const FunctionInput& input : inputs) {
    if (input.name.empty() || !names.insert(input.name).second)
      throw UsageError(fmt::format("input '{}': each input has a name of its own", input.name));
    check_input(input);
    tensors_.push_back({input.name, input.shape, Reach::all});
    unit_size_ += numel(input.shape);
    facts_.widths.push_back(widths_of(input.numbers));
  }
  facts_.inputs = inputs;
}

void FunctionTarget::take_outputs(std::size_t count, const FunctionOptions& options) {
  if (count == 0) throw UsageError("value(): it returned no outputs, and none can be audited");
  if (!options.dy.empty() && options.dy.size() != count)
    throw UsageError(fmt::format("dy: {} numbers were given, value() returned {} outputs",
                                 options.dy.size(), count));
  for (const double dy : options.dy)
    if (!std::isfinite(dy)) throw UsageError(fmt::format("dy: {} is not finite", dy));
  facts_.dy = options.dy;
  const Stream stream(options.seed, "dy");
  // The drawn cotangents have either sign, and none is so small that its output would not count.
  for (std::uint64_t i = facts_.dy.size(); i < count; ++i) {
    const double u = 2 * stream.uniform(i) - 1;
    facts_.dy.push_back(u + std::copysign(0.5, u));
  }
  unit_size_ = std::max(unit_size_, static_cast<std::int64_t>(count));
}

void FunctionTarget::take_dual_numbers(const Values<PathSum>& gradient) {
  Values<Digits400>& numbers = facts_.gradient.emplace_back();
  for (const PathSum& entry : gradient)
    numbers.push_back(entry.is_rounding() ? Digits400(0) : Digits400(entry.sum));
  facts_.path_sums.push_back(gradient);
}

void FunctionTarget::check_gradient(const std::vector<Values<Digits400>>& gradient,
                                    const std::string& whose) const {
  const std::vector<FunctionInput>& inputs = facts_.inputs;
  if (gradient.size() != inputs.size()) {
    std::vector<std::string> names;
    for (const FunctionInput& input : inputs) names.push_back(input.name);
    throw UsageError(fmt::format("{}: {} gradients for {} inputs ({})", whose, gradient.size(),
                                 inputs.size(), fmt::join(names, ", ")));
  }
  for (std::size_t k = 0; k < gradient.size(); ++k)
    if (gradient[k].size() != inputs[k].numbers.size())
      throw UsageError(fmt::format("{}: {} numbers for input '{}' of shape {}, which has {}", whose,
                                   gradient[k].size(), inputs[k].name, text_of(inputs[k].shape),
                                   inputs[k].numbers.size()));
}

void FunctionTarget::expect_same(const std::string& what, const Values<Digits400>& before,
                                 const Values<Digits400>& now) {
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
    if (before[i] != now[i] && !(isnan(before[i]) && isnan(now[i])))
      throw UsageError(
          fmt::format("{} {} is {}, then {} at the same numbers: only a function that gives the "
                      "same again can be audited",
                      what, i, before[i].convert_to<double>(), now[i].convert_to<double>()));
}

}  // namespace gradproof
