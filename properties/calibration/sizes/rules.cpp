// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/sizes/rules.h"

#include <algorithm>
#include <cmath>

#include "properties/calibration/tolerances.h"

namespace gradproof {
namespace {

double largest_error(const Tensor& got, const Tensor& reference) {
  double largest = 0;
  for (std::int64_t i = 0; i < got.numel(); ++i)
    largest = std::max(largest, std::abs(got.at(i) - reference.at(i)));
  return largest;
}

/// 1 - 2 <x, y>/(<x, x> + <y, y>): half the squared difference of two vectors of about one length,
/// over the square of that. It is 0 of two that are 0.
double difference_of_directions(const Tensor& got, const Tensor& reference) {
  double squares = 0, products = 0;
  for (std::int64_t i = 0; i < got.numel(); ++i) {
    squares += got.at(i) * got.at(i) + reference.at(i) * reference.at(i);
    products += got.at(i) * reference.at(i);
  }
  return squares == 0 ? 0 : 1 - 2 * products / squares;
}

bool are_most_close(const Tensor& got, const Tensor& reference) {
  std::int64_t close = 0;
  for (std::int64_t i = 0; i < got.numel(); ++i)
    close += std::abs(got.at(i) - reference.at(i)) <= 1e-2 + 1e-2 * std::abs(reference.at(i));
  return 100 * close >= 99 * got.numel();
}

}  // namespace

RuleFlags FieldRules::flags_of(const Tensors& got) const {
  RuleFlags all{};
  const auto flag = [&](Rule rule, bool is) {
    all[static_cast<std::size_t>(rule)] = all[static_cast<std::size_t>(rule)] || is;
  };
  for (const auto& [name, tensor] : got) {
    const Tensor& reference = get(reference_, name);
    const auto by_type = flagged(tensor, get(eager_, name));
    const auto by_float64 = flagged(tensor, reference);
    flag(Rule::assert_close_type, by_type[2]);
    flag(Rule::assert_close_float64, by_float64[2]);
    flag(Rule::allclose_4, by_float64[0]);
    flag(Rule::allclose_2, by_float64[1]);
    const double error = largest_error(tensor, reference);
    const double eager = largest_error(get(eager_, name), reference);
    flag(Rule::twice_eager, !(error <= 2 * eager));
    flag(Rule::thrice_eager, !(error <= 3 * eager));
    flag(Rule::cosine, !(difference_of_directions(tensor, reference) <= 1e-3));
    flag(Rule::most_close, !are_most_close(tensor, reference));
  }
  return all;
}

}  // namespace gradproof
