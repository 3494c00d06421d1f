// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fill.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/parallel.h"

namespace gradproof {
namespace {

/// The element at `place` of a unit that has `size` elements.
struct Where {
  std::uint64_t index;
  std::int64_t unit, place, size;
};

/// A whole number from -8 to 8; sums and products are exact in float32 while they are below 2^24.
double whole(const Stream& stream, std::uint64_t i) {
  return static_cast<double>(stream.bits(i) % 17) - 8;
}

/// k/8 with |k| <= 64: sums and products are exact likewise, but are not whole numbers.
double dyadic(const Stream& stream, std::uint64_t i) {
  return (static_cast<double>(stream.bits(i) % 129) - 64) / 8;
}

/// True if each element is the stream's own number for its index.
bool is_plain(const std::string& word) { return word == "normal" || word == "uniform"; }

/// One element of x. `a` is the number after the colon, z the stream's normal number.
double element(const std::string& word, double a, const Stream& stream, const Where& w, double z) {
  const auto per_unit = [&](double spread) {
    const auto unit = static_cast<std::uint64_t>(w.unit);
    const Stream own(stream.bits(unit ^ 0x5EED), "column");
    return (own.bits(0) & 1 ? -1 : 1) * (1 + spread * own.uniform(1));
  };
  if (word.starts_with("scaled:")) return a * z;
  if (word.starts_with("offset:")) return a * per_unit(0.5) + z;
  if (word.starts_with("common:"))
    return a * (1 + 0.5 * Stream(stream.bits(0x5EED), "tensor").uniform(1)) + z;
  if (word.starts_with("outlier:")) {
    const auto chosen =
        static_cast<std::int64_t>(stream.bits(static_cast<std::uint64_t>(w.unit) ^ 0x0071) %
                                  static_cast<std::uint64_t>(w.size));
    return w.place == chosen ? a * z : z;
  }
  if (word.starts_with("constant:")) return a;
  if (word.starts_with("alternating:")) return (w.place & 1 ? -a : a) + z;
  if (word.starts_with("lone:")) return a + (w.place == 0 ? 1 : 0);
  if (word == "pow2") {
    const std::uint64_t bits = stream.bits(w.index);
    return std::ldexp(bits & 1 ? -1.0 : 1.0, static_cast<int>(bits / 2 % 21) - 10);
  }
  if (word == "integers") return whole(stream, w.index);
  if (word == "dyadic") return dyadic(stream, w.index);
  if (word == "loguniform") {
    const std::uint64_t bits = stream.bits(w.index ^ (1ull << 62));
    const double significand = 1 + stream.uniform(w.index);
    return std::ldexp(bits & 1 ? -significand : significand, static_cast<int>(bits / 2 % 41) - 20);
  }
  if (word == "subnormal") return z * 0x1p-130;
  return z;
}

/// One element of dy, where it depends on no other. `a` is the number after the colon, z the
/// stream's normal number.
double cotangent(const std::string& word, double a, const Stream& stream, std::uint64_t i,
                 double z) {
  if (word == "designed") return z;
  if (word == "ones") return 1;
  if (word == "integers") return whole(stream, i);
  if (word == "dyadic") return dyadic(stream, i);
  if (word.starts_with("constant:")) return a;
  return word.starts_with("scaled:") ? z * a : z;
}

std::size_t unit_of(std::int64_t row, std::int64_t col, std::int64_t cols, std::int64_t groups) {
  return static_cast<std::size_t>(groups > 0 ? row * groups + col / (cols / groups) : col);
}

/// Writes every bit pattern of x's dtype in order, from `start`, and begins again after the last. A
/// double in between would take the signalling bit off a NaN.
void enumerate(double start, Tensor& x) {
  const std::size_t bytes = size_of(x.dtype());
  const double patterns = std::ldexp(1.0, static_cast<int>(8 * bytes));
  const double whole_start = std::floor(start);
  const double first = whole_start - std::floor(whole_start / patterns) * patterns;
  const auto from = static_cast<std::uint64_t>(first);
  static_assert(std::endian::native == std::endian::little);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const std::uint64_t pattern = from + static_cast<std::uint64_t>(i);
    std::memcpy(x.bytes().data() + static_cast<std::size_t>(x.position(i)) * bytes, &pattern,
                bytes);
  }
}

/// True if a number written at this index stays. Where the stride is 0, all indices share one
/// number, and the one that is written last stays.
bool is_kept(const Tensor& tensor, std::size_t dimension, std::int64_t index) {
  return tensor.layout().strides[dimension] != 0 || index == tensor.shape()[dimension] - 1;
}

/// The mean and deviation of one unit.
struct Standard {
  double mean = 0;
  double deviation = 0;
  double operator()(double x) const { return deviation > 0 ? (x - mean) / deviation : 0; }
};

/// The mean and deviation of every unit. The rows are read in order, so each unit's sums are taken
/// in order too.
std::vector<Standard> standards_of(const Tensor& x, std::int64_t groups) {
  const std::int64_t rows = x.shape()[0];
  const std::int64_t cols = x.shape()[1];
  if (groups > 0 && cols % groups != 0)
    throw InstrumentError("fill: " + std::to_string(cols) + " columns are not " +
                          std::to_string(groups) + " groups");
  const auto size = static_cast<double>(groups > 0 ? cols / groups : rows);
  std::vector<Standard> all(static_cast<std::size_t>(groups > 0 ? rows * groups : cols));
  std::vector<double> line(static_cast<std::size_t>(cols));
  const auto each = [&](const auto& visit) {
    for (std::int64_t row = 0; row < rows; ++row) {
      x.read(row * cols, 1, cols, line.data());
      for (std::int64_t col = 0; col < cols; ++col)
        visit(all[unit_of(row, col, cols, groups)], line[static_cast<std::size_t>(col)]);
    }
  };
  each([](Standard& s, double v) { s.mean += v; });
  for (Standard& s : all) s.mean /= size;
  each([](Standard& s, double v) { s.deviation += (v - s.mean) * (v - s.mean); });
  for (Standard& s : all) s.deviation = std::sqrt(s.deviation / size);
  return all;
}

}  // namespace

std::vector<std::string> fill_words() {
  return {"normal",    "uniform",      "scaled:",   "offset:",  "outlier:",
          "constant:", "alternating:", "lone:",     "integers", "dyadic",
          "pow2",      "loguniform",   "subnormal", "every",    "every:"};
}

std::vector<std::string> cotangent_words() {
  return {"designed", "normal", "scaled:", "integers", "dyadic", "constant:", "onehot", "ones"};
}

void fill(const Case& c, const Stream& stream, std::int64_t groups, Tensor& x) {
  const std::string& word = c.text("fill");
  const double argument = c.argument("fill");
  if (word.starts_with("every")) return enumerate(argument, x);
  const std::int64_t rows = x.shape()[0];
  const std::int64_t cols = x.shape()[1];
  const std::int64_t width = groups > 0 ? cols / groups : 0;
  const bool plain = is_plain(word);
  for_each_index(rows, [&](std::int64_t row) {
    const auto first = static_cast<std::uint64_t>(row * cols);
    std::vector<double> line(static_cast<std::size_t>(cols));
    if (word == "uniform")
      stream.uniforms(first, line.size(), line.data());
    else
      stream.normals(first, line.size(), line.data());
    for (std::int64_t col = 0; !plain && col < cols; ++col) {
      const std::uint64_t i = first + static_cast<std::uint64_t>(col);
      const Where where = groups > 0 ? Where{i, row * groups + col / width, col % width, width}
                                     : Where{i, col, row, rows};
      double& number = line[static_cast<std::size_t>(col)];
      number = element(word, argument, stream, where, number);
    }
    x.write(row * cols, cols, line.data());
  });
}

void fill_cotangent(const Case& c, const Stream& stream, std::int64_t groups, const Tensor& x,
                    Tensor& dy) {
  const std::string& word = c.text("dy");
  const double argument = c.argument("dy");
  const std::int64_t rows = x.shape()[0];
  const std::int64_t cols = x.shape()[1];
  const auto count = static_cast<std::uint64_t>(dy.numel());
  const std::uint64_t hot = count > 0 ? stream.bits(1ull << 63) % count : 0;
  const bool designed = word == "designed";
  const std::vector<Standard> standards =
      designed ? standards_of(x, groups) : std::vector<Standard>{};
  for_each_index(rows, [&](std::int64_t row) {
    if (!is_kept(dy, 0, row)) return;
    const auto first = static_cast<std::uint64_t>(row * cols);
    std::vector<double> line(static_cast<std::size_t>(cols));
    std::vector<double> of_x(designed ? line.size() : 0);
    stream.normals(first, line.size(), line.data());
    if (designed) x.read(row * cols, 1, cols, of_x.data());
    for (std::int64_t col = 0; col < cols; ++col) {
      const auto k = static_cast<std::size_t>(col);
      const std::uint64_t at = first + k;
      double& value = line[k];
      value = word == "onehot" ? (at == hot ? 1 : 0) : cotangent(word, argument, stream, at, value);
      if (designed) value += 1 + standards[unit_of(row, col, cols, groups)](of_x[k]);
      if (!dy.is_dense() && is_kept(dy, 1, col)) dy.set(row * cols + col, value);
    }
    if (dy.is_dense()) dy.write(row * cols, cols, line.data());
  });
}

}  // namespace gradproof
