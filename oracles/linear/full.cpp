// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/compare/comparison.h"
#include "core/parallel.h"
#include "oracles/linear/product.h"

namespace gradproof {
namespace {

/// One tile of the truth: the product in float64, and |a||b| or an upper bound of it.
struct Tile {
  at::Tensor product, magnitude;
  std::int64_t row, col;  ///< of its first element

  std::int64_t rows() const { return product.size(0); }
  std::int64_t width() const { return product.size(1); }
};

class Comparing {
 public:
  explicit Comparing(const Product& p)
      : p_(p), bound_(bound_of(p)), chunk_(chunk_of(p)), total_(DType::f32, p.got->shape()) {}

  LinearJudged result() {
    const std::int64_t high = tile_of(p_.rows(), p_.count(), 4096);
    const std::int64_t wide = tile_of(p_.cols(), p_.count(), 512);
    for (std::int64_t row = 0; row < p_.rows(); row += high) {
      const at::Tensor a = p_.a.narrow(0, row, std::min(high, p_.rows() - row)).to(at::kDouble);
      const at::Tensor a_norms = row_norms(a, chunk_);
      for (std::int64_t col = 0; col < p_.cols(); col += wide) {
        const at::Tensor b = p_.b.narrow(1, col, std::min(wide, p_.cols() - col)).to(at::kDouble);
        const at::Tensor size = bound_.exact() ? at::Tensor() : a_norms.mm(column_norms(b, chunk_));
        compare({at::mm(a, b), size, row, col});
      }
    }
    std::string why = bound_.why();
    if (chunk_ > 1 && !bound_.exact())
      why += fmt::format(", |A||B| by norms of {} neighbours", chunk_);
    return {{total_.finish(), why, 0}, p_.got->shape(), "float64 product, tile by tile"};
  }

 private:
  /// Compares the rows on all cores; the merged result does not depend on the number of cores.
  void compare(const Tile& t) {
    constexpr std::int64_t kRows = 256;
    for_each_index((t.rows() + kRows - 1) / kRows, [&](std::int64_t part) {
      Comparison own(DType::f32, p_.got->shape());
      Truths truths;
      truths.resize(static_cast<std::size_t>(t.width()));
      std::vector<double> got(truths.size());
      for (std::int64_t i = part * kRows; i < std::min(t.rows(), (part + 1) * kRows); ++i) {
        const std::int64_t first = (t.row + i) * p_.cols() + t.col;
        std::copy_n(p_.numbers() + first, got.size(), got.begin());
        put_row(t, i, truths);
        own.add({first, 1}, got.data(), truths);
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      total_.merge(own);
    });
  }

  void put_row(const Tile& t, std::int64_t i, Truths& truths) const {
    const double* product = t.product.const_data_ptr<double>() + i * t.width();
    const double* magnitude =
        bound_.exact() ? nullptr : t.magnitude.const_data_ptr<double>() + i * t.width();
    const float* bias = p_.bias.defined() ? p_.bias.const_data_ptr<float>() + t.col : nullptr;
    for (std::size_t j = 0; j < truths.size(); ++j) {
      const double added = bias ? static_cast<double>(bias[j]) : 0;
      put(truths, j, bound_.truth(product[j] + added, magnitude ? magnitude[j] : 0, added));
    }
  }

  const Product& p_;
  ProductBound bound_;
  std::int64_t chunk_;
  std::mutex mutex_;
  Comparison total_;
};

/// The square roots of the sums of `chunk` squares along an axis.
at::Tensor norms(const at::Tensor& numbers, std::int64_t axis, std::int64_t chunk) {
  if (chunk == 1) return numbers.abs();
  std::vector<at::Tensor> all;
  at::Tensor squares = numbers.square();
  const std::int64_t extent = numbers.size(axis), whole = extent / chunk * chunk;
  std::vector<std::int64_t> shape = numbers.sizes().vec();
  shape[static_cast<std::size_t>(axis)] = whole / chunk;
  shape.insert(shape.begin() + axis + 1, chunk);
  if (whole > 0) all.push_back(squares.narrow(axis, 0, whole).reshape(shape).sum(axis + 1));
  if (whole < extent) all.push_back(squares.narrow(axis, whole, extent - whole).sum(axis, true));
  return at::cat(all, axis).sqrt_();
}

}  // namespace

ProductBound bound_of(const Product& p) {
  const Lattice lattice = lattice_of(p.a) * lattice_of(p.b);
  if (p.bias.defined()) return ProductBound(p.count(), lattice, lattice_of(p.bias));
  return ProductBound(p.count(), lattice);
}

std::int64_t tile_of(std::int64_t extent, std::int64_t count, std::int64_t most) {
  constexpr std::int64_t kElements = std::int64_t{1} << 24;
  return std::clamp(kElements / std::max<std::int64_t>(count, 1), std::int64_t{1},
                    std::min(std::max<std::int64_t>(extent, 1), most));
}

std::int64_t chunk_of(const Product& p) {
  constexpr double kCheap = 0x1p30;
  return p.multiplications() <= kCheap ? 1 : 16;
}

at::Tensor row_norms(const at::Tensor& a64, std::int64_t chunk) { return norms(a64, 1, chunk); }
at::Tensor column_norms(const at::Tensor& b64, std::int64_t chunk) { return norms(b64, 0, chunk); }

LinearJudged compare_in_full(const Product& product) { return Comparing(product).result(); }

}  // namespace gradproof
