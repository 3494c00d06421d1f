// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// A fitted coefficient can always explain one entry, so each needs at least so many entries.
constexpr std::int64_t kEntriesEach = 8;

/// A term of the error at an entry, which is multiplied by a fitted coefficient.
using Term = std::function<LongDouble(const Observation&, std::size_t)>;

/// The normal equations of a weighted regression: error = c a + d b, weights 1/bound^2.
struct NormalEquations {
  LongDouble aa = 0, ab = 0, bb = 0, ar = 0, br = 0;

  void add(LongDouble a, LongDouble b, LongDouble error, double bound) {
    const LongDouble weight = bound > 0 ? 1 / (LongDouble(bound) * bound) : 0;
    aa += weight * a * a;
    ab += weight * a * b;
    bb += weight * b * b;
    ar += weight * a * error;
    br += weight * b * error;
  }

  std::array<LongDouble, 2> solve(bool two) const {
    if (!two) return {aa > 0 ? ar / aa : 0, 0};
    const LongDouble determinant = aa * bb - ab * ab;
    if (!(determinant > 0)) return {0, 0};
    return {(ar * bb - br * ab) / determinant, (br * aa - ar * ab) / determinant};
  }
};

/// Truth + c a (+ d b), with c and d fitted in each unit. The tolerance is twice the bound, as a
/// coefficient carries the errors of all entries.
Prediction fitted(const Observation& e, const Term& a, const Term& b) {
  const auto second = [&](std::size_t i) { return b ? b(e, i) : LongDouble(0); };
  std::vector<NormalEquations> sums(e.replay.units.size());
  for (std::size_t i = 0; i < e.entries.size(); ++i)
    if (const ComparedEntry& entry = e.entries[i];
        std::isfinite(entry.got) && std::isfinite(entry.truth))
      sums[e.places[i].unit].add(a(e, i), second(i), entry.got - entry.truth, entry.bound);
  std::vector<std::array<LongDouble, 2>> found;
  for (const NormalEquations& sum : sums) found.push_back(sum.solve(static_cast<bool>(b)));
  Prediction p;
  for (std::size_t i = 0; i < e.entries.size(); ++i) {
    const auto& c = found[e.places[i].unit];
    p.push_back({e.entries[i].truth + c[0] * a(e, i) + c[1] * second(i), 2 * e.entries[i].bound});
  }
  return p;
}

LongDouble one(const Observation&, std::size_t) { return 1; }
LongDouble truth(const Observation& e, std::size_t i) { return e.entries[i].truth; }

/// A number of the unit at the entry's element.
LongDouble at(const Observation& e, std::size_t i, Numbers Unit<TrackedReal>::*numbers) {
  const EntryPlace& place = e.places[i];
  return (e.replay.units[place.unit].from.*numbers)[place.element].value;
}
LongDouble dy(const Observation& e, std::size_t i) { return at(e, i, &Unit<TrackedReal>::dy); }
LongDouble x(const Observation& e, std::size_t i) { return at(e, i, &Unit<TrackedReal>::x); }

LongDouble xhat(const Observation& e, std::size_t i) {
  const CompiledPipeline& pipeline = e.replay.pipeline;
  const ReplayedUnit& unit = e.replay.units[e.places[i].unit];
  const Numbers& in = unit.right->values[pipeline.lines[pipeline.norm].input];
  const LongDouble d = in[e.places[i].element].value - unit.statistics->mean.value;
  return d * unit.statistics->rstd.value;
}

/// Predicts c * truth for the c that fits all wrong entries of the sample best.
void add_one_factor(Hypotheses& all) {
  std::int64_t quotients = 0;
  NormalEquations sum;
  for (const ComparedEntry& entry : all.sample.entries) {
    if (!entry.wrong || !std::isfinite(entry.got)) continue;
    quotients += entry.truth != 0 ? 1 : 0;
    sum.add(entry.truth, 0, entry.got, entry.bound);
  }
  if (quotients < kEntriesEach) return;
  const LongDouble c = sum.ar / sum.aa;
  all.add(
      fmt::format("off by one factor, {:.9g}, that is no number of the Case",
                  static_cast<double>(c)),
      [c](const Observation& e) {
        return scaled_truth(
            e, [c](std::size_t) { return c; }, 2);
      },
      1);
}

}  // namespace

void add_proportional(Hypotheses& all) {
  add_one_factor(all);
  const std::int64_t size = all.replay.unit_size();
  if (!all.sample.target.matrix || size < kEntriesEach) return;
  const std::string unit = all.replay.is_grouped() ? "row of a group" : "column";
  const auto add = [&](const char* text, const Term& a, const Term& b = {}) {
    all.add(
        fmt::format(fmt::runtime(text), unit),
        [a, b](const Observation& e) { return fitted(e, a, b); }, b ? 3 : 2);
  };
  add("each {} is off by a factor of its own", truth);
  add("the error is one number for each {}: a mean term", one);
  const bool norm = all.pipeline.has_norm() && all.sample.sound;
  if (norm) add("the error is proportional to xhat in each {}", xhat);
  add("the error is proportional to dy in each {}", dy);
  add("the error is proportional to x in each {}", x);
  if (norm && size >= 2 * kEntriesEach)
    add("the error is a + b xhat in each {}: the norm's two sums are wrong", one, xhat);
}

}  // namespace gradproof::diagnosis
