// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/diagnose.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/graph/name_rules.h"
#include "core/parallel.h"
#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/memory.h"

namespace gradproof {
namespace diagnosis {
namespace {

/// A larger tensor is not explained: each element takes some 100 bytes.
constexpr std::int64_t kMostElements = std::int64_t{1} << 21;
/// One entry in so many may contradict an explanation.
constexpr std::int64_t kExceptions = 256;
/// A change that right entries contradict must explain so many wrong ones: few have too much in
/// common, as those of one column that are NaN.
constexpr std::int64_t kFewAlone = 8;
struct Tested {
  Hypothesis hypothesis;
  std::size_t index = 0;  ///< among all hypotheses
  Fit fit = {};
};

/// The numbers that one evaluation computes.
double numbers_of(const WrongTensor& asked) {
  double numbers = 0;
  for (const auto& [name, tensor] : asked.inputs) numbers += static_cast<double>(tensor.numel());
  for (const GraphStep& step : asked.claim.graph.steps) {
    double value = 1;
    for (const std::string& axis : step.value_axes)
      value *= static_cast<double>(asked.claim.extents.at(axis));
    numbers += value;
  }
  return asked.is_gradient() ? 2 * numbers : numbers;
}

std::optional<Fit> fit_of(const Hypothesis& one, const WrongTensor& asked) {
  const std::optional<Prediction> predicted = one.predict(asked);
  if (!predicted || predicted->size() != asked.entries.size()) return std::nullopt;
  Fit fit;
  for (std::size_t i = 0; i < predicted->size(); ++i) fit.take(asked.entries[i], (*predicted)[i]);
  return fit;
}

/// The hypotheses that explain the entries, and those that a sample cannot test. Of those that move
/// a wrong entry `moving` is set: others explain none by chance.
std::vector<Tested> fitting(std::vector<Tested> all, const WrongTensor& asked, bool is_sample,
                            std::vector<char>& moving) {
  std::vector<std::optional<Fit>> fits(all.size());
  const auto is_left = [&](std::size_t k) { return is_sample && all[k].hypothesis.of_whole; };
  for_each_index(std::ssize(all), [&](std::int64_t index) {
    const ThreadLimit alone(1);
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

/// The tested hypotheses that are left, and the simplest rank of those not tested.
struct Search {
  std::vector<Tested> left;
  std::optional<Rank> cut = {};
  std::vector<char> moving = {};  ///< by the index of a hypothesis

  /// So many were tested until this one that could have explained the entries by chance.
  std::int64_t place(const Tested& one) const {
    const auto end = moving.begin() + static_cast<std::ptrdiff_t>(one.index);
    return 1 + std::count(moving.begin(), end, 1) + one.hypothesis.tried;
  }
};

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

Search searched(const WrongTensor& whole, double& numbers) {
  Search search;
  for (Hypothesis& one : hypotheses_about(whole))
    search.left.push_back({std::move(one), search.left.size()});
  search.moving.resize(search.left.size());
  if (std::optional<WrongTensor> sample = sample_of(whole)) {
    take_nodes(*sample);
    cut_off(search, numbers_of(*sample), numbers);
    search.left = fitting(std::move(search.left), *sample, true, search.moving);
  }
  cut_off(search, numbers_of(whole), numbers);
  search.left = fitting(std::move(search.left), whole, false, search.moving);
  return search;
}

/// The hypotheses that stand on their own although others of their rank or of a simpler one were
/// not tested: these would explain a partial sum by chance alone.
bool is_sum(Rank rank) {
  return rank == Rank::round_sum || rank == Rank::some_sum || rank == Rank::rounded_sum;
}

bool is_fitted(Rank rank) { return rank >= Rank::fit; }

/// The hypotheses to name, fitted ones or others. The first one that holds sets the rank. All of
/// that rank that agree with as many entries are named: explained ones and, if `everywhere`, less
/// contradicted ones; they need not hold themselves, as chance is ruled out by the best one, except
/// for rounded sums, whose tolerances are their own. One that only narrows the first one down
/// ("..., in the value alone") is left out. None is named if some of that rank were not tested, as
/// one of these may agree as well.
std::vector<const Tested*> best_of(const Search& search, bool fitted, bool everywhere,
                                   std::int64_t right) {
  const auto fits = [&](const Tested& one) {
    return is_fitted(one.hypothesis.rank) == fitted && one.fit.explains() && one.fit.moved > 0 &&
           (everywhere ? one.fit.contradicted * kExceptions <= right
                       : one.fit.explained >= kFewAlone);
  };
  const auto holds = [&](const Tested& one) {
    return fits(one) && one.fit.holds(search.place(one));
  };
  const auto first = std::ranges::find_if(search.left, holds);
  if (first == search.left.end()) return {};
  const Rank rank = first->hypothesis.rank;
  if (search.cut && *search.cut <= rank && !is_sum(rank)) return {};
  const auto agreement = [&](const Tested& one) {
    return one.fit.explained - (everywhere ? one.fit.contradicted : 0);
  };
  std::vector<const Tested*> alike;
  std::int64_t most = 0;
  for (const Tested& one : search.left) {
    if (one.hypothesis.rank != rank || !fits(one)) continue;
    if (holds(one)) most = std::max(most, agreement(one));
    if (rank != Rank::rounded_sum || holds(one)) alike.push_back(&one);
  }
  std::vector<const Tested*> best;
  for (const Tested* one : alike)
    if (agreement(*one) >= most &&
        (best.empty() || !one->hypothesis.text.starts_with(best.front()->hypothesis.text + ",")))
      best.push_back(one);
  return best;
}

/// The first that explains: all entries, or the wrong ones alone; at last coefficients that are
/// fitted.
std::string best_text(const Search& search, std::int64_t right) {
  for (const bool fitted : {false, true})
    for (const bool everywhere : {true, false}) {
      std::vector<Explanation> all;
      for (const Tested* one : best_of(search, fitted, everywhere, right))
        all.push_back(
            {one->hypothesis.text + (everywhere ? "" : ", in the wrong entries alone"), one->fit});
      if (!all.empty()) return fit_text(all);
    }
  return "";
}

/// True if an explanation that predicted all wrong entries would hold.
bool can_be_explained(const WrongTensor& whole) {
  Fit best;
  for (const ComparedEntry& entry : whole.entries) {
    const double rounding = whole.unit() * std::fabs(entry.got);
    best.take(entry, {entry.got, std::min(rounding, entry.bound)});
  }
  return best.holds(1);
}

/// The inputs that the graph takes: its tensors and cotangents.
Tensors taken(const Graph& graph, const Tensors& inputs) {
  Tensors all;
  const auto take = [&](const std::string& name) {
    if (const auto found = inputs.find(name); found != inputs.end()) all.emplace(*found);
  };
  for (const GraphTensor& tensor : graph.tensors) take(tensor.name);
  for (const std::string& output : graph.outputs) take(cotangent_name(output));
  return all;
}

std::string text_of(WrongTensor& whole, double& numbers) {
  if (std::string text = memory_text(whole); !text.empty()) return text;
  if (!can_be_explained(whole)) return "";
  take_nodes(whole);
  const std::int64_t right = std::ssize(whole.entries) - whole.wrong();
  return best_text(searched(whole, numbers), right);
}

}  // namespace
}  // namespace diagnosis

std::string diagnose(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
                     const std::string& name, const Tensor& got, double& numbers) {
  const Graph& graph = claim.graph;
  const auto is_gradient = [&](const GraphTensor& tensor) {
    return gradient_name(tensor.name) == name;
  };
  const bool is_known =
      has_name(graph.outputs, name) || std::ranges::any_of(graph.tensors, is_gradient);
  if (!is_known || got.numel() > diagnosis::kMostElements) return "";
  diagnosis::WrongTensor whole{claim, diagnosis::taken(graph, inputs), statistics, name, got};
  whole.claim.contract.bound = ErrorBound::certain;
  diagnosis::take_entries(whole);
  return whole.wrong() == 0 ? "" : diagnosis::text_of(whole, numbers);
}

}  // namespace gradproof
