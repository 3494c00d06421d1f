// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

struct NamedFactor {
  LongDouble factor;
  std::string text;
};

void add_divisors(std::vector<NamedFactor>& all, const CompiledPipeline& compiled) {
  for (const CompiledStep& line : compiled.lines) {
    if (line.kind != StageKind::divide) continue;
    const LongDouble d = line.scalars[0];
    const std::string value = fmt::format("(d = {})", line.scalars[0]);
    all.push_back({d, fmt::format("off by d {}: 1/d is missing", value)});
    all.push_back({1 / d, fmt::format("off by 1/d {}: divided once too often", value)});
    all.push_back({d * d, fmt::format("off by d^2 {}: multiplied where it is divided", value)});
    all.push_back({1 / (d * d), fmt::format("off by 1/d^2 {}", value)});
  }
}

void add_counts(std::vector<NamedFactor>& all, const ReplayedPipeline& replayed) {
  const auto count = [&](const char* name, std::int64_t n, const char* what) {
    if (n < 2) return;
    const auto size = static_cast<LongDouble>(n);
    const std::string value = fmt::format("({} = {}{})", name, n, what);
    all.push_back({size, fmt::format("off by {} {}", name, value)});
    all.push_back({1 / size, fmt::format("off by 1/{} {}: averaged", name, value)});
    all.push_back({size / (size - 1), fmt::format("off by {0}/({0}-1) {1}", name, value)});
    all.push_back({(size - 1) / size, fmt::format("off by ({0}-1)/{0} {1}", name, value)});
    const LongDouble root = std::sqrt((size - 1) / size);
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

/// Factors eps and 1/eps, which the gradient of a scale in closed form has
/// (oracles/pipeline/stages/batch_norm.h).
void add_eps(std::vector<NamedFactor>& all, const Observation& e) {
  const auto use = use_of(e.replayed.compiled, e.target);
  if (!use || !e.replayed.compiled.lines[use->step].gradient_behind) return;
  const LongDouble eps = e.replayed.eps();
  const std::string value = fmt::format("(eps = {:.9g})", e.replayed.eps());
  all.push_back({1 / eps, fmt::format("off by 1/eps {}: eps is left out", value)});
  all.push_back({eps, fmt::format("off by eps {}: multiplied in once too often", value)});
}

/// All constant factors. Factors of the same value are merged into one, with both texts.
std::vector<NamedFactor> constants(const Observation& e) {
  const ReplayedPipeline& replayed = e.replayed;
  std::vector<NamedFactor> all;
  add_divisors(all, replayed.compiled);
  add_eps(all, e);
  all.push_back({-1, "off by -1: the sign is wrong"});
  all.push_back({2, "off by 2: counted twice"});
  all.push_back({LongDouble(1) / 2, "off by 1/2"});
  add_counts(all, replayed);
  std::vector<NamedFactor> merged;
  for (const NamedFactor& named : all) {
    if (named.factor == 1 || !std::isfinite(named.factor)) continue;
    bool known = false;
    for (NamedFactor& other : merged)
      if (std::fabs(other.factor - named.factor) <= std::fabs(named.factor) * 1e-15L) {
        other.text += ", or " + named.text;
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

/// Factors that are the parameter of the column.
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

LongDouble rstd_at(const Observation& e, std::size_t i) {
  const auto cols = static_cast<std::size_t>(e.replayed.cols());
  const std::int64_t row = e.target.matrix ? static_cast<std::int64_t>(i / cols) : 0;
  const auto col = static_cast<std::int64_t>(column_at(e, i));
  return e.replayed.rstd[static_cast<std::size_t>(e.replayed.unit_of(row, col))].value;
}

void add_rstd(std::vector<Explanation>& all, const Observation& e) {
  if (!e.replayed.compiled.has_norm() || e.target.shared || e.replayed.rstd.empty()) return;
  if (e.replayed.is_grouped() && !e.target.matrix) return;  // a sum over units with different rstd
  all.push_back({"off by rstd: multiplied in once too often", [](const Observation& part) {
                   return scaled_truth(part, [&](std::size_t i) { return rstd_at(part, i); });
                 }});
  all.push_back({"off by 1/rstd: rstd is left out", [](const Observation& part) {
                   return scaled_truth(part, [&](std::size_t i) { return 1 / rstd_at(part, i); });
                 }});
}

}  // namespace

std::vector<Explanation> factors(const Observation& observation) {
  std::vector<Explanation> all;
  const auto add = [&](const std::string& text, LongDouble c) {
    all.push_back({text, [c](const Observation& part) {
                     return scaled_truth(part, [c](std::size_t) { return c; });
                   }});
  };
  add("missing altogether: 0", 0);
  for (const NamedFactor& named : constants(observation)) add(named.text, named.factor);
  add_parameters(all, observation);
  add_rstd(all, observation);
  return all;
}

}  // namespace gradproof::diagnosis
