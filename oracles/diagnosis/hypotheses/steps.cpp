// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// A fault in the adjoint of a norm, dx = rstd (h - sum h/N - xhat sum h xhat/N) with h = weight
/// g.
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
  const Numbers xhat = edit.raw ? x : pass.factor(kXhat);
  // A column's one weight is multiplied in after the sums; a second factor of it, before them.
  const int in_front = edit.weight_behind || !weighted ? 0 : edit.weights - (grouped ? 0 : 1);
  Numbers h = g;
  for (std::size_t i = 0; i < h.size(); ++i)
    for (int k = 0; k < in_front; ++k) h[i] = pass.weight(i) * h[i];
  const TrackedReal sum1 = pass.arithmetic.sum_in_unit(h);
  const TrackedReal sum2 = pass.arithmetic.dot(h, edit.raw_sum ? x : xhat, kGradients);
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

/// A Swish whose derivative is of(z, sigmoid(z), sigmoid(-z)).
Adjoint slope(TrackedReal (*of)(const TrackedReal& z, const TrackedReal& s, const TrackedReal& q)) {
  return [of](ReplayPass& pass, std::size_t step, const Numbers& g) {
    Numbers dz = g;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const TrackedReal& z = pass.value(step)[i];
      const auto sigmoid = pass.arithmetic.logistic(z);
      dz[i] = g[i] * of(z, sigmoid.s, sigmoid.q);
    }
    return dz;
  };
}

Numbers left_out(ReplayPass&, std::size_t, const Numbers& g) { return g; }

Numbers twice(ReplayPass& pass, std::size_t step, const Numbers& g) {
  return pass.adjoint(step, pass.adjoint(step, g));
}

using enum StageFormula;

/// The formula of a step (batch_norm: of any norm), a wrong adjoint of it, and a sentence with
/// {step}, {g} (the summand of the norm's sums), {n} (the unit's size) and {name} (of the step's
/// parameter). Divide has no row: a wrong adjoint of it is a wrong factor, which add_factors()
/// names.
struct WrongAdjoint {
  StageFormula formula;
  const char* text;
  Adjoint adjoint;
};

const std::vector<WrongAdjoint> kAdjoints = {
    {batch_norm, "term missing: mean({g})", norm({.mean = false})},
    {batch_norm, "term missing: proportional to xhat, xhat mean({g} xhat)",
     norm({.projection = false})},
    {batch_norm,
     "terms missing: mean({g}) and xhat mean({g} xhat), as if the statistics were constants",
     norm({.mean = false, .projection = false})},
    {batch_norm, "weight is left out of the norm's adjoint", norm({.weights = 0})},
    {batch_norm, "weight is multiplied into the norm's adjoint twice", norm({.weights = 2})},
    {group_norm, "weight is multiplied in behind the sums over the group, not in front of them",
     norm({.weight_behind = true})},
    {batch_norm, "rstd is left out of the norm's adjoint", norm({.rstds = 0})},
    {batch_norm, "rstd is multiplied into the norm's adjoint twice", norm({.rstds = 2})},
    {batch_norm, "the norm's means are divided by N-1 (N = {n})", norm({.one_less = true})},
    {batch_norm, "x stands for xhat in the norm's adjoint", norm({.raw = true})},
    {batch_norm, "x stands for xhat in mean({g} xhat)", norm({.raw_sum = true})},
    {swish, "the derivative of {step} lacks its term z sigmoid(z) sigmoid(-z)",
     slope([](const TrackedReal&, const TrackedReal& s, const TrackedReal&) { return s; })},
    {swish, "the derivative of {step} is left out", left_out},
    {swish, "the derivative of {step} lacks its term sigmoid(z)",
     slope([](const TrackedReal& z, const TrackedReal& s, const TrackedReal& q) {
       return s * (z * q);
     })},
    {swish, "the derivative of {step} has z sigmoid(z) sigmoid(-z) with the wrong sign",
     slope([](const TrackedReal& z, const TrackedReal& s, const TrackedReal& q) {
       return s * (exact(1) - z * q);
     })},
    {swish, "the derivative of {step} is multiplied in twice", twice},
    {scale, "{name} is left out on the way back", left_out},
    {scale, "{name} is multiplied in twice on the way back", twice},
};

/// Adds the wrong adjoints of these steps, which are of one kind, with their sentences.
void add_adjoints(Hypotheses& all, const std::vector<std::size_t>& steps, const std::string& of) {
  const CompiledStep& line = all.pipeline.lines[steps.front()];
  const int slot = line.numbers[0];
  const std::string name = slot == CompiledStep::kAbsent ? "" : all.pipeline.numbers[at(slot)].name;
  const char* g = all.gradient.is_grouped() ? "weight g" : "g";
  for (const WrongAdjoint& row : kAdjoints)
    if (row.formula == line.formula || (row.formula == batch_norm && line.formula == group_norm))
      all.add(fmt::format(fmt::runtime(row.text), fmt::arg("step", of), fmt::arg("g", g),
                          fmt::arg("n", all.gradient.geometry.unit_size()), fmt::arg("name", name)),
              Edit{.steps = steps, .adjoint = row.adjoint});
}

std::string product_text(const Hypotheses& h, const Product& product) {
  std::vector<std::string> both;
  if (product.cotangent != kNone) both.push_back(h.cotangent_text(product.cotangent));
  if (product.factor != kNone)
    both.push_back(product.factor == kXhat       ? "xhat"
                   : product.factor == kCentered ? "x - mean"
                                                 : h.value_text(product.factor));
  return both.empty() ? "1" : fmt::format("{}", fmt::join(both, " times "));
}

}  // namespace

void add_changed_adjoints(Hypotheses& all) {
  const std::vector<CompiledStep>& lines = all.pipeline.lines;
  std::vector<std::size_t> swishes;
  for (std::size_t step = 0; step < lines.size(); ++step) {
    if (lines[step].formula == batch_norm && !all.pipeline.batch_statistics) {
      CompiledPipeline of_batch = all.pipeline;
      of_batch.batch_statistics = true;
      all.add("the mean terms of batch statistics are taken off in evaluation too",
              Edit{.cotangents = std::move(of_batch)});
      continue;
    }
    add_adjoints(all, {step}, all.step_text(step));
    if (lines[step].formula != swish) continue;
    swishes.push_back(step);
    for (std::size_t node = 0; node <= lines.size(); ++node)
      if (node != step)
        all.add(fmt::format("the derivative of {} is taken at {}, not at {}", all.step_text(step),
                            all.value_text(node), all.value_text(step)),
                Edit{.steps = {step},
                     .adjoint = [node](ReplayPass& pass, std::size_t k, const Numbers& g) {
                       return pass.adjoint(k, g, node);
                     }});
  }
  // All Swishes get the same fault, as if they shared a function.
  if (swishes.size() > 1) add_adjoints(all, swishes, "each silu");
  const auto squared = [](ReplayPass& pass, std::size_t step, const Numbers& g) {
    Numbers dx = pass.adjoint(step, g);
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = dx[i] * g[i];
    return dx;
  };
  for (std::size_t step = lines.size(); step-- > 0;)
    if (lines[step].formula != bias)  // which multiplies nothing
      all.add(fmt::format("{} is multiplied in twice, in {}", all.cotangent_text(step + 1),
                          all.step_text(step)),
              Edit{.steps = {step}, .adjoint = squared});
}

void add_changed_products(Hypotheses& all) {
  if (all.gradient.matrix) return;
  const std::vector<CompiledStep>& lines = all.pipeline.lines;
  const auto is_bias = [&](std::size_t step) { return lines[step].formula == bias; };
  const std::size_t right_node = user_of(all.pipeline, all.gradient.slot) + 1;
  // A Bias passes its cotangent on, so the last of several nodes with one cotangent is taken.
  std::size_t same = right_node;
  while (same < lines.size() && is_bias(same)) ++same;
  std::vector<std::size_t> nodes{right_node};
  for (std::size_t node = lines.size() + 1; node-- > 0;)
    if ((node == lines.size() || !is_bias(node)) && node != same) nodes.push_back(node);
  nodes.push_back(kNone);
  const Product right = right_product(all.pipeline, all.gradient.slot);
  std::vector<std::size_t> factors{right.factor, kNone};
  if (all.pipeline.has_norm()) factors.insert(factors.end(), {kXhat, kCentered});
  for (std::size_t node = 0; node <= lines.size(); ++node) factors.push_back(node);
  const std::string right_text = product_text(all, right);
  std::set<std::string> known{right_text};
  for (const std::size_t node : nodes)
    for (const std::size_t factor : factors) {
      const std::string text = product_text(all, {node, factor});
      if (!known.insert(text).second) continue;
      all.add(node == kNone && factor == right.factor
                  ? fmt::format("{} is summed without its cotangent", text)
                  : fmt::format("sums {}, not {}", text, right_text),
              Edit{.product = Product{node, factor}});
    }
}

}  // namespace gradproof::diagnosis
