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
  }
  return all;
}

}  // namespace gradproof
