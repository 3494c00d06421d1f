// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// A number at an entry: a factor of the truth, or a term of the error that is multiplied by a
/// fitted coefficient.
using Term = std::function<LongDouble(const Replay&, std::size_t)>;

/// Predicts factor times truth, within `widened` times the bound.
Predict scaled(const Term& factor, double widened = 1) {
  return [factor, widened](const Replay& replay) {
    const double stored = unit_roundoff(replay.gradient.got.dtype());
    Prediction p;
    for (std::size_t i = 0; i < replay.entries.size(); ++i) {
      const TrackedReal c = exact(factor(replay, i));
      const TrackedReal value = exact(c.value * replay.entries[i].truth);
      const double within = c.size() * replay.entries[i].bound + stored * value.size();
      p.push_back({value.value, widened * within});
    }
    return p;
  };
}

Term constant(LongDouble c) {
  return [c](const Replay&, std::size_t) { return c; };
}

/// A number of the entry's unit, at its element.
template <class Number>
Term in_unit(const Number& number) {
  return [number](const Replay& replay, std::size_t i) {
    return number(replay.units[replay.unit_of(i)], replay.element_of(i)).value;
  };
}

/// A fitted coefficient can always explain one entry, so each needs at least so many entries.
constexpr std::int64_t kEntriesEach = 8;

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

  /// Solves for c and d, or for c alone where b is 0.
  std::pair<LongDouble, LongDouble> solve() const {
    const LongDouble determinant = aa * bb - ab * ab;
    if (!(determinant > 0)) return {aa > 0 ? ar / aa : 0, 0};
    return {(ar * bb - br * ab) / determinant, (br * aa - ar * ab) / determinant};
  }
};

/// Predicts truth + c a + d b, with c and d fitted in each unit. The tolerance is twice the
/// bound, as a coefficient carries the errors of all entries.
Prediction fitted(const Replay& replay, const Term& a, const Term& b) {
  std::vector<NormalEquations> sums(replay.units.size());
  Prediction p;
  for (std::size_t i = 0; i < replay.entries.size(); ++i) {
    const ComparedEntry& entry = replay.entries[i];
    p.push_back({entry.truth, 2 * entry.bound});
    if (std::isfinite(entry.got) && std::isfinite(entry.truth))
      sums[replay.unit_of(i)].add(a(replay, i), b(replay, i), entry.got - entry.truth, entry.bound);
  }
  std::vector<std::pair<LongDouble, LongDouble>> found;
  for (const NormalEquations& sum : sums) found.push_back(sum.solve());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto& [c, d] = found[replay.unit_of(i)];
    p[i].value += c * a(replay, i) + d * b(replay, i);
  }
  return p;
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
  const LongDouble c = sum.solve().first;
  all.add(fmt::format("off by one factor, {:.9g}, that is no number of the Case",
                      static_cast<double>(c)),
          scaled(constant(c), 2));
}

void add_factor(Hypotheses& all, LongDouble factor, const std::string& text) {
  if (factor != 1 && std::isfinite(factor)) all.add(text, scaled(constant(factor)));
}

/// Powers of the divisor of each Divide.
void add_divisors(Hypotheses& all) {
  for (const CompiledStep& line : all.pipeline.lines) {
    if (line.formula != StageFormula::divide) continue;
    const LongDouble d = line.scalars[0];
    const std::string value = fmt::format("(d = {})", line.scalars[0]);
    add_factor(all, d, fmt::format("off by d {}: 1/d is missing", value));
    add_factor(all, 1 / d, fmt::format("off by 1/d {}: divided once too often", value));
    add_factor(all, d * d, fmt::format("off by d^2 {}: multiplied where it is divided", value));
    add_factor(all, 1 / (d * d), fmt::format("off by 1/d^2 {}", value));
  }
}

/// eps, which the gradient of a scale in closed form has (oracles/pipeline/stages/batch_norm.h).
void add_eps(Hypotheses& all) {
  const JudgedGradient& gradient = all.gradient;
  if (gradient.matrix) return;
  if (!all.pipeline.lines[user_of(all.pipeline, gradient.slot)].gradient_behind) return;
  const std::string value = fmt::format("(eps = {:.9g})", gradient.eps());
  add_factor(all, 1 / LongDouble(gradient.eps()),
             fmt::format("off by 1/eps {}: eps is left out", value));
  add_factor(all, gradient.eps(),
             fmt::format("off by eps {}: multiplied in once too often", value));
}

/// Adds factors of counts n of rows, columns and the like, and of n - 1 in their place.
void add_counts(Hypotheses& all) {
  const bool grouped = all.gradient.is_grouped();
  const std::int64_t rows = all.claim.rows(), cols = all.claim.cols();
  for (const auto& [count, value] :
       {std::pair{all.gradient.geometry.unit_size(),
                  grouped ? "N = {} channels of a group" : "N = {} rows"},
        {grouped ? rows : 0, "B = {} rows"},
        {cols, "C = {} columns"},
        {all.claim.groups(), "G = {} groups"},
        {rows * cols, "E = {} elements of x"}}) {
    if (count < 2) continue;
    const auto n = static_cast<LongDouble>(count);
    const LongDouble share = (n - 1) / n;
    for (const auto& [factor, text] : {std::pair{n, "off by {0} ({1})"},
                                       {1 / n, "off by 1/{0} ({1}): averaged"},
                                       {1 / share, "off by {0}/({0}-1) ({1})"},
                                       {share, "off by ({0}-1)/{0} ({1})"},
                                       {std::sqrt(share), "off by sqrt(({0}-1)/{0}) ({1})"},
                                       {1 / std::sqrt(share), "off by sqrt({0}/({0}-1)) ({1})"}})
      add_factor(
          all, factor,
          fmt::format(fmt::runtime(text), value[0], fmt::format(fmt::runtime(value), count)));
  }
}

/// A number that is multiplied in once too often, or is left out.
void add_number(Hypotheses& all, const std::string& name, const char* too_often,
                const Term& number) {
  all.add(fmt::format(fmt::runtime(too_often), name), scaled(number));
  all.add(fmt::format("off by 1/{0}: {0} is left out", name),
          scaled([number](const Replay& replay, std::size_t i) { return 1 / number(replay, i); }));
}

/// Parameters by column, and the unit's rstd.
void add_parameters(Hypotheses& all) {
  for (const ParameterSlot& slot : all.pipeline.numbers)
    if (slot.gradient)
      add_number(
          all, slot.name, "off by {0}: {0} is multiplied in once too often",
          [&tensor = get(all.gradient.inputs, slot.name)](const Replay& replay, std::size_t i) {
            const std::int64_t col = replay.gradient.col_of(replay.entries[i].index);
            return LongDouble(tensor.at(tensor.numel() == 1 ? 0 : col));
          });
  const bool normed = all.sample.has_units() && !all.sample.units.empty();
  if (normed && all.sample.units.front().statistics)
    add_number(
        all, "rstd", "off by {}: multiplied in once too often",
        in_unit([](const ReplayedUnit& unit, std::size_t) { return unit.statistics->rstd; }));
}

}  // namespace

void add_factors(Hypotheses& all) {
  add_factor(all, 0, "missing altogether: 0");
  add_divisors(all);
  add_eps(all);
  add_factor(all, -1, "off by -1: the sign is wrong");
  add_factor(all, 2, "off by 2: counted twice");
  add_factor(all, LongDouble(1) / 2, "off by 1/2");
  add_counts(all);
  if (!all.gradient.shared) add_parameters(all);
}

void add_fitted(Hypotheses& all) {
  all.rank = Rank::fit;
  add_one_factor(all);
  const std::int64_t size = all.gradient.geometry.unit_size();
  if (!all.gradient.matrix || size < kEntriesEach) return;
  const auto add = [&](const char* text, const Term& a, const Term& b = constant(0)) {
    const std::string unit = all.gradient.is_grouped() ? "row of a group" : "column";
    const auto predict = [a, b](const Replay& replay) { return fitted(replay, a, b); };
    all.add(fmt::format(fmt::runtime(text), unit), predict);
  };
  const bool norm = all.pipeline.has_norm() && all.sample.sound;
  const Term xhat = in_unit([node = all.pipeline.norm](const ReplayedUnit& unit, std::size_t i) {
    return (unit.values[node][i] - unit.statistics->mean) * unit.statistics->rstd;
  });
  all.rank = Rank::fits;
  add("each {} is off by a factor of its own",
      [](const Replay& replay, std::size_t i) { return replay.entries[i].truth; });
  add("the error is one number for each {}: a mean term", constant(1));
  if (norm) add("the error is proportional to xhat in each {}", xhat);
  add("the error is proportional to dy in each {}",
      in_unit([](const ReplayedUnit& unit, std::size_t i) { return unit.from.dy[i]; }));
  add("the error is proportional to x in each {}",
      in_unit([](const ReplayedUnit& unit, std::size_t i) { return unit.from.x[i]; }));
  all.rank = Rank::pairs;
  if (norm && size >= 2 * kEntriesEach)
    add("the error is a + b xhat in each {}: the norm's two sums are wrong", constant(1), xhat);
}

}  // namespace gradproof::diagnosis
