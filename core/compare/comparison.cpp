// SPDX-License-Identifier: Apache-2.0
#include "core/compare/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/compare/answer.h"
#include "core/error.h"

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kShown = 5;
constexpr std::int64_t kGoodShown = 3;

/// True if a is the worse of two elements; of equally bad ones the first is worse.
bool worse(const Element& a, const Element& b) {
  return a.ratio > b.ratio || (a.ratio == b.ratio && a.index < b.index);
}

bool before(const Element& a, const Element& b) { return a.index < b.index; }

Chunk chunk_for(DType dtype) {
  Chunk chunk;
  if (dtype == DType::i64) {
    chunk.lowest_bits = std::bit_cast<std::int64_t>(1.0);
    return chunk;
  }
  chunk.last_place = std::ldexp(1.0, precision_of(dtype) - 1);
  chunk.lowest_bits = std::bit_cast<std::int64_t>(std::ldexp(1.0, min_exponent_of(dtype)));
  chunk.exponent_mask = std::int64_t{0x7FF} << 52;
  return chunk;
}

/// Removes the sign of a NaN, which no computation decides and no word has.
double unsigned_nan(double v) {
  return std::isnan(v) ? std::numeric_limits<double>::quiet_NaN() : v;
}

Element element_at(const Run& run, const Chunk& chunk, std::size_t i) {
  return {run.index(static_cast<std::int64_t>(i)), unsigned_nan(chunk.got[i]),
          unsigned_nan(chunk.hi[i]), chunk.ratio[i], chunk.ulp[i]};
}

/// error/bound where 0/0 is 0: an exact result under a bound of 0 is right.
double ratio_of(double error, double bound) { return error == 0 ? 0 : error / bound; }

}  // namespace

void Truths::resize(std::size_t count) {
  for (auto* numbers : {&hi, &lo, &radius, &bound}) numbers->resize(count);
  any_nonfinite.resize(count);
}

Comparison::Comparison(DType dtype, const Shape& shape, std::int64_t group_width)
    : dtype_(dtype),
      extents_(extents_of(shape, group_width)),
      columns_(extents_),
      highest_low_(-kInfinity),
      lowest_high_(kInfinity) {}

void Comparison::add(std::int64_t index, double got, const Truth& want) {
  Chunk chunk = chunk_for(dtype_);
  chunk.count = 1;
  chunk.got = &got;
  chunk.hi = &want.hi;
  chunk.lo = &want.lo;
  chunk.radius = &want.radius;
  chunk.bound = &want.bound;
  const unsigned char any_nonfinite = want.any_nonfinite;
  take({index, 1}, chunk, &any_nonfinite);
}

void Comparison::add(const Run& run, const double* got, const Truths& want, std::size_t from,
                     std::size_t count) {
  Chunk chunk = chunk_for(dtype_);
  const auto lanes = static_cast<std::size_t>(run.lanes);
  const std::size_t most = Chunk::kSize / lanes * lanes;
  for (std::size_t start = 0; start < count; start += most) {
    chunk.count = std::min(most, count - start);
    chunk.got = got + start;
    chunk.hi = want.hi.data() + from + start;
    chunk.lo = want.lo.data() + from + start;
    chunk.radius = want.radius.data() + from + start;
    chunk.bound = want.bound.data() + from + start;
    take(run.from(static_cast<std::int64_t>(start)), chunk,
         want.any_nonfinite.data() + from + start);
  }
}

void Comparison::take(const Run& run, Chunk& chunk, const unsigned char* any_nonfinite) {
  const ChunkLoops& loops = chunk_loops();
  loops.measure(chunk);
  if ((chunk.any & Chunk::kRare) != 0)
    for (std::size_t i = 0; i < chunk.count; ++i)
      if ((chunk.flags[i] & Chunk::kRare) != 0) examine(run, chunk, i, any_nonfinite[i] != 0);
  ChunkSummary summary;
  loops.summarise(chunk, summary);
  ratios_.add(summary.ratio_bins, chunk.count);
  ratio_squares_.add(summary.ratio_squares);
  resolution_.add(summary, chunk.count);
  columns_.add(run, chunk.ratio, chunk.count, summary.max_ratio);
  d_.max_ulp = std::max(d_.max_ulp, summary.max_ulp);
  highest_low_ = std::max(highest_low_, summary.highest_low);
  lowest_high_ = std::min(lowest_high_, summary.lowest_high);
  const bool first = d_.elements == 0;
  if (first || summary.max_ratio > d_.worst.ratio ||
      (summary.max_ratio == d_.worst.ratio && run.first < d_.worst.index))
    take_worst(run, chunk, summary.max_ratio);
  d_.elements += static_cast<std::int64_t>(chunk.count);
}

/// Finds the worst element of all where it is in this chunk: the first with the largest ratio.
void Comparison::take_worst(const Run& run, const Chunk& chunk, double largest) {
  bool first = d_.elements == 0;
  for (std::size_t i = 0; i < chunk.count; ++i) {
    if (chunk.ratio[i] != largest) continue;
    const Element e = element_at(run, chunk, i);
    if (first || worse(e, d_.worst)) d_.worst = e;
    first = false;
  }
}

/// Judges an element that the loops cannot: classes, infinite bounds, coarse truths, large errors.
void Comparison::examine(const Run& run, Chunk& c, std::size_t i, bool any_nonfinite) {
  const double got = c.got[i];
  const double hi = c.hi[i];
  const double bound = c.bound[i];
  const NumberClass wanted = class_of(hi);
  const NumberClass found = class_of(got);
  const bool finite = wanted == NumberClass::finite;
  d_.vacuous += std::isinf(bound);
  if (!finite) {
    ++wanted_[static_cast<std::size_t>(wanted)];
    c.flags[i] &= ~Chunk::kZeroPasses;
    c.low[i] = c.high[i] = kInfinity;
  }
  if (!finite || !std::isfinite(bound)) c.relative[i] = kInfinity;
  c.ratio[i] = c.ulp[i] = 0;
  if (any_nonfinite && found != NumberClass::finite) return;  // permitted; the bound is vacuous
  if (wanted != found) {
    c.ratio[i] = c.ulp[i] = kInfinity;
    ++d_.wrong_class;
    ++d_.classes[static_cast<std::size_t>(wanted)][static_cast<std::size_t>(found)];
    keep(element_at(run, c, i));
  } else if (finite && std::isinf(bound)) {
    return;  // nothing is promised, and error/bound may be infinity over infinity
  } else if (finite) {
    const double error = std::abs((got - hi) - c.lo[i]);
    const bool within = c.radius[i] <= kSmallestDouble;  // then the bound has it
    const double slack = bound > 0 && !within ? c.radius[i] / bound : 0;
    const double ratio = ratio_of(error, bound);
    if (!std::isnan(ratio)) {
      c.ratio[i] = ratio;
      c.ulp[i] = ulp_error(error, hi, dtype_);
    }
    if (ratio > 1 + slack)
      keep(element_at(run, c, i));
    else
      d_.undecided += !(ratio <= 1 - slack);  // a NaN among them decides nothing
  }
}

/// Counts a bad element, and keeps those with the smallest and with the largest indices.
void Comparison::keep(const Element& e) {
  ++d_.bad;
  bad_.add(e.index, extents_);
  columns_.add_bad(e.index);
  auto& first = d_.first_bad;
  auto& last = d_.last_bad;
  if (first.size() < kShown || before(e, first.back())) {
    first.insert(std::upper_bound(first.begin(), first.end(), e, before), e);
    if (first.size() > kShown) first.pop_back();
  }
  if (last.size() < kShown || before(last.front(), e)) {
    last.insert(std::upper_bound(last.begin(), last.end(), e, before), e);
    if (last.size() > kShown) last.erase(last.begin());
  }
}

void Comparison::merge(const Comparison& other) {
  const Discrepancy& o = other.d_;
  if (o.elements == 0) return;
  if (d_.elements == 0 || worse(o.worst, d_.worst)) d_.worst = o.worst;
  d_.elements += o.elements;
  d_.vacuous += o.vacuous;
  d_.wrong_class += o.wrong_class;
  d_.undecided += o.undecided;
  for (std::size_t w = 0; w < kClasses; ++w) {
    wanted_[w] += other.wanted_[w];
    for (std::size_t g = 0; g < kClasses; ++g) d_.classes[w][g] += o.classes[w][g];
  }
  d_.max_ulp = std::max(d_.max_ulp, o.max_ulp);
  ratios_.merge(other.ratios_);
  ratio_squares_.merge(other.ratio_squares_);
  resolution_.merge(other.resolution_);
  columns_.merge(other.columns_);
  bad_.merge(other.bad_);
  highest_low_ = std::max(highest_low_, other.highest_low_);
  lowest_high_ = std::min(lowest_high_, other.lowest_high_);
  d_.bad += o.bad;
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

bool Comparison::constant_would_pass() const {
  if (d_.elements < 2) return false;
  if (std::find(wanted_.begin(), wanted_.end(), d_.elements) != wanted_.end()) return true;
  return highest_low_ < kInfinity && highest_low_ <= lowest_high_;  // all are finite
}

Discrepancy Comparison::finish() const {
  Discrepancy d = d_;
  if (d.elements != extents_.size())
    throw InstrumentError(
        fmt::format("{} elements were compared, the tensor has {}", d.elements, extents_.size()));
  if (d.elements == 0) return d;
  d.max_ratio = d.worst.ratio;
  d.rms_ratio = ratio_squares_.rms(d.elements);
  d.p99_ratio = std::min(ratios_.quantile((d.elements - 1) * 99 / 100), d.max_ratio);
  d.histogram = ratios_.histogram();
  d.worst_columns = columns_.worst(kShown);
  d.resolution = resolution_.of(d.elements);
  d.constant_would_pass = constant_would_pass();
  if (d.bad == 0) return d;
  const std::int64_t first = bad_.indices.first();
  for (std::int64_t i = std::max<std::int64_t>(0, first - kGoodShown); i < first; ++i)
    d.good_before.push_back(i);
  std::erase_if(d.last_bad, [&](const Element& e) { return e.index <= d.first_bad.back().index; });
  d.pattern = pattern_of(bad_, extents_, columns_.bad());
  return d;
}

}  // namespace gradproof
