// SPDX-License-Identifier: Apache-2.0
// These hypotheses fit coefficients: one for all entries, or one or two for each line of a
// gradient.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"

namespace gradproof::diagnosis {
namespace {

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

/// The numbers along an axis that have one coefficient: all, or as many as a group has.
struct FittedLine {
  std::string text;
  Line line;
  std::int64_t width = 1;

  /// The first entry of the entry's line or group.
  std::size_t first(std::size_t entry) const {
    const auto i = static_cast<std::int64_t>(entry);
    return static_cast<std::size_t>(line.moved(i, line.along(i) / width * width));
  }
};

/// Predicts truth + c a + d b, with c and d fitted on each line. The tolerance is twice the bound,
/// as a coefficient carries the errors of all entries.
Prediction fitted(const WrongTensor& asked, const FittedLine& line, const Reals& a,
                  const Reals& b) {
  std::vector<NormalEquations> sums(asked.entries.size());
  for (std::size_t i = 0; i < asked.entries.size(); ++i) {
    const ComparedEntry& entry = asked.entries[i];
    if (std::isfinite(entry.got) && std::isfinite(entry.truth))
      sums[line.first(i)].add(a[i], b[i], entry.got - entry.truth, entry.bound);
  }
  std::vector<std::pair<LongDouble, LongDouble>> found;
  for (const NormalEquations& sum : sums) found.push_back(sum.solve());
  Prediction p;
  for (std::size_t i = 0; i < asked.entries.size(); ++i) {
    const ComparedEntry& entry = asked.entries[i];
    const auto& [c, d] = found[line.first(i)];
    p.push_back({entry.truth + c * a[i] + d * b[i], 2 * entry.bound});
  }
  return p;
}

/// Predicts c * truth for the c that fits all wrong entries best.
void add_one_factor(const WrongTensor& whole, Hypotheses& all) {
  std::int64_t quotients = 0;
  NormalEquations sum;
  for (const ComparedEntry& entry : whole.entries) {
    if (!entry.wrong || !std::isfinite(entry.got) || !std::isfinite(entry.truth)) continue;
    quotients += entry.truth != 0 ? 1 : 0;
    sum.add(entry.truth, 0, entry.got, entry.bound);
  }
  if (quotients < kEntriesEach) return;
  const LongDouble c = sum.solve().first;
  all.push_back(
      predicted_each(fmt::format("off by one factor, {:.9g}, that is no number of the Case",
                                 static_cast<double>(c)),
                     Rank::fit, [c, unit = whole.unit()](const ComparedEntry& entry) {
                       const LongDouble value = c * entry.truth;
                       const double size = static_cast<double>(std::fabs(value));
                       const double factor = static_cast<double>(std::fabs(c));
                       return PredictedEntry{value, 2 * (factor * entry.bound + unit * size)};
                     }));
}

/// A number for each entry, to which its error may be proportional.
struct Regressor {
  std::string text;
  Reals numbers;
};

void add_along(const WrongTensor& whole, const FittedLine& line,
               const std::vector<Regressor>& regressors, const Reals* xhat, Hypotheses& all) {
  if (line.width < kEntriesEach) return;
  const auto add = [&](std::string text, Rank rank, const Reals& a, const Reals& b) {
    all.push_back(predicted(std::move(text), rank, [line, a, b](const WrongTensor& asked) {
      return std::optional(fitted(asked, line, a, b));
    }));
    all.back().of_whole = true;
  };
  const Reals none(whole.entries.size(), 0);
  for (const Regressor& one : regressors)
    add(fmt::format(fmt::runtime(one.text), line.text), Rank::fits, one.numbers, none);
  if (xhat != nullptr && line.width >= 2 * kEntriesEach)
    add(fmt::format("the error is a + b xhat along {}: the norm's two sums are wrong", line.text),
        Rank::pairs, Reals(whole.entries.size(), 1), *xhat);
}

/// The truths, ones, and the numbers of nodes that have the gradient's axes.
std::vector<Regressor> regressors_of(const WrongTensor& whole, const Reals*& xhat) {
  std::vector<Regressor> all{
      {"the error is a factor of its own all along {}", {}},
      {"the error is one number all along {}: a mean term", Reals(whole.entries.size(), 1)}};
  for (const ComparedEntry& entry : whole.entries) all.front().numbers.push_back(entry.truth);
  for (const Node& node : whole.nodes->all) {
    if (node.axes != whole.axes() || node.value.size() != whole.entries.size()) continue;
    const bool is_xhat = node.text == "xhat";
    if (is_xhat) xhat = &node.value;
    if (is_xhat || node.cotangent_text.empty())
      all.push_back({"the error is proportional to " + node.text + " all along {}", node.value});
    if (node.cotangent.empty()) continue;
    if (std::ranges::any_of(whole.claim.graph.outputs, [&](const std::string& output) {
          return cotangent_name(output) == node.cotangent_text;
        }))
      all.push_back({"the error is proportional to " + node.cotangent_text + " all along {}",
                     node.cotangent});
  }
  return all;
}

/// True if a fitted coefficient on each line explains the wrong entries.
bool explains(const WrongTensor& whole, const FittedLine& line, const Reals& numbers) {
  const Reals none(whole.entries.size(), 0);
  const Prediction predicted = fitted(whole, line, numbers, none);
  Fit fit;
  for (std::size_t i = 0; i < predicted.size(); ++i) fit.take(whole.entries[i], predicted[i]);
  return fit.explains() && fit.finite > 0;
}

}  // namespace

void take_lines(WrongTensor& whole) {
  Reals truths;
  for (const ComparedEntry& entry : whole.entries)
    truths.push_back(std::isfinite(entry.truth) ? entry.truth : 0);
  const auto count = std::ssize(whole.entries);
  std::vector<FittedLine> all{{"", {count, 1}, count}};
  const std::vector<std::string> axes = whole.axes();
  for (const std::string& axis : axes) {
    const Line line = line_along(whole.claim.extents, axes, axis);
    if (line.extent >= kEntriesEach) all.push_back({axis, line, line.extent});
  }
  std::ranges::stable_sort(all, std::greater(), &FittedLine::width);
  for (const FittedLine& line : all) {
    if (!explains(whole, line, truths) && !explains(whole, line, Reals(truths.size(), 1))) continue;
    for (std::size_t i = 0; i < truths.size(); ++i)
      whole.lines.push_back(static_cast<std::int64_t>(line.first(i)));
    return;
  }
}

void add_fitted(const WrongTensor& whole, Hypotheses& all) {
  add_one_factor(whole, all);
  if (whole.nodes == nullptr) return;
  const Reals* xhat = nullptr;
  const std::vector<Regressor> regressors = regressors_of(whole, xhat);
  const std::vector<std::string> axes = whole.axes();
  for (const std::string& axis : axes) {
    const Line line = line_along(whole.claim.extents, axes, axis);
    add_along(whole, {axis, line, line.extent}, regressors, xhat, all);
    for (const GraphStep& step : whole.claim.graph.steps)
      if (group_count(step) > 1 && step.axes.front() == axis)
        add_along(whole, {"each group of " + axis, line, line.extent / group_count(step)},
                  regressors, xhat, all);
  }
}

}  // namespace gradproof::diagnosis
