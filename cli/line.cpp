// SPDX-License-Identifier: Apache-2.0
#include "cli/line.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "core/digest.h"
#include "core/error.h"
#include "core/inputs.h"
#include "kernels/kernel.h"
#include "oracles/autograd.h"
#include "oracles/oracle.h"
#include "properties/law.h"
#include "simt/device.h"

namespace gradproof {
namespace {

constexpr const char* kWitness = "50 digits, LibTorch float64";

/// What one Case is judged with.
struct Run {
  Claim claim;
  Tensors inputs;  ///< of the judged step: buffers as the step before left them
  KernelRun first;
  KernelRun second;  ///< the same step under another schedule
};

Execution other_schedule(const Case& c, Execution execution) {
  if (execution.options.order == simt::Order::random) {
    execution.options.order = simt::Order::forward;
  } else {
    execution.options.order = simt::Order::random;
    execution.options.seed = static_cast<std::uint64_t>(c.integer("seed"));
  }
  return execution;
}

Run run(const Case& c) {
  const Kernel& kernel = kernel_of(c);
  const Execution execution = execution_of(c);
  Run r{kernel.claim(c), {}, {}, {}};
  Tensors buffers;
  for (std::int64_t step = 0; step < c.integer("steps"); ++step) {
    r.inputs = make_inputs(c, r.claim, step);
    for (auto& [name, tensor] : buffers) r.inputs.at(name) = tensor;
    r.first = run_kernel(kernel, c, r.claim, r.inputs, execution);
    if (!r.first.findings.empty()) return r;
    for (const TensorSpec& spec : r.claim.tensors)
      if (spec.role == Role::buffer) buffers[spec.name] = get(r.first.tensors, spec.name);
  }
  r.second = run_kernel(kernel, c, r.claim, r.inputs, other_schedule(c, execution));
  return r;
}

bool is_judged(const Claim& claim, const TensorSpec& spec) {
  if (spec.role == Role::gradient) return claim.backward;
  if (spec.role != Role::output && spec.role != Role::buffer) return false;
  // Gradients are judged from the saved statistics, so these are judged whenever gradients are.
  return claim.forward || spec.name == "mean" || spec.name == "rstd";
}

std::optional<GivenStatistics> given_of(const Run& r) {
  if (!r.claim.backward || !r.claim.has("mean")) return std::nullopt;
  return GivenStatistics{get(r.first.tensors, "mean"), get(r.first.tensors, "rstd")};
}

Record blank(const Case& c, const Claim& claim) {
  Record record;
  record.case_text = to_string(c);
  record.kernel = c.word();
  if (c.schema().has("mutant") && !c.is("mutant", "none")) record.kernel += "/" + c.text("mutant");
  record.dtype = c.text("dtype");
  record.mode = c.text("mode");
  record.why = claim.contract.why();
  record.context = context_of(c);
  return record;
}

Record execution_record(const Case& c, const Run& r) {
  Record record = blank(c, r.claim);
  record.tensor = kExecution;
  record.witness = record.context.backend == "cuda" ? "guard bands" : "CPU executor";
  const auto& findings = r.first.findings.empty() ? r.second.findings : r.first.findings;
  std::string text;
  for (const simt::Finding& f : findings)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", f.kind, f.text);
  record.verdict = {Outcome::failed, text};
  return record;
}

bool all_finite(const Tensors& tensors) {
  for (const auto& [name, tensor] : tensors)
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      if (!std::isfinite(tensor.at(i))) return false;
  return true;
}

/// LibTorch's verdict on the oracle, per tensor; no entry where they agree. With Inf or NaN in the
/// inputs its finite answers are compared alone: its folded form has other classes (Inf - Inf).
std::map<std::string, std::string> dissent(const Run& r) {
  const Tensors witness = autograd_witness(r.claim, r.inputs);
  Claim whole = as_libtorch_float64(r.claim);
  whole.forward = true;
  Answers answers = evaluate(whole, r.inputs, std::nullopt);
  if (!all_finite(r.inputs))
    for (auto& [name, answer] : answers) answer.any_nonfinite.assign(answer.hi.size(), 1);
  std::map<std::string, std::string> texts;
  for (const auto& [name, tensor] : witness) {
    const Discrepancy d = compare(tensor, answers.find(name)->second);
    if (d.bad > 0)
      texts[name] =
          fmt::format("LibTorch float64 says {} at {} where the oracle says {}", d.worst.got,
                      index_text(tensor.shape(), d.worst.index), d.worst.want);
  }
  return texts;
}

Record tensor_record(const Case& c, const Run& r, const TensorSpec& spec, const Answer& answer) {
  Record record = blank(c, r.claim);
  const Tensor& got = get(r.first.tensors, spec.name);
  record.tensor = spec.name;
  record.witness = kWitness;
  record.shape = got.shape();
  record.discrepancy = compare(got, answer);
  record.verdict = judge(record.discrepancy);
  record.why = answer.why;
  record.digest = digest(got);
  const std::string again = digest(get(r.second.tensors, spec.name));
  if (record.verdict.outcome == Outcome::passed && r.claim.contract.deterministic &&
      again != record.digest)
    record.verdict = {Outcome::nondeterministic,
                      fmt::format("bits {} under another schedule {}", record.digest, again)};
  return record;
}

std::vector<Record> judge_run(const Case& c, const Run& r) {
  if (!r.first.findings.empty() || !r.second.findings.empty()) return {execution_record(c, r)};
  Claim whole = r.claim;
  whole.forward = true;  // the saved statistics are judged whatever `op` says
  const Answers answers = evaluate(whole, r.inputs, given_of(r));
  const auto disagreement = dissent(r);
  std::vector<Record> records;
  for (const Role role : {Role::output, Role::buffer, Role::gradient}) {
    for (const TensorSpec& spec : r.claim.tensors) {
      if (spec.role != role || !is_judged(r.claim, spec)) continue;
      const auto answer = answers.find(spec.name);
      if (answer == answers.end()) throw InstrumentError("the oracle is silent on " + spec.name);
      Record record = tensor_record(c, r, spec, answer->second);
      if (const auto found = disagreement.find(spec.name); found != disagreement.end())
        record.verdict = {Outcome::instrument_broken, found->second};
      records.push_back(std::move(record));
    }
  }
  return records;
}

/// law=NAME: one Record for each quantity that the law looks at.
std::vector<Record> law_records(const Case& c) {
  std::vector<Record> records;
  const Claim claim = kernel_of(c).claim(c);
  for (Finding& finding : check_law(c)) {
    Record record = blank(c, claim);
    record.tensor = finding.quantity;
    record.witness = "law " + c.text("law");
    record.shape = finding.shape;
    record.discrepancy = std::move(finding.discrepancy);
    record.verdict = std::move(finding.verdict);
    record.why = finding.why;
    records.push_back(std::move(record));
  }
  return records;
}

Record skipped(const Case& c, const std::string& reason) {
  Record record = blank(c, kernel_of(c).claim(c));
  record.tensor = kExecution;
  record.verdict = {Outcome::skipped, reason};
  return record;
}

}  // namespace

Context context_of(const Case& c) {
  const bool cuda = c.is("device", "cuda");
  Context context{cuda ? "cuda" : "cpu", "executor sm_90", GRADPROOF_TOOLKIT, GRADPROOF_VERSION};
  if (const auto device = cuda ? simt::device_info() : std::nullopt) context.device = device->name;
  return context;
}

std::vector<Record> check_case(const Case& c) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Record> records;
  try {
    records = c.is("law", "none") ? judge_run(c, run(c)) : law_records(c);
  } catch (const simt::NoDevice& error) {
    records = {skipped(c, error.what())};
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (Record& record : records) record.seconds = seconds.count();
  return records;
}

}  // namespace gradproof
