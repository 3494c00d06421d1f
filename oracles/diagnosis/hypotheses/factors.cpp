// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

struct Named {
  Wide factor;
  std::string words;
};

void add_divisors(std::vector<Named>& all, const CompiledPipeline& compiled) {
  for (const CompiledStep& line : compiled.lines) {
    if (line.kind != StageKind::divide) continue;
    const Wide d = line.scalars[0];
    const std::string value = fmt::format("(d = {})", line.scalars[0]);
    all.push_back({d, fmt::format("off by d {}: 1/d is missing", value)});
    all.push_back({1 / d, fmt::format("off by 1/d {}: divided once too often", value)});
    all.push_back({d * d, fmt::format("off by d^2 {}: multiplied where it is divided", value)});
    all.push_back({1 / (d * d), fmt::format("off by 1/d^2 {}", value)});
  }
}

void add_counts(std::vector<Named>& all, const ReplayedPipeline& replayed) {
  const auto count = [&](const char* name, std::int64_t n, const char* what) {
    if (n < 2) return;
    const auto wide = static_cast<Wide>(n);
    const std::string value = fmt::format("({} = {}{})", name, n, what);
    all.push_back({wide, fmt::format("off by {} {}", name, value)});
    all.push_back({1 / wide, fmt::format("off by 1/{} {}: averaged", name, value)});
    all.push_back({wide / (wide - 1), fmt::format("off by {0}/({0}-1) {1}", name, value)});
    all.push_back({(wide - 1) / wide, fmt::format("off by ({0}-1)/{0} {1}", name, value)});
    const Wide root = std::sqrt((wide - 1) / wide);
    all.push_back({root, fmt::format("off by sqrt(({0}-1)/{0}) {1}", name, value)});
    all.push_back({1 / root, fmt::format("off by sqrt({0}/({0}-1)) {1}", name, value)});
  };
  count("N", replayed.unit_size(), replayed.is_grouped() ? " channels of a group" : " rows");
  if (replayed.is_grouped()) count("B", replayed.question->claim.rows, " rows");
  const Claim& claim = replayed.question->claim;
  count("C", claim.cols, " columns");
  if (claim.groups > 1) count("G", claim.groups, " groups");
  count("E", claim.rows * claim.cols, " elements of x");
}

/// Of the gradient of a scale in closed form (oracles/pipeline/stages/batch_norm.h).
void add_eps(std::vector<Named>& all, const Observation& e) {
  const auto use = use_of(e.replayed.compiled, e.target);
  if (!use || !e.replayed.compiled.lines[use->step].gradient_behind) return;
  const Wide eps = e.replayed.eps();
  const std::string value = fmt::format("(eps = {:.9g})", e.replayed.eps());
  all.push_back({1 / eps, fmt::format("off by 1/eps {}: eps is left out", value)});
  all.push_back({eps, fmt::format("off by eps {}: multiplied in once too often", value)});
}

/// Constants, those that are the same number in one sentence.
std::vector<Named> constants(const Observation& e) {
  const ReplayedPipeline& replayed = e.replayed;
  std::vector<Named> all;
  add_divisors(all, replayed.compiled);
  add_eps(all, e);
  all.push_back({-1, "off by -1: the sign is wrong"});
  all.push_back({2, "off by 2: counted twice"});
  all.push_back({Wide(1) / 2, "off by 1/2"});
  add_counts(all, replayed);
  std::vector<Named> merged;
  for (const Named& named : all) {
    if (named.factor == 1 || !std::isfinite(named.factor)) continue;
    bool known = false;
    for (Named& other : merged)
      if (std::fabs(other.factor - named.factor) <= std::fabs(named.factor) * 1e-15L) {
        other.words += ", or " + named.words;
        known = true;
        break;
      }
    if (!known) merged.push_back(named);
  }
  return merged;
}

std::size_t column_at(const Observation& e, std::size_t i) {
  return e.target.matrix ? i % static_cast<std::size_t>(e.replayed.cols()) : i;
}

/// Factors that each column has for itself.
void add_parameters(std::vector<Explanation>& all, const Observation& e) {
  if (e.target.shared) return;
  for (std::size_t slot = 0; slot < e.replayed.compiled.numbers.size(); ++slot) {
    const std::string& name = e.replayed.compiled.numbers[slot].name;
    if (!e.replayed.compiled.numbers[slot].gradient) continue;
    const auto number = [slot](const Observation& part, std::size_t i) {
      return part.replayed.numbers[slot][column_at(part, i)].value;
    };
    all.push_back({fmt::format("off by {0}: {0} is multiplied in once too often", name),
                   [number](const Observation& part) {
                     return scaled_truth(part, [&](std::size_t i) { return number(part, i); });
                   }});
    all.push_back(
        {fmt::format("off by 1/{0}: {0} is left out", name), [number](const Observation& part) {
           return scaled_truth(part, [&](std::size_t i) { return 1 / number(part, i); });
         }});
  }
}

Wide rstd_at(const Observation& e, std::size_t i) {
  const auto cols = static_cast<std::size_t>(e.replayed.cols());
  const std::int64_t row = e.target.matrix ? static_cast<std::int64_t>(i / cols) : 0;
  const auto col = static_cast<std::int64_t>(column_at(e, i));
  return e.replayed.rstd[static_cast<std::size_t>(e.replayed.unit_of(row, col))].value;
}

void add_rstd(std::vector<Explanation>& all, const Observation& e) {
  if (!e.replayed.compiled.has_norm() || e.target.shared || e.replayed.rstd.empty()) return;
  if (e.replayed.is_grouped() && !e.target.matrix) return;  // a sum over units of their own each
  all.push_back({"off by rstd: multiplied in once too often", [](const Observation& part) {
                   return scaled_truth(part, [&](std::size_t i) { return rstd_at(part, i); });
                 }});
  all.push_back({"off by 1/rstd: rstd is left out", [](const Observation& part) {
                   return scaled_truth(part, [&](std::size_t i) { return 1 / rstd_at(part, i); });
                 }});
}

}  // namespace

std::vector<Explanation> factors(const Observation& evidence) {
  std::vector<Explanation> all;
  const auto add = [&](const std::string& words, Wide c) {
    all.push_back({words, [c](const Observation& part) {
                     return scaled_truth(part, [c](std::size_t) { return c; });
                   }});
  };
  add("missing altogether: 0", 0);
  for (const Named& named : constants(evidence)) add(named.words, named.factor);
  add_parameters(all, evidence);
  add_rstd(all, evidence);
  return all;
}

}  // namespace gradproof::diagnosis
