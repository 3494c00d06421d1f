// SPDX-License-Identifier: Apache-2.0
#pragma once
// An RMSNorm of somebody's own in 32 lanes, on numbers that count or not.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "judge/check_case.h"
#include "kernels/own/own_kernel.h"
#include "simt/counted_storage.h"

namespace gradproof {

constexpr std::int64_t kLanes = 32, kCols = 768;
/// The chain of 768 numbers in 32 lanes and a tree.
constexpr std::int64_t kChain = kCols / kLanes - 1 + 5;

/// A row that is stored in S, for sums in T.
template <class S, class T>
struct Row {
  const S* x;
  std::int64_t cols;

  T at(std::int64_t j) const { return static_cast<T>(x[j]); }
  /// The sum of term(j) in 32 lanes and a tree.
  template <class Term>
  T sum(const Term& term) const {
    std::vector<T> lanes(kLanes, T(0.0F));
    for (std::int64_t j = 0; j < cols; ++j) lanes[static_cast<std::size_t>(j % kLanes)] += term(j);
    for (std::size_t width = kLanes / 2; width > 0; width /= 2)
      for (std::size_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
    return lanes[0];
  }
  T rstd() const {
    const T mean = sum([&](std::int64_t j) { return at(j) * at(j); }) / T(static_cast<float>(cols));
    return T(1.0F) / simt::math::sqrt(mean + T(1e-6F));
  }
};

template <class S, class T>
void norm_forward(const Call& call, float factor) {
  const std::int64_t cols = call.extent("cols");
  const Row<S, T> weight{call.view("weight").as<S>(), cols};
  for (std::int64_t i = 0; i < call.extent("rows"); ++i) {
    const Row<S, T> row{call.view("x").as<S>() + i * cols, cols};
    const T rstd = row.rstd() * T(factor);
    for (std::int64_t j = 0; j < cols; ++j)
      call.view("y").as<S>()[i * cols + j] = S(row.at(j) * rstd * weight.at(j));
  }
}

template <class S, class T>
void norm_backward(const Call& call) {
  const std::int64_t cols = call.extent("cols");
  const Row<S, T> weight{call.view("weight").as<S>(), cols};
  std::vector<T> of_weight(static_cast<std::size_t>(cols), T(0.0F));
  for (std::int64_t i = 0; i < call.extent("rows"); ++i) {
    const Row<S, T> row{call.view("x").as<S>() + i * cols, cols};
    const Row<S, T> dy{call.view("dy").as<S>() + i * cols, cols};
    const T rstd = row.rstd();
    const auto g = [&](std::int64_t j) { return dy.at(j) * weight.at(j); };
    const T sum = row.sum([&](std::int64_t j) { return g(j) * (row.at(j) * rstd); });
    const T mean = sum / T(static_cast<float>(cols));
    for (std::int64_t j = 0; j < cols; ++j) {
      const T xhat = row.at(j) * rstd;
      call.view("d_x").as<S>()[i * cols + j] = S((g(j) - xhat * mean) * rstd);
      of_weight[static_cast<std::size_t>(j)] += dy.at(j) * xhat;
    }
  }
  for (std::int64_t j = 0; j < cols; ++j)
    call.view("d_weight").as<S>()[j] = S(of_weight[static_cast<std::size_t>(j)]);
}

template <class T, class S = T>
OwnKernel norm(const std::string& contract, float factor = 1) {
  OwnKernel own;
  own.word = "norm";
  own.pipeline = "y = rms_norm(x[rows,cols], weight, eps=1e-6)";
  own.contract = contract;
  own.forward = [=](const Call& call) { norm_forward<S, T>(call, factor); };
  own.backward = norm_backward<S, T>;
  return own;
}

inline std::map<std::string, Record> checked(const Kernel& kernel, const std::string& keys) {
  const Systems systems{Catalog({kernel})};
  const Case c = parse_case(kernel.schema->word + " " + keys, systems.schemas());
  std::map<std::string, Record> found;
  for (Record& r : check_case(systems, c)) found.emplace(r.tensor, std::move(r));
  return found;
}

}  // namespace gradproof
