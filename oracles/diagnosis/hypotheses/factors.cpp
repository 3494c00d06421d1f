// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

struct NamedFactor {
  LongDouble factor;
  std::string text;
};

std::vector<NamedFactor> divisors(const CompiledPipeline& pipeline) {
  std::vector<NamedFactor> all;
  for (const CompiledStep& line : pipeline.lines) {
    if (line.kind != StageKind::divide) continue;
    const LongDouble d = line.scalars[0];
    const std::string value = fmt::format("(d = {})", line.scalars[0]);
    all.push_back({d, fmt::format("off by d {}: 1/d is missing", value)});
    all.push_back({1 / d, fmt::format("off by 1/d {}: divided once too often", value)});
    all.push_back({d * d, fmt::format("off by d^2 {}: multiplied where it is divided", value)});
    all.push_back({1 / (d * d), fmt::format("off by 1/d^2 {}", value)});
  }
  return all;
}

/// Factors eps and 1/eps, which the gradient of a scale in closed form has
/// (oracles/pipeline/stages/batch_norm.h).
std::vector<NamedFactor> factors_of_eps(const Hypotheses& h) {
  const auto use = use_of(h.pipeline, h.sample.target);
  if (!use || !h.pipeline.lines[use->step].gradient_behind) return {};
  const LongDouble eps = h.replay.eps();
  const std::string value = fmt::format("(eps = {:.9g})", h.replay.eps());
  return {{1 / eps, fmt::format("off by 1/eps {}: eps is left out", value)},
          {eps, fmt::format("off by eps {}: multiplied in once too often", value)}};
}

/// A number of things: N rows of a unit, C columns.
struct Count {
  const char* name;
  std::int64_t number;
  const char* things;
};

std::vector<NamedFactor> counts(const Hypotheses& h) {
  const Claim& claim = h.claim;
  const bool grouped = h.replay.is_grouped();
  std::vector<NamedFactor> all;
  for (const Count& count :
       {Count{"N", h.replay.unit_size(), grouped ? " channels of a group" : " rows"},
        Count{"B", grouped ? claim.rows : 0, " rows"}, Count{"C", claim.cols, " columns"},
        Count{"G", claim.groups, " groups"},
        Count{"E", claim.rows * claim.cols, " elements of x"}}) {
    if (count.number < 2) continue;
    const auto n = static_cast<LongDouble>(count.number);
    const LongDouble share = (n - 1) / n;
    const auto add = [&](LongDouble factor, const char* text) {
      all.push_back({factor, fmt::format(fmt::runtime(text), count.name,
                                         fmt::format("({} = {}{})", count.name, count.number,
                                                     count.things))});
    };
    add(n, "off by {0} {1}");
    add(1 / n, "off by 1/{0} {1}: averaged");
    add(n / (n - 1), "off by {0}/({0}-1) {1}");
    add(share, "off by ({0}-1)/{0} {1}");
    add(std::sqrt(share), "off by sqrt(({0}-1)/{0}) {1}");
    add(1 / std::sqrt(share), "off by sqrt({0}/({0}-1)) {1}");
  }
  return all;
}

/// All constant factors. Factors of the same value are merged into one, with both texts.
std::vector<NamedFactor> constants(const Hypotheses& h) {
  std::vector<NamedFactor> merged;
  const std::vector<NamedFactor> plain = {{-1, "off by -1: the sign is wrong"},
                                          {2, "off by 2: counted twice"},
                                          {LongDouble(1) / 2, "off by 1/2"}};
  for (const auto& some : {divisors(h.pipeline), factors_of_eps(h), plain, counts(h)})
    for (const NamedFactor& named : some) {
      if (named.factor == 1 || !std::isfinite(named.factor)) continue;
      const auto same = std::find_if(merged.begin(), merged.end(), [&](const NamedFactor& other) {
        return std::fabs(other.factor - named.factor) <= std::fabs(named.factor) * 1e-15L;
      });
      if (same == merged.end())
        merged.push_back(named);
      else
        same->text += ", or " + named.text;
    }
  return merged;
}

/// Adds a factor that is another number in each column, and its inverse.
void add_both(Hypotheses& all, const std::string& name, const std::string& too_often,
              std::function<LongDouble(const Observation&, std::size_t)> number) {
  all.add(fmt::format("off by {}: {} in once too often", name, too_often),
          [number](const Observation& e) {
            return scaled_truth(e, [&](std::size_t i) { return number(e, i); });
          });
  all.add(fmt::format("off by 1/{0}: {0} is left out", name), [number](const Observation& e) {
    return scaled_truth(e, [&](std::size_t i) { return 1 / number(e, i); });
  });
}

}  // namespace

void add_factors(Hypotheses& all) {
  const auto add = [&](const std::string& text, LongDouble c) {
    all.add(text,
            [c](const Observation& e) { return scaled_truth(e, [c](std::size_t) { return c; }); });
  };
  add("missing altogether: 0", 0);
  for (const NamedFactor& named : constants(all)) add(named.text, named.factor);
  if (all.sample.target.shared) return;
  for (const ParameterSlot& slot : all.pipeline.numbers)
    if (slot.gradient)
      add_both(all, slot.name, slot.name + " is multiplied",
               [name = slot.name](const Observation& e, std::size_t i) -> LongDouble {
                 const Tensor& tensor = get(e.replay.question->inputs, name);
                 return tensor.at(tensor.numel() == 1 ? 0 : e.replay.col_of(e.entries[i].index));
               });
  if (!all.pipeline.has_norm() || all.sample.places.empty()) return;  // of a sum over units: none
  if (!all.replay.units.front().statistics) return;
  add_both(all, "rstd", "multiplied", [](const Observation& e, std::size_t i) {
    return e.replay.units[e.places[i].unit].statistics->rstd.value;
  });
}

}  // namespace gradproof::diagnosis
