// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/trial.h"

#include <cmath>

#include "core/case/inputs.h"
#include "core/graph/graph_case.h"
#include "core/parallel.h"
#include "oracles/claim/case_claim.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

constexpr const char* kExact = "exact";
constexpr const char* kBounds = "the contract's bounds of both sides";

Finding about_execution(Outcome outcome, const std::string& reason) {
  return {kExecutionQuantity, {}, {}, {outcome, reason}, ""};
}

void refuse_nonfinite(const Tensors& inputs) {
  if (!all_finite(inputs))
    throw LawEnds{
        about_execution(Outcome::mistrusted, "the law says nothing where inputs are not finite")};
}

KernelRun sound(KernelRun run) {
  if (!run.findings.empty())
    throw LawEnds{about_execution(Outcome::failed, simt::text_of(run.findings))};
  return run;
}

Tensors drawn_inputs(const Case& c, const Claim& claim) {
  return is_graph_case(c) ? make_graph_inputs(claim.graph, c) : make_inputs(c, claim);
}

/// True if both bounds together are infinite: nothing is compared then.
bool says_nothing(const Estimate& got, const Estimate& want, std::size_t i) {
  return std::isinf(got.bound[i] + want.bound[i]);
}

Tensor got_tensor(const Estimate& got, const Estimate& want) {
  Tensor tensor(DType::f64, got.shape);
  for (std::size_t i = 0; i < got.size(); ++i)
    tensor.set(static_cast<std::int64_t>(i),
               says_nothing(got, want, i) ? 0 : static_cast<double>(got.value[i]));
  return tensor;
}

/// The answer `want`, with the distance from it that `got` may have.
Answer answer_of(const Estimate& got, const Estimate& want) {
  Answer answer;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const bool vacuous = says_nothing(got, want, i);
    const long double value = vacuous ? 0 : want.value[i];
    const auto hi = static_cast<double>(value);
    // `got` is rounded to double once; the rest of `want` is less than half an ulp of it.
    const long double size = std::abs(want.value[i]) + std::abs(got.value[i]);
    const long double rounding = std::isfinite(size) ? std::ldexp(size, -53) : 0;
    answer.hi.push_back(hi);
    answer.lo.push_back(static_cast<double>(value - static_cast<long double>(hi)));
    answer.radius.push_back(0);
    answer.bound.push_back(static_cast<double>(got.bound[i] + want.bound[i] + rounding));
    answer.any_nonfinite.push_back(vacuous);
  }
  return answer;
}

/// An exact law that was found to hold of some numbers proves something, whatever they are.
Verdict exact_verdict(const Discrepancy& d) {
  if (d.bad > 0) return judge(d);
  if (d.elements == d.vacuous) return {Outcome::mistrusted, "no elements of which it says much"};
  return {Outcome::passed, ""};
}

}  // namespace

LawRun::LawRun(Case c, Claim claim, Tensors inputs, KernelRun left)
    : c_(std::move(c)),
      claim_(std::move(claim)),
      inputs_(std::move(inputs)),
      left_(std::move(left)) {}

const Estimate& LawRun::near(const std::string& name) const {
  if (estimates_.empty())
    for (const auto& [tensor, answer] : bounds())
      if (left_.tensors.contains(tensor))
        estimates_.emplace(tensor, estimate_of(left(tensor), answer));
  return estimates_.at(name);
}

Answers LawRun::bounds() const {
  if (!claim_.by_graph) return evaluate(claim_, inputs_, std::nullopt);
  JudgedTensors like;
  for (const TensorSpec& spec : results()) like.emplace(spec.name, &left(spec.name));
  Answers answers;
  for (auto& [name, found] : truths_of_graph(graph_claim_of(c_), inputs_, like)) {
    Truths& truths = found.truths;
    answers.emplace(name,
                    Answer{std::move(truths.hi), std::move(truths.lo), std::move(truths.radius),
                           std::move(truths.bound), "", std::move(truths.any_nonfinite)});
  }
  return answers;
}

std::vector<TensorSpec> LawRun::results() const {
  std::vector<TensorSpec> specs;
  for (const TensorSpec& spec : claim_.tensors)
    if (left_.digests.contains(spec.name) &&
        (spec.role == Role::gradient ? claim_.backward : claim_.forward) &&
        (!claim_.by_graph || has_name(c_.schema().tensors, spec.name)))
      specs.push_back(spec);
  return specs;
}

Trial::Trial(const Kernel& kernel, const Case& c)
    : kernel_(kernel), c_(c), claim_(kernel.claim(c)), inputs_(drawn_inputs(c, claim_)) {
  refuse_nonfinite(inputs_);
}

Execution Trial::execution() const {
  Execution execution = execution_of(c_);
  execution.options.workers = thread_limit();
  return execution;
}

const LawRun& Trial::run() {
  if (!run_) run_ = std::make_unique<LawRun>(run(inputs_));
  return *run_;
}

LawRun Trial::run(const Case& c, const Tensors& inputs) const {
  refuse_nonfinite(inputs);
  const Claim claim = kernel_.claim(c);
  return {c, claim, inputs, sound(run_kernel(kernel_, c, claim, inputs, execution()))};
}

LawRun Trial::run_nonfinite(const Tensors& inputs) const {
  return {c_, claim_, inputs, sound(run_kernel(kernel_, c_, claim_, inputs, execution()))};
}

LawRun Trial::run_rows(const Places& rows) const {
  const std::string axis = row_axis(claim_);
  const Case c = c_.with(axis, std::to_string(rows.size()));
  return run(c, Taking(claim_, {{axis, rows}}).of(inputs_, kernel_.claim(c)));
}

LawRun Trial::run_forward() const {
  Case c = c_;
  if (c.schema().has("op")) c = c.with("op", "forward");
  Claim claim = kernel_.claim(c);
  claim.backward = false;
  std::erase_if(claim.tensors, [](const TensorSpec& spec) {
    return spec.role == Role::cotangent || spec.role == Role::gradient;
  });
  Tensors inputs = inputs_;
  std::erase_if(inputs, [&](const auto& tensor) { return !claim.has(tensor.first); });
  return {c, claim, inputs, sound(run_kernel(kernel_, c, claim, inputs, execution()))};
}

LawRun Trial::run_by(const std::function<KernelRun(const Execution&)>& call) const {
  return {c_, claim_, inputs_, sound(call(execution()))};
}

void Trial::add(const std::string& quantity, const Shape& shape, Discrepancy d, Verdict verdict,
                const std::string& why) {
  findings_.push_back({quantity, shape, std::move(d), std::move(verdict), why});
}

void Trial::expect_near(const std::string& quantity, const Estimate& got, const Estimate& want) {
  Discrepancy d = compare(got_tensor(got, want), answer_of(got, want));
  Verdict verdict = judge(d);
  add(quantity, got.shape, std::move(d), std::move(verdict), kBounds);
}

void Trial::expect_zero(const std::string& quantity, const Estimate& got,
                        const std::vector<long double>& size) {
  const Estimate zero = exactly(got.shape, std::vector<long double>(got.size(), 0));
  Discrepancy d = compare(got_tensor(got, zero), answer_of(got, zero));
  Verdict verdict = d.bad > 0 || d.vacuous > 0
                        ? judge(d)
                        : Verdict{Outcome::mistrusted, "all that is summed is under the bound"};
  for (std::size_t i = 0; i < got.size() && d.bad == 0 && d.vacuous == 0; ++i)
    if (size.at(i) > got.bound[i]) verdict = {Outcome::passed, ""};
  add(quantity, got.shape, std::move(d), std::move(verdict), kBounds);
}

void Trial::expect_equal(const std::string& quantity, const Tensor& got, const Tensor& want,
                         const Estimate& within) {
  Answer exact;
  for (std::int64_t i = 0; i < want.numel(); ++i) {
    const long double bound = within.bound.at(static_cast<std::size_t>(i));
    exact.hi.push_back(std::isinf(bound) ? 0 : want.at(i));
    exact.bound.push_back(std::isinf(bound) ? static_cast<double>(bound) : 0);
    exact.any_nonfinite.push_back(std::isinf(bound));
  }
  exact.lo = exact.radius = std::vector<double>(exact.hi.size(), 0);
  Discrepancy d = compare(got, exact);
  Verdict verdict = exact_verdict(d);
  add(quantity, got.shape(), std::move(d), std::move(verdict), kExact);
}

void Trial::expect_bits(const std::string& quantity, const Tensor& got, const Tensor& want) {
  Answer exact;
  for (std::int64_t i = 0; i < want.numel(); ++i) exact.hi.push_back(want.at(i));
  exact.lo = exact.radius = exact.bound = std::vector<double>(exact.hi.size(), 0);
  Discrepancy d = compare(got, exact);
  Verdict verdict = exact_verdict(d);
  if (d.bad == 0 && !same_bits(got, want))
    verdict = {Outcome::failed, "the sign of a zero or a NaN's bits differ"};
  add(quantity, got.shape(), std::move(d), std::move(verdict), kExact);
}

void Trial::expect_same_results(const std::string& when, const LawRun& got, const LawRun& want) {
  for (const TensorSpec& spec : want.results())
    if (got.digests().contains(spec.name))
      expect_bits(spec.name + " " + when, got.left(spec.name), want.left(spec.name));
}

void Trial::expect(const std::string& quantity, bool is_so, const std::string& otherwise) {
  add(quantity, {}, {}, is_so ? Verdict{Outcome::passed, ""} : Verdict{Outcome::failed, otherwise},
      kExact);
}

bool all_finite(const Tensors& inputs) {
  for (const auto& [name, tensor] : inputs)
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      if (!std::isfinite(tensor.at(i))) return false;
  return true;
}

Tensors changed_cotangents(const Claim& claim, Tensors inputs,
                           const std::function<double(double, DType)>& f) {
  for (const TensorSpec& spec : claim.tensors)
    if (spec.role == Role::cotangent)
      inputs = changed(std::move(inputs), spec.name,
                       [&](double number, std::int64_t) { return f(number, spec.dtype); });
  return inputs;
}

Tensors changed(Tensors inputs, const std::string& name,
                const std::function<double(double, std::int64_t)>& f) {
  Tensor& tensor = inputs.at(name);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, f(tensor.at(i), i));
  return inputs;
}

}  // namespace gradproof
