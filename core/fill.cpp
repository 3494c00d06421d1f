// SPDX-License-Identifier: Apache-2.0
#include "core/fill.h"

#include <cmath>

namespace gradproof {
namespace {

struct Where {
  std::uint64_t index;
  std::int64_t row, col, rows;
};

/// One element of x. `a` is the number after the colon.
double element(const std::string& word, double a, const Stream& stream, const Where& w) {
  const double z = stream.normal(w.index);
  const auto per_column = [&](double spread) {
    const auto col = static_cast<std::uint64_t>(w.col);
    const Stream own(stream.bits(col ^ 0x5EED), "column");
    return (own.bits(0) & 1 ? -1 : 1) * (1 + spread * own.uniform(1));
  };
  if (word.starts_with("scaled:")) return a * z;
  if (word.starts_with("offset:")) return a * per_column(0.5) + z;
  if (word.starts_with("outlier:")) {
    const auto chosen =
        static_cast<std::int64_t>(stream.bits(static_cast<std::uint64_t>(w.col) ^ 0x0071) %
                                  static_cast<std::uint64_t>(w.rows));
    return w.row == chosen ? a * z : z;
  }
  if (word.starts_with("constant:")) return a;
  if (word.starts_with("alternating:")) return (w.row & 1 ? -a : a) + z;
  if (word.starts_with("lone:")) return a + (w.row == 0 ? 1 : 0);
  if (word == "uniform") return stream.uniform(w.index);
  if (word == "pow2") {
    const std::uint64_t bits = stream.bits(w.index);
    return std::ldexp(bits & 1 ? -1.0 : 1.0, static_cast<int>(bits / 2 % 21) - 10);
  }
  if (word == "integers") return static_cast<double>(stream.bits(w.index) % 17) - 8;
  if (word == "loguniform") {
    const std::uint64_t bits = stream.bits(w.index ^ (1ull << 62));
    const double significand = 1 + stream.uniform(w.index);
    return std::ldexp(bits & 1 ? -significand : significand, static_cast<int>(bits / 2 % 41) - 20);
  }
  if (word == "subnormal") return z * 0x1p-130;
  return z;
}

}  // namespace

std::vector<std::string> fill_words() {
  return {"normal",       "uniform", "scaled:",  "offset:", "outlier:",   "constant:",
          "alternating:", "lone:",   "integers", "pow2",    "loguniform", "subnormal"};
}

std::vector<std::string> cotangent_words() {
  return {"designed", "normal", "scaled:", "onehot", "ones"};
}

void fill(const Case& c, const Stream& stream, Tensor& x) {
  const std::string& word = c.text("fill");
  const double argument = c.argument("fill");
  const std::int64_t cols = x.shape()[1];
  for (std::int64_t i = 0; i < x.numel(); ++i)
    x.set(i, element(word, argument, stream,
                     {static_cast<std::uint64_t>(i), i / cols, i % cols, x.shape()[0]}));
}

void fill_cotangent(const Case& c, const Stream& stream, const Tensor& x, Tensor& dy) {
  const std::string& word = c.text("dy");
  const std::int64_t rows = x.shape()[0];
  const std::int64_t cols = x.shape()[1];
  const auto count = static_cast<std::uint64_t>(dy.numel());
  const std::uint64_t hot = count > 0 ? stream.bits(1ull << 63) % count : 0;
  for (std::int64_t col = 0; col < cols; ++col) {
    double mean = 0;
    double square = 0;
    for (std::int64_t row = 0; row < rows; ++row) mean += x.at(row * cols + col);
    mean /= static_cast<double>(rows);
    for (std::int64_t row = 0; row < rows; ++row) {
      const double d = x.at(row * cols + col) - mean;
      square += d * d;
    }
    const double deviation = std::sqrt(square / static_cast<double>(rows));
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t i = row * cols + col;
      const auto at = static_cast<std::uint64_t>(i);
      const double standardised = deviation > 0 ? (x.at(i) - mean) / deviation : 0;
      double value = stream.normal(at);
      if (word == "designed") value += 1 + standardised;
      if (word.starts_with("scaled:")) value *= c.argument("dy");
      if (word == "ones") value = 1;
      if (word == "onehot") value = at == hot ? 1 : 0;
      dy.set(i, value);
    }
  }
}

}  // namespace gradproof
