// SPDX-License-Identifier: Apache-2.0
#include "tools/search/judged.h"

#include "core/case/shrink.h"
#include "core/error.h"
#include "judge/cross_check.h"
#include "judge/records.h"
#include "judge/run_case.h"
#include "judge/tensor_records.h"
#include "simt/host.h"

namespace gradproof {
namespace {

std::vector<Record> records_of(const Kernel& kernel, const Case& c, const Record& blank) {
  const CaseRun run = run_case(kernel, c);
  if (!run.findings().empty()) return {findings_record(blank, run.findings())};
  const CrossCheck nobody{.asked = "no second witness"};
  return tensor_records(run, compare_run(run), nobody, blank, Detail::of_failures);
}

/// True for the Record of a tensor in which every element was decided.
bool counts(const Record& record) {
  return record.tensor != kExecution && record.discrepancy().undecided == 0;
}

TensorRatio ratio_of(const Record& record) {
  const Discrepancy& d = record.discrepancy();
  return {record.tensor, d.max_ratio, index_text(record.shape, d.worst.index), d.elements,
          d.resolution.rms_bound > 0};
}

}  // namespace

std::vector<Record> searched_records(const Kernel& kernel, const Case& c) {
  const Record blank = blank_record(c);
  try {
    return records_of(kernel, c, blank);
  } catch (const simt::ExecutionError& error) {  // where no harness stood between
    return {findings_record(blank, error.findings())};
  }
}

SearchEvaluation evaluated(const Kernel& kernel, const Case& c) {
  SearchEvaluation evaluation;
  try {
    for (const Record& record : searched_records(kernel, c)) {
      const Outcome outcome = record.verdict.outcome;
      const bool first = !evaluation.trouble;
      const bool first_wrong = first || !is_wrong(evaluation.trouble->verdict.outcome);
      if (is_wrong(outcome) ? first_wrong : first && outcome == Outcome::instrument_broken)
        evaluation.trouble = {record.tensor, record.verdict};
      if (counts(record)) evaluation.tensors.push_back(ratio_of(record));
    }
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    evaluation.trouble = {kExecution, {Outcome::instrument_broken, error.what()}};
  }
  return evaluation;
}

Case shrunk(const Kernel& kernel, const Search::TroubledCase& found) {
  constexpr int kSteps = 200;
  const auto same_trouble = [&](const Case& c) {
    try {
      const SearchEvaluation e = evaluated(kernel, c);
      return e.trouble && e.trouble->tensor == found.trouble.tensor &&
             e.trouble->verdict.outcome == found.trouble.verdict.outcome;
    } catch (const UsageError&) {
      return false;  // an element that is set lies outside
    }
  };
  return shrink(found.c, same_trouble, kSteps);
}

}  // namespace gradproof
