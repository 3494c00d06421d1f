// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// A fitted coefficient can always explain one entry, so each needs at least so many entries.
constexpr std::int64_t kEntriesEach = 8;

using Term = std::function<LongDouble(const Observation&, std::size_t)>;

/// The normal equations of a weighted regression: error = c a + d b, weights 1/bound^2.
struct NormalEquations {
  LongDouble aa = 0, ab = 0, bb = 0, ar = 0, br = 0;

  void add(LongDouble a, LongDouble b, LongDouble residual, double bound) {
    const LongDouble weight = bound > 0 ? 1 / (LongDouble(bound) * bound) : 0;
    aa += weight * a * a;
    ab += weight * a * b;
    bb += weight * b * b;
    ar += weight * a * residual;
    br += weight * b * residual;
  }

  std::array<LongDouble, 2> solve(bool two) const {
    if (!two) return {aa > 0 ? ar / aa : 0, 0};
    const LongDouble determinant = aa * bb - ab * ab;
    if (!(determinant > 0)) return {0, 0};
    return {(ar * bb - br * ab) / determinant, (br * aa - ar * ab) / determinant};
  }
};

std::size_t unit_at(const Observation& e, std::size_t i) {
  const auto index = static_cast<std::int64_t>(i);
  return static_cast<std::size_t>(
      e.replayed.unit_of(index / e.replayed.cols(), index % e.replayed.cols()));
}

/// Predicts truth + c a (+ d b), with c and d fitted in each unit.
Explanation fitted(std::string text, Term a, Term b) {
  const int coefficients = b ? 3 : 2;
  return {std::move(text),
          [a = std::move(a), b = std::move(b)](const Observation& e) {
            std::vector<NormalEquations> sums(static_cast<std::size_t>(e.replayed.units()));
            const auto second = [&](std::size_t i) { return b ? b(e, i) : LongDouble(0); };
            for (std::size_t i = 0; i < e.got.size(); ++i)
              if (std::isfinite(e.got[i]) && std::isfinite(e.truth[i]))
                sums[unit_at(e, i)].add(a(e, i), second(i), e.got[i] - e.truth[i], e.bound[i]);
            std::vector<std::array<LongDouble, 2>> found;
            for (const NormalEquations& sum : sums)
              found.push_back(sum.solve(static_cast<bool>(b)));
            Prediction p;
            for (std::size_t i = 0; i < e.got.size(); ++i) {
              const auto& c = found[unit_at(e, i)];
              p.value.push_back(e.truth[i] + c[0] * a(e, i) + c[1] * second(i));
              p.tolerance.push_back(
                  2 * e.bound[i]);  // the coefficient carries the errors of all entries
            }
            return p;
          },
          false, coefficients};
}

Term constant() {
  return [](const Observation&, std::size_t) { return LongDouble(1); };
}
Term truth() {
  return [](const Observation& e, std::size_t i) { return e.truth[i]; };
}
Term xhat() {
  return [](const Observation& e, std::size_t i) { return (*e.replayed.computed->xhat)[i].value; };
}
Term cotangent() {
  return [](const Observation& e, std::size_t i) { return (*e.replayed.dy)[i].value; };
}
Term input() {
  return [](const Observation& e, std::size_t i) { return (*e.replayed.x)[i].value; };
}

/// Predicts c * truth for the c that fits all wrong entries best (least squares, weights
/// 1/bound^2).
Explanation one_factor(const Observation& sample) {
  std::vector<LongDouble> quotients;
  for (std::size_t i = 0; i < sample.got.size(); ++i)
    if (sample.wrong[i] != 0 && sample.truth[i] != 0 && std::isfinite(sample.got[i]))
      quotients.push_back(sample.got[i] / sample.truth[i]);
  if (static_cast<std::int64_t>(quotients.size()) < kEntriesEach) return {};
  LongDouble top = 0;
  LongDouble below = 0;
  for (std::size_t i = 0; i < sample.got.size(); ++i) {
    if (sample.wrong[i] == 0 || !(sample.bound[i] > 0) || !std::isfinite(sample.got[i])) continue;
    const LongDouble weight = 1 / (LongDouble(sample.bound[i]) * sample.bound[i]);
    top += weight * sample.got[i] * sample.truth[i];
    below += weight * sample.truth[i] * sample.truth[i];
  }
  const LongDouble c = top / below;
  return {fmt::format("off by one factor, {:.9g}, that is no number of the Case",
                      static_cast<double>(c)),
          [c](const Observation& e) {
            Prediction p = scaled_truth(e, [c](std::size_t) { return c; });
            for (double& tolerance : p.tolerance) tolerance *= 2;
            return p;
          },
          false, 1};
}

}  // namespace

std::vector<Explanation> proportional(const Observation& e) {
  std::vector<Explanation> all;
  if (Explanation one = one_factor(e); one.predict) all.push_back(std::move(one));
  if (!e.target.matrix || e.replayed.unit_size() < kEntriesEach) return all;
  const std::string unit = e.replayed.is_grouped() ? "row of a group" : "column";
  const auto add = [&](const std::string& what, const Term& a, const Term& b) {
    all.push_back(fitted(fmt::format(fmt::runtime(what), unit), a, b));
  };
  add("each {} is off by a factor of its own", truth(), {});
  add("the error is one number for each {}: a mean term", constant(), {});
  const bool norm = e.replayed.compiled.has_norm() && e.sound;
  if (norm) add("the error is proportional to xhat in each {}", xhat(), {});
  add("the error is proportional to dy in each {}", cotangent(), {});
  add("the error is proportional to x in each {}", input(), {});
  if (norm && e.replayed.unit_size() >= 2 * kEntriesEach)
    add("the error is a + b xhat in each {}: the norm's two sums are wrong", constant(), xhat());
  return all;
}

}  // namespace gradproof::diagnosis
