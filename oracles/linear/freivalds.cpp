// SPDX-License-Identifier: Apache-2.0
#include "oracles/linear/freivalds.h"

#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/parallel.h"

namespace gradproof {
namespace {

constexpr double kUp = 1 + 0x1p-40;  ///< covers the roundings in the arithmetic of the bounds

/// The signs of one tile: (width, vectors), +-1 in float64.
at::Tensor signs_of(const Stream& stream, std::int64_t tile, std::int64_t width) {
  at::Tensor signs = at::empty({width, kSignVectors}, at::kDouble);
  double* numbers = signs.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < signs.numel(); ++i) {
    const std::int64_t index = tile * kSignTile * kSignVectors + i;
    numbers[i] = stream.bits(static_cast<std::uint64_t>(index)) & 1 ? -1 : 1;
  }
  return signs;
}

/// Some tiles of b and of the bias: their sums with signs, and their norms.
struct SignedColumns {
  std::int64_t first_tile, tiles;
  at::Tensor signs;       ///< (tiles * kSignTile, vectors); short for the last tile
  at::Tensor sums;        ///< (count, tiles * vectors)
  at::Tensor sizes;       ///< (count, tiles): Euclidean norms of b's rows in the tile
  at::Tensor bias_sums;   ///< (tiles * vectors)
  at::Tensor bias_sizes;  ///< (tiles)
};

/// The permitted error of a row's sum with signs, and the largest partial sum of one of its
/// elements.
struct Limit {
  double permitted, radius, reach;
};

/// A row, and one of the tiles that are held.
struct At {
  std::int64_t row, tile;
};

/// The compared sums of one row.
struct RowOfSums {
  explicit RowOfSums(std::int64_t count) : got(static_cast<std::size_t>(count)) {
    truths.resize(got.size());
  }
  std::vector<double> got;
  Truths truths;
  double largest = 0;  ///< limit so far
};

class Signs {
 public:
  Signs(const Product& p, const Stream& stream)
      : p_(p),
        stream_(stream),
        bound_(bound_of(p)),
        tiles_((p.cols() + kSignTile - 1) / kSignTile),
        lambda_(lambda_for(static_cast<double>(p.rows() * tiles_ * kSignVectors))),
        shape_{p.rows(), tiles_, kSignVectors},
        total_(DType::f32, shape_) {}

  LinearJudged result() {
    const std::int64_t high = tile_of(p_.rows(), p_.count(), 4096);
    const std::int64_t at_once = tile_of(tiles_, p_.count() * (kSignVectors + 1), 64);
    for (std::int64_t tile = 0; tile < tiles_; tile += at_once) {
      const SignedColumns columns = columns_of(tile, std::min(at_once, tiles_ - tile));
      for (std::int64_t row = 0; row < p_.rows(); row += high)
        compare(row, p_.a.narrow(0, row, std::min(high, p_.rows() - row)).to(at::kDouble), columns);
    }
    return {{total_.finish(), why(), 0}, shape_, witness(), largest_};
  }

 private:
  SignedColumns columns_of(std::int64_t first, std::int64_t tiles) const {
    std::vector<at::Tensor> signs, sums, sizes, bias_sums, bias_sizes;
    for (std::int64_t tile = first; tile < first + tiles; ++tile) {
      const std::int64_t col = tile * kSignTile, width = std::min(kSignTile, p_.cols() - col);
      const at::Tensor b = p_.b.narrow(1, col, width).to(at::kDouble);
      const at::Tensor bias = p_.bias.defined() ? p_.bias.narrow(0, col, width).to(at::kDouble)
                                                : at::zeros({width}, at::kDouble);
      signs.push_back(signs_of(stream_, tile, width));
      sums.push_back(at::mm(b, signs.back()));
      sizes.push_back(b.square().sum(1, true).sqrt());
      bias_sums.push_back(at::mv(signs.back().t(), bias));
      bias_sizes.push_back(bias.norm().view({1}));
    }
    return {first,
            tiles,
            at::cat(signs),
            at::cat(sums, 1),
            at::cat(sizes, 1),
            at::cat(bias_sums),
            at::cat(bias_sizes)};
  }

  void compare(std::int64_t first_row, const at::Tensor& a, const SignedColumns& columns) {
    constexpr std::int64_t kRows = 64;
    const at::Tensor sums = at::mm(a, columns.sums);
    const at::Tensor sizes = at::mm(a.abs(), columns.sizes);
    for_each_index((a.size(0) + kRows - 1) / kRows, [&](std::int64_t part) {
      Comparison own(DType::f32, shape_);
      RowOfSums row(columns.tiles * kSignVectors);
      for (std::int64_t i = part * kRows; i < std::min(a.size(0), (part + 1) * kRows); ++i) {
        const std::int64_t k = first_row + i;
        for (std::int64_t tile = 0; tile < columns.tiles; ++tile)
          put_tile(columns, {k, tile}, sums.const_data_ptr<double>() + i * sums.size(1),
                   sizes.const_data_ptr<double>()[i * columns.tiles + tile], row);
        own.add({(k * tiles_ + columns.first_tile) * kSignVectors, 1}, row.got.data(), row.truths);
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      largest_ = std::max(largest_, row.largest);
      total_.merge(own);
    });
  }

  /// Compares all sums of one row in one tile; `size` is |a| times the norms of b's rows.
  void put_tile(const SignedColumns& columns, const At& at, const double* sums, double size,
                RowOfSums& row) const {
    const std::int64_t col = (columns.first_tile + at.tile) * kSignTile;
    const std::int64_t width = std::min(kSignTile, p_.cols() - col);
    const float* numbers = p_.numbers() + at.row * p_.cols() + col;
    const double* signs =
        columns.signs.const_data_ptr<double>() + at.tile * kSignTile * kSignVectors;
    const std::size_t first = static_cast<std::size_t>(at.tile * kSignVectors);
    std::array<double, kSignVectors> got{};
    double absolute = 0;
    for (std::int64_t j = 0; j < width; ++j) {
      const double number = admitted(numbers[j]);
      absolute += std::abs(number);
      for (std::size_t v = 0; v < got.size(); ++v)
        got[v] += number * signs[j * kSignVectors + static_cast<std::int64_t>(v)];
    }
    const double bias = columns.bias_sizes.const_data_ptr<double>()[at.tile];
    const Limit limit = limit_of(size + bias, width, absolute);
    row.largest = std::max(row.largest, limit.permitted + 2 * limit.radius);
    for (std::size_t v = 0; v < got.size(); ++v) {
      row.got[first + v] = got[v];
      put(row.truths, first + v,
          truth(sums[first + v] + columns.bias_sums.const_data_ptr<double>()[first + v], limit));
    }
  }

  /// The number; NaN if it cannot be an exact result, so that no sum hides it.
  double admitted(float number) const {
    const auto value = static_cast<double>(number);
    if (!bound_.exact()) return value;
    const double multiple = value / bound_.quantum();
    const bool fits = multiple == std::trunc(multiple) && std::abs(multiple) <= 0x1p24;
    return fits ? value : std::numeric_limits<double>::quiet_NaN();
  }

  /// `size` is at least ||(|A||B| + |bias|)_iJ||_2 (triangle inequality over the terms of the sum);
  /// a sum of absolute values of the tile is at most sqrt(width) times it.
  Limit limit_of(double size, std::int64_t width, double absolute) const {
    if (bound_.exact()) return {0, 0, 0};
    const double root = std::sqrt(static_cast<double>(width));
    const double own = gamma_of(p_.count() + width + 4, kDoubleUnit);
    size *= 1 + 2 * own;
    const double permitted = lambda_ * (bound_.relative() * size + root * bound_.absolute()) * kUp;
    const double reach = (size + bound_.relative() * size + bound_.absolute()) * kUp;
    return {permitted, own * (root * size + absolute) * kUp, reach};
  }

  static Truth truth(double want, const Limit& limit) {
    Truth truth;
    truth.hi = want;
    truth.bound = limit.permitted;
    truth.radius = limit.radius;
    truth.any_nonfinite = !(limit.reach <= largest_finite(DType::f32));
    if (truth.any_nonfinite) truth.bound = std::numeric_limits<double>::infinity();
    return truth;
  }

  std::string witness() const {
    return fmt::format("Freivalds, {} sign vectors, tiles of {} columns", kSignVectors,
                       std::min(kSignTile, p_.cols()));
  }

  std::string why() const {
    if (bound_.exact())
      return fmt::format("{}; a row's tile with any wrong element is seen but for 2^-{}",
                         bound_.why(), kSignVectors);
    const double width = static_cast<double>(std::min(kSignTile, p_.cols()));
    return fmt::format(
        "sums with signs: {}, norm over the tile, times {:.3g} (false alarm below {:g}); one "
        "element off by more than {:.3g} (that is {:.3g} of its bounds in the root mean square) is "
        "seen but for 2^-{}, a smaller fault may pass",
        bound_.why(), lambda_, kFalseAlarm, largest_, lambda_ * std::sqrt(width), kSignVectors);
  }

  const Product& p_;
  const Stream& stream_;
  ProductBound bound_;
  std::int64_t tiles_;
  double lambda_;
  std::mutex mutex_;
  double largest_ = 0;  ///< of all limits
  Shape shape_;         ///< of the sums: (rows, tiles, vectors)
  Comparison total_;
};

}  // namespace

double lambda_for(double sums) {
  return std::sqrt(2 * std::log(2 * std::max(sums, 1.0) / kFalseAlarm)) * kUp;
}

LinearJudged compare_by_signs(const Product& product, const Stream& stream) {
  return Signs(product, stream).result();
}

}  // namespace gradproof
