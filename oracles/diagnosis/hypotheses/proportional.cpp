// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// A free coefficient explains one entry whatever it is: so many must lie under each.
constexpr std::int64_t kEntriesEach = 8;

using Term = std::function<Wide(const Observation&, std::size_t)>;

/// UnitSums of a weighted regression of the error on two terms.
struct Normal {
  Wide aa = 0, ab = 0, bb = 0, ar = 0, br = 0;

  void add(Wide a, Wide b, Wide residual, double bound) {
    const Wide weight = bound > 0 ? 1 / (Wide(bound) * bound) : 0;
    aa += weight * a * a;
    ab += weight * a * b;
    bb += weight * b * b;
    ar += weight * a * residual;
    br += weight * b * residual;
  }

  std::array<Wide, 2> solve(bool two) const {
    if (!two) return {aa > 0 ? ar / aa : 0, 0};
    const Wide determinant = aa * bb - ab * ab;
    if (!(determinant > 0)) return {0, 0};
    return {(ar * bb - br * ab) / determinant, (br * aa - ar * ab) / determinant};
  }
};

std::size_t unit_at(const Observation& e, std::size_t i) {
  const auto index = static_cast<std::int64_t>(i);
  return static_cast<std::size_t>(
      e.replayed.unit_of(index / e.replayed.cols(), index % e.replayed.cols()));
}

/// truth + c a (+ d b), with c and d of each unit's own.
Explanation fitted(std::string words, Term a, Term b) {
  const int coefficients = b ? 3 : 2;
  return {std::move(words),
          [a = std::move(a), b = std::move(b)](const Observation& e) {
            std::vector<Normal> sums(static_cast<std::size_t>(e.replayed.units()));
            const auto second = [&](std::size_t i) { return b ? b(e, i) : Wide(0); };
            for (std::size_t i = 0; i < e.got.size(); ++i)
              if (std::isfinite(e.got[i]) && std::isfinite(e.truth[i]))
                sums[unit_at(e, i)].add(a(e, i), second(i), e.got[i] - e.truth[i], e.bound[i]);
            std::vector<std::array<Wide, 2>> found;
            for (const Normal& sum : sums) found.push_back(sum.solve(static_cast<bool>(b)));
            Prediction p;
            for (std::size_t i = 0; i < e.got.size(); ++i) {
              const auto& c = found[unit_at(e, i)];
              p.value.push_back(e.truth[i] + c[0] * a(e, i) + c[1] * second(i));
              p.tolerance.push_back(2 * e.bound[i]);  // the coefficient has the errors of all
            }
            return p;
          },
          false, coefficients};
}

Term constant() {
  return [](const Observation&, std::size_t) { return Wide(1); };
}
Term truth() {
  return [](const Observation& e, std::size_t i) { return e.truth[i]; };
}
Term xhat() {
  return [](const Observation& e, std::size_t i) { return (*e.replayed.made->xhat)[i].value; };
}
Term cotangent() {
  return [](const Observation& e, std::size_t i) { return (*e.replayed.dy)[i].value; };
}
Term input() {
  return [](const Observation& e, std::size_t i) { return (*e.replayed.x)[i].value; };
}

/// Where every wrong entry is the same multiple of its truth; the middle one's.
Explanation one_factor(const Observation& sample) {
  std::vector<Wide> quotients;
  for (std::size_t i = 0; i < sample.got.size(); ++i)
    if (sample.wrong[i] != 0 && sample.truth[i] != 0 && std::isfinite(sample.got[i]))
      quotients.push_back(sample.got[i] / sample.truth[i]);
  if (static_cast<std::int64_t>(quotients.size()) < kEntriesEach) return {};
  Wide top = 0;
  Wide below = 0;
  for (std::size_t i = 0; i < sample.got.size(); ++i) {
    if (sample.wrong[i] == 0 || !(sample.bound[i] > 0) || !std::isfinite(sample.got[i])) continue;
    const Wide weight = 1 / (Wide(sample.bound[i]) * sample.bound[i]);
    top += weight * sample.got[i] * sample.truth[i];
    below += weight * sample.truth[i] * sample.truth[i];
  }
  const Wide c = top / below;
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
