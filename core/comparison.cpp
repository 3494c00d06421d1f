// SPDX-License-Identifier: Apache-2.0
#include "core/comparison.h"

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

/// Bins of error/bound for quantiles: 2^-40 to 2^40 in steps of 2^(1/32); the first and the last
/// take the rest.
constexpr int kPerOctave = 32;
constexpr int kOctaves = 40;
constexpr std::size_t kBins = 2 * kOctaves * kPerOctave + 2;

/// Larger ratios count as this in the mean square.
constexpr double kLargestSquared = 256;

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

Element element(DType dtype, std::int64_t index, double got, const Truth& want) {
  Element e{index, got, want.hi, 0, 0};
  if (want.any_nonfinite && !std::isfinite(got)) {
    e.ratio = e.ulp = 0;  // permitted there; the infinite bound makes the verdict Mistrusted
  } else if (!same_class(got, want.hi)) {
    e.ratio = e.ulp = kInfinity;
  } else if (std::isfinite(want.hi)) {
    // got - hi is exact where it matters (Sterbenz); lo then adds the truth beyond double.
    const double error = std::abs((got - want.hi) - want.lo);
    e.ratio = ratio_of(error, want.bound);
    e.ulp = ulp_error(error, want.hi, dtype);
  }
  return e;
}

std::size_t shown_bin_of(double ratio) {
  if (ratio == 0) return 0;
  if (!std::isfinite(ratio)) return 15;
  const int exponent = static_cast<int>(std::ceil(std::log2(ratio)));
  return static_cast<std::size_t>(std::clamp(exponent + 10, 1, 15));
}

std::size_t fine_bin_of(double ratio) {
  if (ratio == 0) return 0;
  const double place = std::ceil(std::log2(ratio) * kPerOctave) + kOctaves * kPerOctave;
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kBins - 1)));
}

/// The largest number that the bin takes.
double upper_edge(std::size_t bin) {
  if (bin == 0) return 0;
  if (bin == kBins - 1) return kInfinity;
  return std::exp2(static_cast<double>(bin) / kPerOctave - kOctaves);
}

/// Whether a is the worse of two elements; equally bad ones: the first.
bool worse(const Element& a, const Element& b) {
  return a.ratio > b.ratio || (a.ratio == b.ratio && a.index < b.index);
}

bool before(const Element& a, const Element& b) { return a.index < b.index; }

}  // namespace

void Truths::resize(std::size_t count) {
  for (auto* numbers : {&hi, &lo, &radius, &bound}) numbers->resize(count);
  any_nonfinite.resize(count);
}

Comparison::Comparison(DType dtype)
    : dtype_(dtype), ratios_(kBins), highest_low_(-kInfinity), lowest_high_(kInfinity) {
  d_.zero_would_pass = true;
}

void Comparison::add(std::int64_t index, double got, const Truth& want) {
  const Element e = element(dtype_, index, got, want);
  const double slack = want.bound > 0 ? want.radius / want.bound : 0;
  const bool over = e.ratio > 1 + slack;
  const bool finite = std::isfinite(want.hi);
  if (d_.elements++ == 0 || worse(e, d_.worst)) d_.worst = e;
  d_.vacuous += std::isinf(want.bound);
  d_.wrong_class += std::isinf(e.ratio) && std::isinf(e.ulp);
  d_.undecided += !over && e.ratio > 1 - slack;
  d_.max_ulp = std::max(d_.max_ulp, e.ulp);
  d_.zero_would_pass = d_.zero_would_pass && finite && std::abs(want.hi) <= want.bound;
  ++d_.histogram[shown_bin_of(e.ratio)];
  ++ratios_[fine_bin_of(e.ratio)];
  const double capped = std::isfinite(e.ratio) ? std::min(e.ratio, kLargestSquared) : 0;
  squares_ += static_cast<unsigned __int128>(std::ldexp(capped * capped, 80));
  highest_low_ = finite ? std::max(highest_low_, want.hi - want.bound) : kInfinity;
  lowest_high_ = std::min(lowest_high_, want.hi + want.bound);
  if (over) keep(e);
}

void Comparison::add(const Run& run, const double* got, const Truths& want) {
  std::int64_t index = run.first;
  for (std::size_t i = 0; i < want.size(); ++i, index += run.stride) add(index, got[i], want.at(i));
}

/// The bad elements with the smallest and with the largest indices.
void Comparison::keep(const Element& e) {
  ++d_.bad;
  bad_.push_back(e.index);
  auto& first = d_.first_bad;
  auto& last = d_.last_bad;
  first.insert(std::upper_bound(first.begin(), first.end(), e, before), e);
  if (first.size() > kShown) first.pop_back();
  last.insert(std::upper_bound(last.begin(), last.end(), e, before), e);
  if (last.size() > kShown) last.erase(last.begin());
}

void Comparison::merge(const Comparison& other) {
  const Discrepancy& o = other.d_;
  if (o.elements == 0) return;
  if (d_.elements == 0 || worse(o.worst, d_.worst)) d_.worst = o.worst;
  d_.elements += o.elements;
  d_.vacuous += o.vacuous;
  d_.wrong_class += o.wrong_class;
  d_.undecided += o.undecided;
  d_.max_ulp = std::max(d_.max_ulp, o.max_ulp);
  d_.zero_would_pass = d_.zero_would_pass && o.zero_would_pass;
  for (std::size_t i = 0; i < o.histogram.size(); ++i) d_.histogram[i] += o.histogram[i];
  for (std::size_t i = 0; i < kBins; ++i) ratios_[i] += other.ratios_[i];
  squares_ += other.squares_;
  highest_low_ = std::max(highest_low_, other.highest_low_);
  lowest_high_ = std::min(lowest_high_, other.lowest_high_);
  d_.bad += o.bad;
  bad_.insert(bad_.end(), other.bad_.begin(), other.bad_.end());
  const auto join = [](std::vector<Element>& into, const std::vector<Element>& more) {
    into.insert(into.end(), more.begin(), more.end());
    std::sort(into.begin(), into.end(), before);
  };
  join(d_.first_bad, o.first_bad);
  join(d_.last_bad, o.last_bad);
  if (d_.first_bad.size() > kShown) d_.first_bad.resize(kShown);
  if (d_.last_bad.size() > kShown)
    d_.last_bad.erase(d_.last_bad.begin(), d_.last_bad.end() - static_cast<int>(kShown));
}

Discrepancy Comparison::finish(const Shape& shape) const {
  Discrepancy d = d_;
  if (d.elements != numel(shape))
    throw InstrumentError(
        fmt::format("{} elements were compared, the tensor has {}", d.elements, numel(shape)));
  if (d.elements == 0) return d;
  const auto count = static_cast<double>(d.elements);
  d.max_ratio = d.worst.ratio;
  d.rms_ratio = std::sqrt(std::ldexp(static_cast<double>(squares_), -80) / count);
  std::int64_t seen = 0;
  const std::int64_t rank = (d.elements - 1) * 99 / 100;
  std::size_t bin = 0;
  while ((seen += ratios_[bin]) <= rank) ++bin;
  d.p99_ratio = std::min(upper_edge(bin), d.max_ratio);
  d.constant_would_pass = d.elements > 1 && highest_low_ <= lowest_high_;
  if (bad_.empty()) return d;
  std::vector<std::int64_t> bad = bad_;
  std::sort(bad.begin(), bad.end());
  for (std::int64_t i = std::max<std::int64_t>(0, bad.front() - kGoodShown); i < bad.front(); ++i)
    d.good_before.push_back(i);
  std::erase_if(d.last_bad, [&](const Element& e) {
    return std::any_of(d.first_bad.begin(), d.first_bad.end(),
                       [&](const Element& f) { return f.index == e.index; });
  });
  d.pattern = pattern_of(bad, shape);
  return d;
}

}  // namespace gradproof
