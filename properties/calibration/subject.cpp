// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/subject.h"

#include <cmath>

#include "core/case/inputs.h"
#include "core/graph/stages.h"
#include "kernels/harness/interleaved.h"
#include "oracles/libtorch/autograd.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The statistics that LibTorch saves are those its backward pass takes; in evaluation it computes
/// them anew.
std::optional<GivenStatistics> saved_by_libtorch(const Claim& claim, const Tensors& got) {
  return claim.batch_statistics() ? given_of(claim, got) : std::nullopt;
}

/// The Case with the parameters beside which LibTorch's operator of that kind has a contract in 16
/// bits.
Case in_types_of(const Case& c, const GraphStage& row) {
  if (row.libtorch_16 == LibTorch16::any_parameters && row.is_norm()) return c;
  return c.with("params", row.libtorch_16 == LibTorch16::float32_parameters ? "f32" : "same");
}

std::optional<Claim> claim_of_libtorch(const Case& c, const Claim& claim, std::size_t step) {
  if (c.is("dtype", "f32") || c.is("dtype", "f64"))
    return as_libtorch(claim, parse_dtype(c.text("dtype")));
  return as_libtorch_operator(claim, step);
}

}  // namespace

std::optional<GivenStatistics> given_of(const Claim& claim, const Tensors& got) {
  if (!claim.backward || !claim.has("mean")) return std::nullopt;
  return GivenStatistics{get(got, "mean"), get(got, "rstd")};
}

CalibrationResult kernel_subject(const Catalog& catalog, const Case& c) {
  const Kernel& kernel = catalog.of(c);
  Claim claim = kernel.claim(c);
  Tensors inputs = make_inputs(c, claim);
  KernelRun run = run_interleaved(kernel, c, claim, inputs, execution_of(c));
  Answers answers;
  if (run.findings.empty()) {
    const auto given = given_of(claim, run.tensors);
    claim.forward = true;  // the saved statistics are judged whatever `op` says
    answers = evaluate(claim, inputs, given);
  }
  return {&kernel,
          c,
          "kernel",
          std::move(claim),
          std::move(inputs),
          std::move(run.tensors),
          std::move(answers),
          std::move(run.findings)};
}

std::optional<CalibrationResult> libtorch_subject(const Catalog& catalog, const Case& drawn,
                                                  std::uint64_t choice) {
  const Kernel& kernel = catalog.of(drawn);
  if (drawn.integer("rows") == 0) return std::nullopt;
  const std::vector<GraphStep> chain = kernel.claim(drawn).chain();
  const std::size_t step = choice % chain.size();
  const GraphStage& row = graph_stage(chain[step].stage);
  const bool halves = drawn.is("dtype", "f16") || drawn.is("dtype", "bf16");
  const Case c = halves ? in_types_of(drawn, row) : drawn;
  std::optional<Claim> claim = claim_of_libtorch(c, kernel.claim(c), step);
  if (!claim) return std::nullopt;
  claim->forward = true;
  Tensors inputs = make_inputs(c, kernel.claim(c));
  if (!all_finite(inputs)) return std::nullopt;
  Tensors got = libtorch_operators(*claim, inputs);
  const auto saved = saved_by_libtorch(*claim, got);
  if (saved && !all_finite({{"mean", saved->mean}, {"rstd", saved->rstd}})) {
    claim->backward = false;
    std::erase_if(claim->tensors, [](const TensorSpec& s) { return s.role == Role::gradient; });
  }
  Answers answers = evaluate(*claim, inputs, claim->backward ? saved : std::nullopt);
  const std::string who = halves ? "LibTorch " + std::string(row.word) : "LibTorch";
  return CalibrationResult{
      &kernel, c, who, std::move(*claim), std::move(inputs), std::move(got), std::move(answers)};
}

CalibrationResult biased(CalibrationResult result, double bounds) {
  if (bounds == 0 || !result.findings.empty()) return result;
  Tensor& y = result.got.at("y");
  const Answer& answer = result.answers.at("y");
  for (std::int64_t i = 0; i < y.numel(); ++i)
    if (std::isfinite(answer.bound[static_cast<std::size_t>(i)]))
      y.set(i, beyond(answer, i, bounds, y.dtype()));
  return result;
}

Discrepancy judged(const Tensor& got, const Answer& answer, const CalibrationPlan& plan) {
  if (plan.widened == 1 && !plan.unranged) return compare(got, answer);
  Answer faulty = answer;
  for (double& bound : faulty.bound) bound *= plan.widened;
  if (plan.unranged) faulty.any_nonfinite.clear();
  return compare(got, faulty);
}

double beyond(const Answer& answer, std::int64_t index, double times, DType dtype) {
  const auto i = static_cast<std::size_t>(index);
  const double least = answer.hi[i] + times * answer.bound[i];
  const double nearest = round_to(dtype, least);
  if (dtype != DType::f64 && nearest >= least) return nearest;
  // In f64 `least` was rounded itself, and the truth has a rest below hi.
  const double last = 2 * (unit_roundoff(dtype) * std::abs(least) + underflow_unit(dtype));
  return round_to(dtype, least + (dtype == DType::f64 ? 2 * last : last));
}

}  // namespace gradproof
