// SPDX-License-Identifier: Apache-2.0
#include "oracles/functions/function_widths.h"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

constexpr int kUsual = 20;
constexpr int kLeast = -900;

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
int log2_deviation(const std::vector<double>& numbers, int log2_size) {
  const auto n = static_cast<double>(numbers.size());
  double mean = 0;
  double squares = 0;
  double largest = 0;
  for (const double number : numbers) {
    const double scaled = std::ldexp(number, -log2_size);
    mean += scaled / n;
    largest = std::max(largest, std::abs(scaled));
  }
  for (const double number : numbers) {
    const double off = std::ldexp(number, -log2_size) - mean;
    squares += off * off / n;
  }
  const double deviation = std::sqrt(squares);
  return log2_size + std::ilogb(deviation > 0x1p-20 * largest ? deviation : largest);
}

}  // namespace

Widths widths_of(const std::vector<double>& numbers) {
  Widths widths{0, std::vector<int>(numbers.size(), 0)};
  const double usual = usual_size(numbers);
  if (usual == 0) return widths;
  const int log2_usual = std::ilogb(usual);
  const auto above = [&](double x) { return x != 0 && std::ilogb(x) > log2_usual + kUsual; };
  const auto below = [&](double x) { return x == 0 || std::ilogb(x) < log2_usual - kUsual; };
  std::vector<double> bulk;
  for (const double number : numbers)
    if (!above(number) && (!below(number) || number == 0)) bulk.push_back(number);
  widths.most = std::max(kLeast, log2_deviation(bulk, log2_usual));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers[i];
    int own = widths.most;
    if (above(x)) own = std::ilogb(x);
    if (below(x)) own = std::min(own, std::max(0, x == 0 ? 0 : std::ilogb(x)));
    widths.own[i] = std::max(kLeast, own);
  }
  return widths;
}

}  // namespace gradproof
