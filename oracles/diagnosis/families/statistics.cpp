// SPDX-License-Identifier: Apache-2.0
// Hypotheses about the statistics of a norm: other given ones, running ones for the batch's.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/lines.h"
#include "oracles/diagnosis/statements.h"
#include "oracles/graph/explain/graph_site.h"

namespace gradproof::diagnosis {
namespace {

/// 1/std from another formula of the same variance v: 1/root(v, eps, n).
struct OtherRoot {
  const char* text;
  double (*root)(double v, double eps, double n);
};

constexpr std::array<OtherRoot, 4> kRoots{{
    {"eps is added to the deviation, outside of the root",
     [](double v, double eps, double) { return std::sqrt(v) + eps; }},
    {"eps is left out", [](double v, double, double) { return std::sqrt(v); }},
    {"eps is taken as 1e-5", [](double v, double, double) { return std::sqrt(v + 1e-5); }},
    {"the variance is over N - 1 numbers, not over N",
     [](double v, double eps, double n) { return std::sqrt(v * n / std::max(n - 1, 1.0) + eps); }},
}};

/// The step whose statistics are given; null if there is none.
const GraphStep* norm_of(const GraphClaim& claim) {
  if (claim.statistics.empty()) return nullptr;
  const auto found =
      std::ranges::find(claim.graph.steps, claim.statistics.front().norm, &GraphStep::value);
  return found == claim.graph.steps.end() ? nullptr : &*found;
}

/// Adds the hypothesis that the adjoint takes other statistics than those that are given.
template <class Function>
void add_given(std::string text, const Function& function, Hypotheses& all) {
  all.push_back(changed_to(
      std::move(text),
      [function](const WrongTensor& asked) {
        std::optional<Changed> changed{unchanged(asked)};
        function(asked, changed->statistics);
        return changed;
      },
      Rank::way_back));
}

double normalised_numbers(const GraphClaim& claim, const GraphStep& norm) {
  double count = 1;
  for (const std::string& axis : norm.axes) count *= static_cast<double>(claim.extents.at(axis));
  return count / static_cast<double>(group_count(norm));
}

void add_other_roots(const WrongTensor& whole, const GraphStep& norm, Hypotheses& all) {
  const double eps = norm.number("eps"), count = normalised_numbers(whole.claim, norm);
  for (const OtherRoot& other : kRoots)
    add_given(
        fmt::format("{}: {}", norm.stage, other.text),
        [other, eps, count](const WrongTensor&, Tensors& statistics) {
          Tensor& rstd = statistics.at("rstd");
          rstd = made_of(rstd, [&](std::int64_t i) {
            const double now = rstd.at(i);
            return 1 / other.root(std::max(0.0, 1 / (now * now) - eps), eps, count);
          });
        },
        all);
  add_given(
      "the mean is taken as 0",
      [](const WrongTensor&, Tensors& statistics) {
        Tensor& mean = statistics.at("mean");
        mean = made_of(mean, [](std::int64_t) { return 0.0; });
      },
      all);
  add_given(
      "the statistics are not those that forward saved",
      [](const WrongTensor&, Tensors& statistics) { statistics.clear(); }, all);
}

/// The statistics of the first of some numbers along an axis are taken for all of them.
void add_first_of(const WrongTensor& whole, Hypotheses& all) {
  const std::vector<CountedAxis> axes = counted_axes(whole.claim, "rstd");
  if (axes.size() < 2) return;
  const std::int64_t extent = axes.front().extent;
  std::int64_t behind = 1;
  for (std::size_t k = 1; k < axes.size(); ++k) behind *= axes[k].extent;
  for (std::int64_t chunk = 2; chunk < 2 * extent; chunk *= 2) {
    const auto from = [chunk, behind](std::int64_t i) {
      return i / behind / chunk * chunk * behind + i % behind;
    };
    const std::string some =
        chunk >= extent
            ? fmt::format("the statistics at 0 of {}", axes[0].name)
            : fmt::format("the statistics of the first of each {} {}", chunk, axes[0].name);
    add_given(
        some + " are taken for all of them",
        [from](const WrongTensor&, Tensors& statistics) {
          for (auto& [name, tensor] : statistics)
            tensor = made_of(tensor, [&, &t = tensor](std::int64_t i) { return t.at(from(i)); });
        },
        all);
    all.back().of_whole = true;
  }
}

/// The name of the graph's tensor of that part; empty if there is none.
std::string running_of(const Graph& graph, TensorPart part) {
  for (const GraphTensor& tensor : graph.tensors)
    if (tensor.part == part) return tensor.name;
  return "";
}

/// Adds the hypothesis that another norm stands in the place of the step, which takes its own
/// statistics whatever is given.
void add_other_norm(const Graph& graph, std::size_t step, const char* text, const std::string& call,
                    Hypotheses& all) {
  const std::string& value = graph.steps[step].value;
  auto edited = with_statements(graph, step, fmt::format("{} = {}", value, call));
  if (!edited) return;
  all.push_back(changed_to(fmt::format("{}: {}", stage_text(graph, step), text),
                           [edited = std::move(*edited)](const WrongTensor& asked) {
                             std::optional<Changed> changed{unchanged(asked)};
                             changed->claim.graph = edited;
                             changed->claim.statistics.clear();
                             return changed;
                           }));
  all.back().of_whole = true;
}

/// A batch_norm with its running statistics in place of the batch's.
void add_running(const Graph& graph, std::size_t step, Hypotheses& all) {
  const std::string mean = running_of(graph, TensorPart::running_mean);
  const std::string variance = running_of(graph, TensorPart::running_variance);
  const GraphStep& s = graph.steps[step];
  if ((s.stage != "batch_norm" && s.stage != "instance_norm") || mean.empty() || variance.empty())
    return;
  std::string call =
      fmt::format("{}_eval({}, {}, {}", s.stage, s.operands.front().name, mean, variance);
  for (std::size_t k = 1; k < s.operands.size(); ++k) call += ", " + s.operands[k].name;
  add_other_norm(graph, step, "the running statistics stand for the batch's",
                 fmt::format("{}, eps={})", call, s.number("eps")), all);
}

/// The batch's statistics in place of the running ones, and their terms in the adjoint alone.
void add_batch(const Graph& graph, std::size_t step, bool is_gradient, Hypotheses& all) {
  const GraphStep& s = graph.steps[step];
  if (s.stage != "batch_norm_eval") return;
  const std::size_t weight = place_of_operand(s, "weight"), beta = place_of_operand(s, "beta");
  const std::string mean = s.operands[1].name, variance = s.operands[2].name;
  std::string affine;
  for (const std::size_t k : {weight, beta})
    if (k < s.operands.size()) affine += ", " + s.operands[k].name;
  const std::string& x = s.operands.front().name;
  const std::string eps = fmt::format("{}", s.number("eps"));
  add_other_norm(graph, step, "the batch's statistics stand for the running ones",
                 fmt::format("batch_norm({}{}, eps={})", x, affine, eps), all);
  if (!is_gradient) return;
  std::vector<std::string> others;
  const std::vector<std::string>& own = graph.axes_of(mean);
  for (const std::string& axis : s.value_axes)
    if (!has_name(own, axis)) others.push_back(axis);
  const std::string statements = fmt::format(
      "$r = detach(rsqrt(add({2}, {3}))); $o = detach(multiply(subtract({0}, {1}), $r)); "
      "$u = multiply({0}, $r); $m = subtract($u, mean($u, {4})); "
      "$v = subtract($m, multiply($o, mean(multiply($u, $o), {4}))); "
      "$n = add($v, detach(subtract($o, $v)))",
      x, mean, variance, eps, fmt::join(others, ", "));
  const std::string scaled =
      weight < s.operands.size() ? fmt::format("multiply($n, {})", s.operands[weight].name) : "$n";
  const std::string shift = beta < s.operands.size() ? s.operands[beta].name : "0";
  const std::size_t before = all.size();
  add_statements(
      graph, step, "the mean terms of batch statistics are taken off in evaluation too",
      fmt::format("{}; $a = add({}, 0); {} = add($a, {})", statements, scaled, s.value, shift),
      Rank::way_back, all);
  if (all.size() > before) all.back().of_whole = true;
}

/// The running mean stands where x is NaN, so that xhat is 0.
void add_nan_as_zero(const WrongTensor& whole, const GraphStep& s, Hypotheses& all) {
  if (s.stage != "batch_norm_eval") return;
  const std::string x = s.operands.front().name, mean = s.operands[1].name;
  if (!whole.inputs.contains(x) || !whole.inputs.contains(mean)) return;
  all.push_back(changed_to("0 is taken for an xhat that is NaN", [x,
                                                                  mean](const WrongTensor& asked) {
    std::optional<Changed> changed{unchanged(asked)};
    Tensor& tensor = changed->inputs.at(x);
    const Tensor& means = asked.inputs.at(mean);
    const Graph& graph = asked.claim.graph;
    const auto places = places_between(asked.claim.extents, graph.axes_of(x), graph.axes_of(mean));
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      if (std::isnan(tensor.at(i))) tensor.set(i, means.at(places[static_cast<std::size_t>(i)]));
    return changed;
  }));
}

}  // namespace

void add_statistics(const WrongTensor& whole, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  if (const GraphStep* const norm = norm_of(whole.claim);
      norm != nullptr && whole.is_gradient() && whole.statistics.size() == 2) {
    add_other_roots(whole, *norm, all);
    add_first_of(whole, all);
  }
  for (std::size_t step = 0; step < graph.steps.size(); ++step) {
    add_running(graph, step, all);
    add_batch(graph, step, whole.is_gradient(), all);
    add_nan_as_zero(whole, graph.steps[step], all);
  }
}

}  // namespace gradproof::diagnosis
