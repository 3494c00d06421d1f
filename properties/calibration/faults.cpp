// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/faults.h"

#include <algorithm>
#include <cmath>

#include "core/case/inputs.h"

namespace gradproof {
namespace {

std::int64_t below(const RandomBits& next, std::int64_t count) {
  return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
}

/// The fault; nothing if rounding left all as it was.
std::optional<Planted> if_changed(const CalibrationResult& result, Tensors changed) {
  std::erase_if(changed, [&](const auto& item) {
    return same_bits(item.second, get(result.got, item.first));
  });
  if (changed.empty()) return std::nullopt;
  return Planted{std::move(changed)};
}

/// Rows and columns of a unit, in a matrix's row-major order.
std::vector<std::int64_t> places_of(const Claim& claim, std::int64_t unit) {
  std::vector<std::int64_t> places;
  const std::int64_t width = claim.block_width();
  if (claim.groups() > 0)
    for (std::int64_t k = 0; k < width; ++k) places.push_back(unit * width + k);
  else
    for (std::int64_t row = 0; row < claim.rows(); ++row)
      places.push_back(row * claim.cols() + unit);
  return places;
}

struct Moments {
  double mean = 0, variance = 0;
};

/// The moments of the numbers without the one left out, divided by the count with it.
Moments without(const std::vector<double>& numbers, std::size_t left_out) {
  const auto count = static_cast<double>(numbers.size());
  Moments m;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (i != left_out) m.mean += numbers[i] / count;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (i != left_out) m.variance += (numbers[i] - m.mean) * (numbers[i] - m.mean) / count;
  return m;
}

}  // namespace

std::vector<double> before_norm(const Claim& claim, const Tensors& inputs, std::size_t norm) {
  std::vector<double> numbers;
  if (norm == 0) {
    const Tensor& x = get(inputs, "x");
    for (std::int64_t i = 0; i < x.numel(); ++i) numbers.push_back(x.at(i));
    return numbers;
  }
  Claim head = claim;
  head.forward = true;
  head.backward = false;
  head.graph = chain_part(claim, 0, norm);
  std::erase_if(head.tensors, [](const TensorSpec& spec) {
    const bool other = spec.role == Role::output && spec.name != "y";
    return other || spec.role == Role::gradient || spec.role == Role::buffer;
  });
  return evaluate(head, inputs, std::nullopt).at("y").hi;
}

std::optional<Planted> plant_in_element(const CalibrationResult& result, const RandomBits& next) {
  constexpr int kTries = 16;
  constexpr double kBounds = 2;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    auto chosen = result.answers.begin();
    std::advance(chosen, below(next, static_cast<std::int64_t>(result.answers.size())));
    const auto& [name, answer] = *chosen;
    if (answer.size() == 0) continue;
    const std::int64_t index = below(next, answer.size());
    const auto i = static_cast<std::size_t>(index);
    if (!std::isfinite(answer.hi[i]) || !std::isfinite(answer.bound[i]) || answer.bound[i] == 0)
      continue;
    Tensor wrong = get(result.got, name);
    const double value = beyond(answer, index, kBounds, wrong.dtype());
    if (!std::isfinite(value)) continue;
    wrong.set(index, value);
    return Planted{{{name, std::move(wrong)}}};
  }
  return std::nullopt;
}

std::optional<Planted> plant_in_column(const CalibrationResult& result, const RandomBits& next) {
  constexpr double kFactor = 1 + 1e-3;
  const std::string name = result.answers.contains("d_x") && next() % 2 == 0 ? "d_x" : "y";
  Tensor wrong = get(result.got, name);
  const std::int64_t cols = result.claim.cols();
  const std::int64_t col = below(next, cols);
  for (std::int64_t row = 0; row < result.claim.rows(); ++row)
    wrong.set(row * cols + col, wrong.at(row * cols + col) * kFactor);
  return if_changed(result, {{name, std::move(wrong)}});
}

std::optional<Planted> plant_in_statistics(const CalibrationResult& result,
                                           const RandomBits& next) {
  const Claim& claim = result.claim;
  const std::vector<GraphStep> chain = claim.chain();
  const std::size_t norm = first_norm(chain);
  const bool own = norm < chain.size() && claim.batch_statistics();
  if (!own || claim.rows() == 0 || !claim.has("mean")) return std::nullopt;
  const std::vector<double> all = before_norm(claim, result.inputs, norm);
  Tensors changed{{"mean", get(result.got, "mean")}, {"rstd", get(result.got, "rstd")}};
  const std::int64_t unit = below(next, changed.at("mean").numel());
  std::vector<double> numbers;
  for (const std::int64_t place : places_of(claim, unit))
    numbers.push_back(all[static_cast<std::size_t>(place)]);
  if (numbers.size() < 2) return std::nullopt;
  const Moments m = without(numbers, static_cast<std::size_t>(next() % numbers.size()));
  changed.at("mean").set(unit, m.mean);
  changed.at("rstd").set(unit, 1 / std::sqrt(m.variance + chain[norm].number("eps")));
  return if_changed(result, std::move(changed));
}

std::optional<Planted> plant_in_gradients(const CalibrationResult& result, const RandomBits& next) {
  const Claim& claim = result.claim;
  if (!claim.backward || claim.rows() == 0) return std::nullopt;
  for (const std::int64_t stride : get(result.inputs, "dy").layout().strides)
    if (stride == 0) return std::nullopt;  // one row is all rows
  Tensors inputs = result.inputs;
  const std::int64_t row = below(next, claim.rows());
  for (std::int64_t col = 0; col < claim.cols(); ++col)
    inputs.at("dy").set(row * claim.cols() + col, 0);
  const KernelRun run = run_kernel(*result.kernel, result.c, claim, inputs, execution_of(result.c));
  Tensors changed;
  for (const auto& [name, tensor] : run.tensors)
    if (name.starts_with("d_") && name != "d_x") changed.emplace(name, tensor);
  return if_changed(result, std::move(changed));
}

std::set<std::string> faults_of(const Kernel& kernel) {
  const std::vector<GraphStep> chain = kernel.claim(Case(kernel.schema)).chain();
  const bool has_norm = first_norm(chain) < chain.size();
  std::set<std::string> names;
  for (const Fault& fault : kFaults)
    if (has_norm || fault.plant != plant_in_statistics) names.insert(fault.name);
  if (!kernel.mutants.empty()) names.insert(kMutant);
  return names;
}

std::optional<Case> with_mutant(const Kernel& kernel, const Case& c, const RandomBits& next) {
  std::vector<Case> possible;
  for (const auto& [name, entry] : kernel.mutants) {
    Case wrong = c.with("mutant", name);
    if (refusal_of(wrong).empty()) possible.push_back(std::move(wrong));
  }
  if (possible.empty()) return std::nullopt;
  return possible[next() % possible.size()];
}

}  // namespace gradproof
