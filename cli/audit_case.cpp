// SPDX-License-Identifier: Apache-2.0
#include "cli/audit_case.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/audit_verdict.h"
#include "cli/audit_witnesses.h"
#include "cli/linear_records.h"
#include "core/error.h"
#include "core/inputs.h"
#include "core/record.h"
#include "fixtures/linear/linear_system.h"
#include "oracles/audit/derivative_witnesses.h"

namespace gradproof {
namespace {

std::int64_t number_of(const std::string& word, const std::string& text) {
  try {
    return std::stoll(text);
  } catch (const std::exception&) {
    throw UsageError(fmt::format("'{}' of '{}' is no whole number", text, word));
  }
}

/// The Case's claim and inputs without a run of its kernel.
CaseRun without_run(const Case& c) {
  const Claim claim = kernel_of(c).claim(c);
  return {claim, make_inputs(c, claim), {}, {}};
}

CaseRun run_of(const Case& c, bool kernel) {
  if (is_linear_system(c)) return epilogue_of(run_linear(c));
  return kernel ? run_case(c) : without_run(c);
}

AuditRow row_without_gradients(const Case& c) {
  AuditRow row;
  row.tensor = kExecution;
  row.shape = {0};
  row.verdict = "inconclusive";
  row.reason =
      c.is("op", "forward") ? "op=forward asks for no gradients" : "there are no gradients";
  return row;
}

/// All that is asked about a Case's gradients beside the differences.
class Witnesses {
 public:
  Witnesses(const Case& c, const CaseRun& run, bool kernel)
      : run_(run), libtorch_(run.claim, run.inputs, static_cast<std::uint64_t>(c.integer("seed"))) {
    if (kernel) kernel_.emplace(run);
  }

  void add_to(AuditRow& row) const {
    if (kernel_) row.witnesses.push_back(kernel_->on(row.tensor));
    row.witnesses.push_back(libtorch_.on(row.tensor));
    for (AuditWitness& witness : derivative_witnesses(run_.claim, run_.inputs, row.tensor))
      row.witnesses.push_back(std::move(witness));
    settle(row);
  }

 private:
  const CaseRun& run_;
  LibTorchWitness libtorch_;
  std::optional<KernelWitness> kernel_;
};

}  // namespace

AuditPlan audit_plan(const std::vector<std::string>& arguments) {
  AuditPlan plan;
  for (const std::string& word : arguments) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "entries")
      plan.options.entries = number_of(word, text);
    else if (key == "digits")
      plan.options.digits = static_cast<int>(number_of(word, text));
    else if (word == "direct=yes")
      plan.options.direct = true;
    else if (key == "column")
      plan.column = text;
    else if (word == "kernel=no")
      plan.kernel = false;
    else if (word == "json=yes")
      plan.json = true;
    else
      throw UsageError(fmt::format(
          "unknown argument '{}'; known: entries digits direct=yes column kernel=no", word));
  }
  return plan;
}

void audit_case(const Case& c, const AuditPlan& plan) {
  if (c.schema().has("law") && !c.is("law", "none"))
    throw UsageError(fmt::format("'{}' is about a law, not about gradients; leave out law={}",
                                 to_string(c), c.text("law")));
  plan.progress(kKernel);
  const CaseRun run = run_of(c, plan.kernel);
  plan.progress(kDifferences);
  std::vector<AuditRow> rows;
  if (run.claim.backward) rows = audit(run.claim, run.inputs, plan.options);
  if (rows.empty()) return plan.row(row_without_gradients(c));
  plan.progress(kWitnesses);
  const Witnesses witnesses(c, run, plan.kernel);
  for (AuditRow& row : rows) {
    witnesses.add_to(row);
    if (is_linear_system(c)) row.tensor = record_name(c, row.tensor);
    plan.row(row);
  }
}

}  // namespace gradproof
