// SPDX-License-Identifier: Apache-2.0
#include "reports/histogram.h"

#include <algorithm>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr std::size_t kUpToOne = 10;  ///< the bin (1/2, 1]

std::string bin_name(std::size_t bin) {
  if (bin == 0) return "0";
  if (bin == 15) return ">16";
  const int exponent = static_cast<int>(bin) - static_cast<int>(kUpToOne);
  return exponent < 0 ? fmt::format("<=2^{}", exponent) : fmt::format("<={}", 1 << exponent);
}

}  // namespace

std::string histogram_text(const Histogram& histogram) {
  std::string text;
  bool over = false;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    if (histogram[bin] == 0) continue;
    const bool bar = bin > kUpToOne && !over;
    over = over || bar;
    text += fmt::format("{}{}{}: {}",
                        text.empty() ? ""
                        : bar        ? " "
                                     : "  ",
                        bar ? "| " : "", bin_name(bin), histogram[bin]);
  }
  return text;
}

std::string histogram_digits(const Histogram& histogram) {
  std::string text;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    if (bin == kUpToOne + 1) text += ' ';
    const std::size_t digits = fmt::format("{}", histogram[bin]).size();
    text += histogram[bin] == 0 ? '.' : static_cast<char>('0' + std::min<std::size_t>(digits, 9));
  }
  return text;
}

}  // namespace gradproof
