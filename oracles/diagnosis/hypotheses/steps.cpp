// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/claim/stage_traits.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// What is wrong with the adjoint of a norm, dx = rstd (h - sum h/N - xhat sum h xhat/N) with
/// h = weight g.
struct NormEdit {
  bool mean = true;        ///< the first sum is taken off
  bool projection = true;  ///< the second sum is
  bool one_less = false;   ///< the two means are over N - 1
  int weights = 1;         ///< how often weight is multiplied in
  bool weight_behind = false;
  int rstds = 1;         ///< how often rstd is multiplied in
  bool raw = false;      ///< x takes the place of xhat
  bool raw_sum = false;  ///< in the second sum alone
};

Numbers norm_adjoint(const NormEdit& edit, const ReplayPass& pass, std::size_t step,
                     const Numbers& g) {
  const bool grouped = pass.gradient.is_grouped();
  const bool weighted = pass.gradient.has_weight();
  const TrackedReal& rstd = pass.statistics()->rstd;
  const Numbers& x = pass.value(step);
  const Numbers xhat = edit.raw ? x : pass.centered(true);
  const Numbers& second = edit.raw_sum ? x : xhat;
  // The one weight of a column stands outside the sums, and in front of them where it is twice.
  const int in_front = edit.weight_behind || !weighted ? 0 : edit.weights - (grouped ? 0 : 1);
  Numbers h = g;
  TrackedReal sum1;
  TrackedReal sum2;
  for (std::size_t i = 0; i < h.size(); ++i) {
    for (int k = 0; k < in_front; ++k) h[i] = pass.weight(i) * h[i];
    sum1 += h[i];
    sum2 += h[i] * second[i];
  }
  const double n = pass.arithmetic.count() - (edit.one_less ? 1 : 0);
  const TrackedReal mean = (edit.mean ? sum1 : exact(0)) / n;
  const TrackedReal slope = (edit.projection ? sum2 : exact(0)) / n;
  TrackedReal factor = edit.rstds == 0 ? exact(1) : rstd;
  if (edit.rstds == 2) factor = factor * rstd;
  if (!grouped && weighted && edit.weights > 0) factor = pass.weight(0) * factor;
  for (std::size_t i = 0; i < h.size(); ++i) {
    h[i] = factor * ((h[i] - mean) - xhat[i] * slope);
    if (edit.weight_behind && weighted) h[i] = h[i] * pass.weight(i);
  }
  return h;
}

Adjoint norm(const NormEdit& edit) {
  return [edit](ReplayPass& pass, std::size_t step, const Numbers& g) {
    return norm_adjoint(edit, pass, step, g);
  };
}

using Real = TrackedReal;

/// A Swish whose derivative is slope(z, sigmoid(z), sigmoid(-z)).
Adjoint swish(Real (*slope)(const Real& z, const Real& s, const Real& q)) {
  return [slope](ReplayPass& pass, std::size_t step, const Numbers& g) {
    Numbers dz = g;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const Real& z = pass.value(step)[i];
      const auto sigmoid = pass.arithmetic.logistic(z);
      dz[i] = g[i] * slope(z, sigmoid.s, sigmoid.q);
    }
    return dz;
  };
}

Numbers left_out(ReplayPass&, std::size_t, const Numbers& g) { return g; }

Numbers twice(ReplayPass& pass, std::size_t step, const Numbers& g) {
  return pass.adjoint(step, pass.adjoint(step, g));
}

Numbers squared(ReplayPass& pass, std::size_t step, const Numbers& g) {
  Numbers dx = pass.adjoint(step, g);
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = dx[i] * g[i];
  return dx;
}

bool is_norm(StageKind kind) { return traits_of(kind).is_norm(); }

template <StageKind kind>
bool is(StageKind other) {
  return other == kind;
}

/// A kind of step, a wrong adjoint of it, and a sentence with {step}, {g} (what the norm's sums
/// add), {n} (the unit's size) and {name} (of the step's parameter). Of a Divide a factor says it.
struct WrongAdjoint {
  bool (*of)(StageKind kind);
  const char* text;
  Adjoint adjoint;
};

const std::vector<WrongAdjoint> kAdjoints = {
    {is_norm, "term missing: mean({g})", norm({.mean = false})},
    {is_norm, "term missing: proportional to xhat, xhat mean({g} xhat)",
     norm({.projection = false})},
    {is_norm,
     "terms missing: mean({g}) and xhat mean({g} xhat), as if the statistics were constants",
     norm({.mean = false, .projection = false})},
    {is_norm, "weight is left out of the norm's adjoint", norm({.weights = 0})},
    {is_norm, "weight is multiplied into the norm's adjoint twice", norm({.weights = 2})},
    {is<StageKind::group_norm>,
     "weight is multiplied in behind the sums over the group, not in front of them",
     norm({.weight_behind = true})},
    {is_norm, "rstd is left out of the norm's adjoint", norm({.rstds = 0})},
    {is_norm, "rstd is multiplied into the norm's adjoint twice", norm({.rstds = 2})},
    {is_norm, "the norm's means are divided by N-1 (N = {n})", norm({.one_less = true})},
    {is_norm, "x stands for xhat in the norm's adjoint", norm({.raw = true})},
    {is_norm, "x stands for xhat in mean({g} xhat)", norm({.raw_sum = true})},
    {is<StageKind::swish>, "the derivative of {step} lacks its term z sigmoid(z) sigmoid(-z)",
     swish([](const Real&, const Real& s, const Real&) { return s; })},
    {is<StageKind::swish>, "the derivative of {step} is left out", left_out},
    {is<StageKind::swish>, "the derivative of {step} lacks its term sigmoid(z)",
     swish([](const Real& z, const Real& s, const Real& q) { return s * (z * q); })},
    {is<StageKind::swish>,
     "the derivative of {step} has z sigmoid(z) sigmoid(-z) with the wrong sign",
     swish([](const Real& z, const Real& s, const Real& q) { return s * (exact(1) - z * q); })},
    {is<StageKind::swish>, "the derivative of {step} is multiplied in twice", twice},
    {is<StageKind::scale>, "{name} is left out on the way back", left_out},
    {is<StageKind::scale>, "{name} is multiplied in twice on the way back", twice},
};

/// Adds the wrong adjoints of these steps, which are of one kind, with their sentences.
void add_adjoints(Hypotheses& all, const std::vector<std::size_t>& steps, const std::string& of) {
  const CompiledStep& line = all.pipeline.lines[steps.front()];
  const int slot = line.numbers[0];
  for (const WrongAdjoint& row : kAdjoints)
    if (row.of(line.kind))
      all.add(
          fmt::format(
              fmt::runtime(row.text), fmt::arg("step", of),
              fmt::arg("g", all.gradient.is_grouped() ? "weight g" : "g"),
              fmt::arg("n", all.gradient.geometry.unit_size()),
              fmt::arg("name", slot == CompiledStep::kAbsent
                                   ? ""
                                   : all.pipeline.numbers[static_cast<std::size_t>(slot)].name)),
          Edit{.steps = steps, .adjoint = row.adjoint});
}

/// The derivative of a Swish is taken at another value than its input.
void add_other_values(Hypotheses& all, std::size_t step) {
  for (std::size_t node = 0; node <= all.pipeline.lines.size(); ++node) {
    if (node == step) continue;
    const Adjoint there = [node](ReplayPass& pass, std::size_t at, const Numbers& g) {
      return pass.adjoint(at, g, node);
    };
    all.add(fmt::format("the derivative of {} is taken at {}, not at {}", all.step_text(step),
                        all.value_text(node), all.value_text(step)),
            Edit{.steps = {step}, .adjoint = there});
  }
}

/// What the cotangent in the terms of a gradient is multiplied with.
struct TermFactor {
  std::string text;  ///< empty: nothing
  std::function<Numbers(const ReplayPass&)> factor = {};
};

/// All that the cotangent could be multiplied with, the right one first.
std::vector<TermFactor> factors_of(const Hypotheses& h) {
  const Use use = use_of(h.pipeline, h.gradient.slot);
  const StageKind kind = h.pipeline.lines[use.step].kind;
  const std::string text = traits_of(kind).is_norm() && use.place == 0 ? "xhat"
                           : kind == StageKind::scale                  ? h.value_text(use.step)
                                                                       : "";
  std::vector<TermFactor> all{{text, right_product(h.pipeline, h.gradient.slot).factor}};
  if (!text.empty()) all.push_back({""});
  if (h.pipeline.has_norm()) {
    all.push_back({"xhat", [](const ReplayPass& pass) { return pass.centered(true); }});
    all.push_back({"x - mean", [](const ReplayPass& pass) { return pass.centered(false); }});
  }
  for (std::size_t node = 0; node <= h.pipeline.lines.size(); ++node)
    all.push_back(
        {h.value_text(node), [node](const ReplayPass& pass) { return pass.value(node); }});
  return all;
}

std::string product_text(const std::string& cotangent, const std::string& factor) {
  if (cotangent.empty()) return factor.empty() ? "1" : factor;
  return factor.empty() ? cotangent : cotangent + " times " + factor;
}

}  // namespace

void add_changed_adjoints(Hypotheses& all) {
  const std::vector<CompiledStep>& lines = all.pipeline.lines;
  std::vector<std::size_t> swishes;
  for (std::size_t step = 0; step < lines.size(); ++step) {
    const StageKind kind = lines[step].kind;
    if (kind == StageKind::batch_norm && !all.pipeline.batch_statistics) {
      CompiledPipeline of_batch = all.pipeline;
      of_batch.batch_statistics = true;
      all.add("the mean terms of batch statistics are taken off in evaluation too",
              Edit{.cotangents = std::move(of_batch)});
      continue;
    }
    add_adjoints(all, {step}, all.step_text(step));
    if (kind != StageKind::swish) continue;
    add_other_values(all, step);
    swishes.push_back(step);
  }
  // The same fault in all Swishes, as in a function that they share.
  if (swishes.size() > 1) add_adjoints(all, swishes, "each Swish");
  for (std::size_t step = lines.size(); step-- > 0;)
    if (lines[step].kind != StageKind::bias)  // which multiplies nothing
      all.add(fmt::format("{} is multiplied in twice, in {}", all.cotangent_text(step + 1),
                          all.step_text(step)),
              Edit{.steps = {step}, .adjoint = squared});
}

void add_changed_products(Hypotheses& all) {
  if (all.gradient.matrix) return;
  const std::vector<CompiledStep>& lines = all.pipeline.lines;
  const auto is_bias = [&](std::size_t step) { return lines[step].kind == StageKind::bias; };
  const std::size_t right_node = use_of(all.pipeline, all.gradient.slot).step + 1;
  // A Bias passes its cotangent on: of several nodes with one cotangent the last is taken.
  std::size_t same = right_node;
  while (same < lines.size() && is_bias(same)) ++same;
  std::vector<std::size_t> nodes{right_node};
  for (std::size_t node = lines.size() + 1; node-- > 0;)
    if ((node == lines.size() || !is_bias(node)) && node != same) nodes.push_back(node);
  nodes.push_back(kNone);
  const std::vector<TermFactor> factors = factors_of(all);
  const std::string right = product_text(all.cotangent_text(right_node), factors.front().text);
  std::set<std::string> known{right};
  for (const std::size_t node : nodes)
    for (const TermFactor& factor : factors) {
      const std::string text =
          product_text(node == kNone ? "" : all.cotangent_text(node), factor.text);
      if (!known.insert(text).second) continue;
      const bool without = node == kNone && &factor == &factors.front();
      all.add(without ? fmt::format("{} is summed without its cotangent", text)
                      : fmt::format("sums {}, not {}", text, right),
              Edit{.product = Product{node, factor.factor}});
    }
}

}  // namespace gradproof::diagnosis
