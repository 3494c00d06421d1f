// SPDX-License-Identifier: Apache-2.0
#include "judge/audit_case.h"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/front/audit_arguments.h"
#include "core/case/inputs.h"
#include "core/compare/record.h"
#include "core/error.h"
#include "core/parallel.h"
#include "judge/audit_verdict.h"
#include "judge/audit_witnesses.h"
#include "judge/model_pairs/linear_records.h"
#include "judge/model_pairs/linear_system.h"
#include "oracles/derivatives/derivative_witnesses.h"

namespace gradproof {
namespace {

constexpr std::int64_t kMostEntries = INT64_MAX;
constexpr std::int64_t kMostDigits = 33;
constexpr std::int64_t kMostThreads = 1024;

/// KEY=NUMBER, from 1 to `most`.
std::int64_t number_of(const std::string& word, const std::string& text, std::int64_t most) {
  const std::int64_t number = whole_number(text).value_or(0);
  if (number >= 1 && number <= most) return number;
  throw UsageError(fmt::format("'{}' of '{}' is no whole number from 1 to {}", text, word, most));
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
      : derivatives_(derivative_witnesses(run.claim, run.inputs)),
        libtorch_(run.claim, run.inputs, static_cast<std::uint64_t>(c.integer("seed"))) {
    if (kernel) kernel_.emplace(run);
  }

  void add_to(AuditRow& row) const {
    if (kernel_) row.witnesses.push_back(kernel_->on(row.tensor));
    row.witnesses.push_back(libtorch_.on(row.tensor));
    const std::vector<AuditWitness>& derivatives = derivatives_.at(row.tensor);
    row.witnesses.insert(row.witnesses.end(), derivatives.begin(), derivatives.end());
    settle(row);
  }

 private:
  std::map<std::string, std::vector<AuditWitness>> derivatives_;
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
      plan.options.entries = number_of(word, text, kMostEntries);
    else if (key == "digits")
      plan.options.digits = static_cast<int>(number_of(word, text, kMostDigits));
    else if (key == "threads")
      plan.threads = static_cast<int>(number_of(word, text, kMostThreads));
    else if (word == "direct=yes")
      plan.options.direct = true;
    else if (key == "column")
      plan.column = text;
    else if (word == "kernel=no")
      plan.kernel = false;
    else if (word == "json=yes")
      plan.json = true;
    else
      throw UsageError(
          fmt::format("unknown argument '{}'; known: entries digits direct=yes column kernel=no "
                      "json=yes threads",
                      word));
  }
  return plan;
}

void audit_case(const Case& c, const AuditPlan& plan) {
  refuse_law(c);
  const ThreadLimit limit(plan.threads > 0 ? plan.threads : thread_limit());
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

std::vector<AuditRow> audited_without_kernel(const Case& c) {
  std::vector<AuditRow> rows;
  AuditPlan plan;
  plan.kernel = false;
  plan.threads = 1;
  plan.row = [&](const AuditRow& row) { rows.push_back(row); };
  audit_case(c, plan);
  return rows;
}

}  // namespace gradproof
