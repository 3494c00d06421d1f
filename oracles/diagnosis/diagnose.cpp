// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/diagnose.h"

#include <algorithm>
#include <cmath>

#include "core/graph/name_rules.h"
#include "oracles/diagnosis/memory.h"
#include "oracles/diagnosis/search.h"

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

/// The hypotheses that stand on their own although others of their rank or of a simpler one were
/// not tested: these would explain a partial sum by chance alone.
bool is_sum(Rank rank) {
  return rank == Rank::round_sum || rank == Rank::some_sum || rank == Rank::rounded_sum;
}

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
        if (std::ranges::find(all, one->hypothesis.text, &Explanation::text) == all.end())
          all.push_back({one->hypothesis.text, one->fit});
      if (!everywhere)
        for (Explanation& one : all) one.text += ", in the wrong entries alone";
      if (!all.empty()) return fit_text(all);
    }
  return "";
}

/// True if an explanation that predicted all wrong entries would hold.
bool can_be_explained(const WrongTensor& whole) {
  Fit best;
  for (const ComparedEntry& entry : whole.entries) {
    const double rounding = whole.unit() * std::fabs(entry.got);
    best.bits += best.take(entry, {entry.got, std::min(rounding, entry.bound)});
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
  take_lines(whole);
  take_nodes(whole);
  const std::int64_t right = std::ssize(whole.entries) - whole.wrong();
  return best_text(searched(whole, numbers), right);
}

}  // namespace
}  // namespace diagnosis

std::string diagnose(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
                     const WrongNumbers& wrong, double& numbers) {
  const auto& [name, got, unwritten] = wrong;
  const Graph& graph = claim.graph;
  const auto is_gradient = [&](const GraphTensor& tensor) {
    return gradient_name(tensor.name) == name;
  };
  const bool is_known =
      has_name(graph.outputs, name) || std::ranges::any_of(graph.tensors, is_gradient);
  if (!is_known || got.numel() > diagnosis::kMostElements) return "";
  diagnosis::WrongTensor whole{claim,    diagnosis::taken(graph, inputs), statistics, name, got,
                               unwritten};
  whole.claim.contract.bound = ErrorBound::certain;
  diagnosis::take_entries(whole);
  return whole.wrong() == 0 ? "" : diagnosis::text_of(whole, numbers);
}

}  // namespace gradproof
