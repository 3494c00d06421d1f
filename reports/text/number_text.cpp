// SPDX-License-Identifier: Apache-2.0
#include "reports/text/number_text.h"

#include <cmath>

#include <fmt/format.h>

namespace gradproof {

std::string brief(double value) {
  if (std::isnan(value)) return "nan";
  const double size = std::abs(value);
  if (size >= 100 && size < 1e6) {
    const double unit =
        std::pow(10, std::floor(std::log10(size)) - 2);  // three digits, written out
    return fmt::format("{:.0f}", std::round(value / unit) * unit);
  }
  return size >= 10 ? fmt::format("{:.3g}", value) : fmt::format("{:.2g}", value);
}

std::string ratio_text(double ratio) {
  std::string text = brief(ratio);
  for (int digits = 3; digits <= 17 && ratio != 1 && std::stod(text) == 1; ++digits)
    text = fmt::format("{:.{}g}", ratio, digits);
  return text;
}

std::string exact(double value, DType dtype) {
  if (std::isnan(value)) return "nan";
  if (dtype == DType::i64) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, dtype == DType::f32 ? 9 : 17);
}

}  // namespace gradproof
