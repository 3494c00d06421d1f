// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/search.h"

#include <map>

#include "core/graph/stages.h"
#include "core/parallel.h"

namespace gradproof::diagnosis {
namespace {

/// The numbers along the axis of blocks on which hypotheses are tested first, how many times as
/// many there are in the next sample, and the hypotheses that must be affordable in the first.
constexpr std::int64_t kSampled = 4;
constexpr std::int64_t kGrowth = 8;
constexpr double kFewSamples = 64;
/// So many evaluations of a tensor may always be made, behind those of samples: its judgement took
/// more.
constexpr double kEvaluations = 3;
/// The terms of a product that take as long as a number of another step.
constexpr double kTerms = 4;

/// The numbers that one evaluation computes; a product's terms are counted too.
double numbers_of(const WrongTensor& asked) {
  double numbers = 0;
  for (const auto& [name, tensor] : asked.inputs) numbers += static_cast<double>(tensor.numel());
  for (const GraphStep& step : asked.claim.graph.steps) {
    double value = 1;
    for (const std::string& axis : step.value_axes)
      value *= static_cast<double>(asked.claim.extents.at(axis));
    double terms = graph_stage(step.stage).form == StageForm::contracts ? 1 / kTerms : 0;
    for (const std::string& axis : step.axes)
      terms *= static_cast<double>(asked.claim.extents.at(axis));
    numbers += value * (1 + terms);
  }
  return asked.is_gradient() ? 2 * numbers : numbers;
}

/// An entry that is explained to no more than half its distance from the truth says nothing: many
/// of these would be worth much by a bound that is a little too wide. Roundings have no other
/// entries, and partial sums have few.
constexpr double kOfHalf = 1;
bool is_of_roundings(Rank rank) { return rank == Rank::rounded_sum || rank == Rank::misplaced; }
bool counts_halves(Rank rank) {
  return is_of_roundings(rank) || rank == Rank::round_sum || rank == Rank::some_sum;
}

/// Factors are few, and each is one number for all entries.
bool counts_each_entry(Rank rank) {
  return rank == Rank::factor || is_of_roundings(rank) || is_fitted(rank);
}

std::optional<Fit> fit_of(const Hypothesis& one, const WrongTensor& asked) {
  const std::optional<Prediction> predicted = one.predict(asked);
  if (!predicted || predicted->size() != asked.entries.size()) return std::nullopt;
  Fit fit;
  std::map<std::int64_t, double> of_lines;
  for (std::size_t i = 0; i < predicted->size(); ++i) {
    double bits = fit.take(asked.entries[i], (*predicted)[i]);
    if (!counts_halves(one.rank)) bits = std::max(0.0, bits - kOfHalf);
    if (asked.lines.empty() || counts_each_entry(one.rank)) {
      fit.bits += bits;
    } else {
      double& most = of_lines[asked.lines[i]];
      most = std::max(most, bits);
    }
  }
  for (const auto& [line, bits] : of_lines) fit.bits += bits;
  return fit;
}

/// The hypotheses that explain the entries, and those that a sample cannot test. Of those that move
/// a wrong entry `moving` is set: others explain none by chance.
std::vector<Tested> fitting(std::vector<Tested> all, const WrongTensor& asked, bool is_sample,
                            std::vector<char>& moving) {
  std::vector<std::optional<Fit>> fits(all.size());
  const auto is_left = [&](std::size_t k) { return is_sample && all[k].hypothesis.of_whole; };
  // One evaluation beside some that take no time has all threads.
  const auto evaluations =
      std::ranges::count_if(all, [](const Tested& one) { return one.hypothesis.evaluates; });
  const int threads = evaluations < thread_limit() ? thread_limit() : 1;
  const ThreadLimit outer(threads == 1 ? thread_limit() : 1);
  for_each_index(std::ssize(all), [&](std::int64_t index) {
    const ThreadLimit inner(threads);
    const auto k = static_cast<std::size_t>(index);
    if (!is_left(k)) fits[k] = fit_of(all[k].hypothesis, asked);
  });
  std::vector<Tested> left;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (fits[k] && fits[k]->moved > 0) moving[all[k].index] = 1;
    // A changed line that gives NaN where the tensor is NaN explains next to nothing.
    if (!is_left(k) && (!fits[k] || !fits[k]->explains() || fits[k]->finite == 0)) continue;
    if (fits[k]) all[k].fit = *fits[k];
    left.push_back(std::move(all[k]));
  }
  return left;
}

/// Keeps the first hypotheses, as many as `numbers` allows, and those that evaluate nothing.
void cut_off(Search& search, double each, double& numbers) {
  std::vector<Tested> kept;
  for (Tested& one : search.left) {
    const double cost = one.hypothesis.evaluates ? each : 0;
    if (cost <= numbers) {
      numbers -= cost;
      kept.push_back(std::move(one));
    } else if (!search.cut || one.hypothesis.rank < *search.cut) {
      search.cut = one.hypothesis.rank;
    }
  }
  search.left = std::move(kept);
}

/// The numbers of the first sample: one where four take more than a few hypotheses may.
std::int64_t first_count(const WrongTensor& whole, double numbers) {
  const std::optional<WrongTensor> sample = sample_of(whole, kSampled);
  const bool is_affordable = sample && numbers_of(*sample) * kFewSamples <= numbers;
  return is_affordable || !sample_of(whole, 1) ? kSampled : 1;
}

}  // namespace

Search searched(const WrongTensor& whole, double& numbers) {
  Search search;
  for (Hypothesis& one : hypotheses_about(whole))
    search.left.push_back({std::move(one), search.left.size()});
  search.moving.resize(search.left.size());
  for (std::int64_t count = first_count(whole, numbers);; count *= kGrowth) {
    std::optional<WrongTensor> sample = sample_of(whole, count);
    if (!sample) break;
    take_lines(*sample);
    take_nodes(*sample);
    cut_off(search, numbers_of(*sample), numbers);
    search.left = fitting(std::move(search.left), *sample, true, search.moving);
  }
  numbers = std::max(numbers, kEvaluations * numbers_of(whole));
  cut_off(search, numbers_of(whole), numbers);
  search.left = fitting(std::move(search.left), whole, false, search.moving);
  return search;
}

}  // namespace gradproof::diagnosis
