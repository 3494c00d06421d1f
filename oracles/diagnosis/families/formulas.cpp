// SPDX-License-Identifier: Apache-2.0
// Hypotheses about the formula of a norm, written in the language of lines.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/statements.h"
#include "oracles/graph/explain/graph_site.h"

namespace gradproof::diagnosis {
namespace {

/// A norm that people write by mistake: statements that make $n, before weight and beta. {x} is its
/// first operand, {A} its axes, {eps} its eps.
struct NormFormula {
  std::string_view text;
  std::string_view statements;
};

/// The formulas in place of a norm that subtracts the mean.
constexpr std::array kCentred{
    NormFormula{"eps is added to the deviation, outside of the root",
                "$c = subtract({x}, mean({x}, {A})); $s = sqrt(mean(square($c), {A})); "
                "$n = divide($c, add($s, {eps}))"},
    NormFormula{"the variance is over N - 1 numbers, not over N",
                "$c = subtract({x}, mean({x}, {A})); $v = var({x}, {A}, correction=1); "
                "$n = divide($c, sqrt(add($v, {eps})))"},
    NormFormula{"the mean is not taken off",
                "$n = divide({x}, sqrt(add(mean(square({x}), {A}), {eps})))"},
    NormFormula{"the mean is taken off in the variance alone",
                "$v = var({x}, {A}, correction=0); $n = divide({x}, sqrt(add($v, {eps})))"},
    NormFormula{"it is divided by the variance, not by its root",
                "$c = subtract({x}, mean({x}, {A})); "
                "$n = divide($c, add(mean(square($c), {A}), {eps}))"},
    NormFormula{"it is not divided by the deviation", "$n = subtract({x}, mean({x}, {A}))"},
};
/// The formulas in place of a norm that does not subtract the mean.
constexpr std::array kUncentred{
    NormFormula{"eps is added to the root, outside of it",
                "$n = divide({x}, add(sqrt(mean(square({x}), {A})), {eps}))"},
    NormFormula{"the mean is taken off, as in layer_norm",
                "$c = subtract({x}, mean({x}, {A})); "
                "$n = divide($c, sqrt(add(mean(square($c), {A}), {eps})))"},
    NormFormula{"the squares are summed, not averaged",
                "$n = divide({x}, sqrt(add(sum(square({x}), {A}), {eps})))"},
    NormFormula{"it is divided by the mean square, not by its root",
                "$n = divide({x}, add(mean(square({x}), {A}), {eps}))"},
    NormFormula{"it is not divided by the root mean square", "$n = add({x}, 0)"},
};

/// The statements that an adjoint is made of: $r is 1/std and $o is xhat, both detached; of a norm
/// that takes off the mean, of one that takes off none, and from given statistics.
constexpr std::string_view kCentredParts =
    "$r = detach(rsqrt(add(var({x}, {A}, correction=0), {eps}))); "
    "$o = detach(multiply(subtract({x}, mean({x}, {A})), $r)); ";
constexpr std::string_view kUncentredParts =
    "$r = detach(rsqrt(add(mean(square({x}), {A}), {eps}))); $o = detach(multiply({x}, $r)); ";
constexpr std::string_view kGivenParts =
    "$r = detach(edit_rstd); $o = detach(multiply(subtract({x}, edit_mean), $r)); ";

/// The adjoints in place of rstd (g - mean(g) - xhat mean(g xhat)): statements that make $v of {x},
/// whose adjoint is the wrong one. {mean} is $u less its mean; of a norm that takes off none, $u.
struct Projection {
  std::string_view text;
  std::string_view statements;
  bool of_centred = false;  ///< of norms that take off the mean alone
};
constexpr std::string_view kRightProjection =
    "$u = multiply({x}, $r); $v = subtract({mean}, multiply($o, mean(multiply($u, $o), {A})))";
constexpr std::array kProjections{
    Projection{"the adjoint lacks the term of the mean, mean(g)",
               "$u = multiply({x}, $r); $v = subtract($u, multiply($o, mean(multiply($u, $o), "
               "{A})))",
               true},
    Projection{"the adjoint lacks the term of the {root}, xhat mean(g xhat)",
               "$u = multiply({x}, $r); $v = add({mean}, 0)"},
    Projection{"the adjoint takes mean and deviation for constants", "$v = multiply({x}, $r)",
               true},
    Projection{"the means of the adjoint are over N - 1 numbers, not over N",
               "$u = multiply({x}, $r); $q = divide(sum(multiply($u, $o), {A}), {less}); "
               "$v = subtract({mean of less}, multiply($o, $q))"},
    Projection{
        "1/std is left out of the adjoint",
        "$u = add({x}, 0); $v = subtract({mean}, multiply($o, mean(multiply($u, $o), {A})))"},
    Projection{"1/std is multiplied into the adjoint twice",
               "$u = multiply(multiply({x}, $r), $r); "
               "$v = subtract({mean}, multiply($o, mean(multiply($u, $o), {A})))"},
    Projection{"x stands for xhat in the adjoint",
               "$u = multiply({x}, $r); $z = detach({x}); "
               "$v = subtract({mean}, multiply($z, mean(multiply($u, $z), {A})))"},
    Projection{"x stands for xhat in mean(g xhat)",
               "$u = multiply({x}, $r); "
               "$v = subtract({mean}, multiply(detach({x}), mean(multiply($u, $o), {A})))"},
};

/// Weight and beta behind $n; the last statement makes the step's value. `$k` is what stands for
/// the product with the weight on the way back; empty: the product itself.
std::string affine(const GraphStep& s, const std::string& back = "") {
  if (s.operands.size() == 1) return fmt::format("; {} = add($n, 0)", s.value);
  const std::string product = fmt::format("multiply($n, {})", s.operands[1].name);
  std::string text = fmt::format("; $a = {}", product);
  if (!back.empty())
    text = fmt::format("; $k = {}; $a = add($k, detach(subtract({}, $k)))", back, product);
  const std::string beta = s.operands.size() > 2 ? s.operands[2].name : "0";
  return text + fmt::format("; {} = add($a, {})", s.value, beta);
}

/// The edits of one norm. The groups of a group_norm's channels become an axis of their own. Where
/// statistics are given, the adjoint takes them as tensors.
class NormEdits {
 public:
  NormEdits(const WrongTensor& whole, std::size_t step, Hypotheses& all)
      : graph_(whole.claim.graph), step_(step), s_(graph_.steps[step]), all_(all) {
    std::int64_t count = 1;
    for (const std::string& axis : s_.axes) count *= whole.claim.extents.at(axis);
    count /= groups();
    std::vector<std::string> axes = s_.axes;
    if (is_grouped()) axes.front() = "$c_of_group";
    words_ = {{"{mean of less}", centred() ? "subtract($u, divide(sum($u, {A}), {less}))" : "$u"},
              {"{mean}", centred() ? "subtract($u, mean($u, {A}))" : "$u"},
              {"{less}", fmt::format("{}", count - 1)},
              {"{A}", fmt::format("{}", fmt::join(axes, ", "))},
              {"{eps}", fmt::format("{}", s_.number("eps"))}};
    if (whole.statistics.size() == 2 && whole.claim.statistics.front().norm == s_.value)
      take_given(counted_axes(whole.claim, "rstd"));
  }

  /// Formulas that change the value, of which given statistics are none.
  void add_formulas() {
    if (!given_.empty()) return;
    const auto add = [&](const NormFormula& formula) {
      add_made(formula.text, std::string(formula.statements), affine(s_), Rank::change);
    };
    if (centred())
      for (const NormFormula& formula : kCentred) add(formula);
    else
      for (const NormFormula& formula : kUncentred) add(formula);
  }

  void add_adjoints() {
    for (const Projection& one : kProjections)
      if (centred() || !one.of_centred)
        add_projected(filled(std::string(one.text), {{"{root}", centred() ? "deviation" : "root"}}),
                      one.statements, "");
    if (s_.operands.size() < 2) return;
    const std::string weight = s_.operands[1].name;
    add_projected("weight is left out of the adjoint", kRightProjection, "add($n, 0)");
    add_projected("weight is multiplied into the adjoint twice", kRightProjection,
                  fmt::format("multiply($n, detach(square({})))", weight));
    if (!weight_varies()) return;
    // The weight scales what goes back to x, and not what goes back to xhat.
    front_ = fmt::format(
        "$w = add({0}, multiply(subtract({0}, detach({0})), subtract(detach({1}), 1))); ",
        s_.operands.front().name, weight);
    add_projected("weight is multiplied in behind the sums of the adjoint, not in front of them",
                  kRightProjection, "add($n, 0)");
  }

 private:
  bool is_grouped() const { return has_groups(s_); }
  bool centred() const { return graph_stage(s_.stage).ignores_shift; }
  std::int64_t groups() const { return group_count(s_); }
  std::string group_axis() const { return fmt::format("edit{}_group", step_); }
  /// True if the numbers that the norm takes together have different weights.
  bool weight_varies() const {
    return std::ranges::any_of(graph_.axes_of(s_.operands[1].name),
                               [&](const std::string& axis) { return has_name(s_.axes, axis); });
  }

  void take_given(const std::vector<CountedAxis>& counted) {
    std::vector<std::string> axes;
    for (const CountedAxis& axis : counted)
      axes.push_back(is_grouped() && axis.name == s_.axes.front() ? group_axis() : axis.name);
    for (const char* name : {"edit_mean", "edit_rstd"})
      given_.push_back({name, TensorPart::input, axes, true});
  }

  void add_projected(const std::string& text, std::string_view projection,
                     const std::string& back) {
    const std::string_view parts = !given_.empty() ? kGivenParts
                                   : centred()     ? kCentredParts
                                                   : kUncentredParts;
    add_made(
        text,
        std::string(parts) + std::string(projection) + "; $n = add($v, detach(subtract($o, $v)))",
        affine(s_, back), Rank::way_back);
  }

  void add_made(std::string_view text, const std::string& statements, const std::string& behind,
                Rank rank) {
    std::string x = front_.empty() ? s_.operands.front().name : "$w";
    std::string made = front_;
    const std::string& channels = s_.axes.front();
    if (is_grouped())
      made += fmt::format("$x = split({}, {}, $group, $c_of_group{}); ", std::exchange(x, "$x"),
                          channels, given_.empty() ? fmt::format(", parts={}", groups()) : "");
    Words words = words_;
    words.emplace_back("{x}", x);
    made += filled(statements, words);
    made += is_grouped() ? fmt::format("; $j = join($n, $group, $c_of_group, {})", channels) +
                               filled(behind, {{"$n", "$j"}})
                         : behind;
    std::optional<Graph> edited = with_statements(graph_, step_, made, given_);
    if (!edited) return;
    const bool takes_given = !given_.empty();
    all_.push_back(changed_to(
        fmt::format("{}: {}", stage_text(graph_, step_), text),
        [edited = std::move(*edited), takes_given, axis = group_axis(),
         count = is_grouped() ? groups() : 1](const WrongTensor& asked) {
          std::optional<Changed> changed{unchanged(asked)};
          changed->claim.graph = edited;
          if (!takes_given) return changed;
          for (const auto& [name, tensor] : asked.statistics)
            changed->inputs.emplace("edit_" + name, tensor);
          changed->claim.extents.emplace(axis, count);
          return changed;
        },
        rank));
  }

  const Graph& graph_;
  std::size_t step_;
  const GraphStep& s_;
  Hypotheses& all_;
  Words words_;
  std::string front_;
  std::vector<GraphTensor> given_;
};

}  // namespace

void add_formulas(const WrongTensor& whole, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  for (std::size_t step = 0; step < graph.steps.size(); ++step) {
    if (graph_stage(graph.steps[step].stage).statistics != StageStatistics::own) continue;
    NormEdits edits(whole, step, all);
    edits.add_formulas();
    if (whole.is_gradient()) edits.add_adjoints();
  }
}

}  // namespace gradproof::diagnosis
