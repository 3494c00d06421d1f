// SPDX-License-Identifier: Apache-2.0
#include "core/discrepancy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kShown = 5;
constexpr std::int64_t kGoodShown = 3;

/// NaN, +Inf, -Inf and finite are classes of their own; they are told apart before any subtraction.
bool same_class(double got, double want) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return want == got;
  return true;
}

/// error/bound where 0/0 is 0: an exact result under a bound of 0 is right.
double ratio_of(double error, double bound) {
  if (error == 0) return 0;
  return bound == 0 ? kInfinity : error / bound;
}

Element element(const Tensor& got, const Answer& want, std::int64_t index) {
  const auto i = static_cast<std::size_t>(index);
  Element e{index, got.at(index), want.hi[i], 0, 0};
  if (!want.any_nonfinite.empty() && want.any_nonfinite[i] != 0 && !std::isfinite(e.got)) {
    e.ratio = e.ulp = 0;  // permitted there; the infinite bound makes the verdict Mistrusted
  } else if (!same_class(e.got, e.want)) {
    e.ratio = e.ulp = kInfinity;
  } else if (std::isfinite(e.want)) {
    // got - hi is exact where it matters (Sterbenz); lo then adds the truth beyond double.
    const double error = std::abs((e.got - want.hi[i]) - want.lo[i]);
    e.ratio = ratio_of(error, want.bound[i]);
    e.ulp = ulp_error(error, e.want, got.dtype());
  }
  return e;
}

std::size_t bin_of(double ratio) {
  if (ratio == 0) return 0;
  if (!std::isfinite(ratio)) return 15;
  const int exponent = static_cast<int>(std::ceil(std::log2(ratio)));
  return static_cast<std::size_t>(std::clamp(exponent + 10, 1, 15));
}

void keep_bad(Discrepancy& d, const Element& e) {
  ++d.bad;
  if (d.first_bad.size() < kShown) {
    d.first_bad.push_back(e);
    return;
  }
  if (d.last_bad.size() == kShown) d.last_bad.erase(d.last_bad.begin());
  d.last_bad.push_back(e);
}

double quantile99(std::vector<double>& ratios) {
  if (ratios.empty()) return 0;
  const auto at = ratios.begin() + static_cast<std::ptrdiff_t>((ratios.size() - 1) * 99 / 100);
  std::nth_element(ratios.begin(), at, ratios.end());
  return *at;
}

/// Whether an answer that is 0, or the same number, everywhere would have passed too.
void weigh_evidence(Discrepancy& d, const Answer& want) {
  double highest_low = -kInfinity;
  double lowest_high = kInfinity;
  d.zero_would_pass = true;
  for (std::size_t i = 0; i < want.hi.size(); ++i) {
    const bool finite = std::isfinite(want.hi[i]);
    d.zero_would_pass = d.zero_would_pass && finite && std::abs(want.hi[i]) <= want.bound[i];
    highest_low = finite ? std::max(highest_low, want.hi[i] - want.bound[i]) : kInfinity;
    lowest_high = std::min(lowest_high, want.hi[i] + want.bound[i]);
  }
  d.constant_would_pass = want.hi.size() > 1 && highest_low <= lowest_high;
}

}  // namespace

double ulp_error(double error, double truth, DType dtype) {
  if (dtype == DType::i64) return error;
  const int lowest = min_exponent_of(dtype);
  const int exponent = truth == 0 ? lowest : std::max(std::ilogb(truth), lowest);
  return std::ldexp(error, precision_of(dtype) - 1 - exponent);
}

Discrepancy compare(const Tensor& got, const Answer& want) {
  if (got.numel() != want.size())
    throw InstrumentError(
        fmt::format("{} elements against {} of the truth", got.numel(), want.size()));
  Discrepancy d;
  d.elements = got.numel();
  std::vector<double> ratios;
  std::vector<std::int64_t> bad;
  double squares = 0;
  for (std::int64_t i = 0; i < d.elements; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Element e = element(got, want, i);
    const double slack = want.bound[at] > 0 ? want.radius[at] / want.bound[at] : 0;
    d.vacuous += std::isinf(want.bound[at]);
    d.wrong_class += std::isinf(e.ratio) && std::isinf(e.ulp);
    const bool over = e.ratio > 1 + slack;
    d.undecided += !over && e.ratio > 1 - slack;
    if (over) {
      keep_bad(d, e);
      bad.push_back(i);
    }
    ++d.histogram[bin_of(e.ratio)];
    if (i == 0 || e.ratio > d.worst.ratio) d.worst = e;
    d.max_ulp = std::max(d.max_ulp, e.ulp);
    ratios.push_back(e.ratio);
    squares += std::isfinite(e.ratio) ? e.ratio * e.ratio : 0;
  }
  d.max_ratio = d.elements > 0 ? d.worst.ratio : 0;
  d.p99_ratio = quantile99(ratios);
  d.rms_ratio = d.elements > 0 ? std::sqrt(squares / static_cast<double>(d.elements)) : 0;
  for (std::int64_t i = bad.empty() ? 0 : std::max<std::int64_t>(0, bad.front() - kGoodShown);
       !bad.empty() && i < bad.front(); ++i)
    d.good_before.push_back(i);
  d.pattern = pattern_of(bad, got.shape());
  weigh_evidence(d, want);
  return d;
}

}  // namespace gradproof
