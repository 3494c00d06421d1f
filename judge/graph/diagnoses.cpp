// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/diagnoses.h"

#include <utility>

#include "oracles/diagnosis/diagnose.h"

namespace gradproof {

void add_diagnoses(const ExplainedRun& run, std::vector<Record>& records) {
  std::vector<std::pair<Record*, GraphClaim>> outputs, gradients;
  for (Record& record : records) {
    if (!is_wrong(record.verdict.outcome) || record.discrepancy().bad == 0) continue;
    std::optional<GraphClaim> claim = run.claim_of(record.tensor);
    if (!claim) continue;
    const bool is_output = has_name(claim->graph.outputs, record.tensor);
    (is_output ? outputs : gradients).emplace_back(&record, std::move(*claim));
  }
  double numbers = kDiagnosedNumbers;
  for (auto& [record, claim] : outputs.empty() ? gradients : outputs) {
    const WrongNumbers wrong{record->tensor, get(run.got, record->tensor), run.unwritten};
    std::string text = diagnose(claim, run.inputs, run.statistics, wrong, numbers);
    if (!text.empty()) record->diagnosis = std::move(text);
  }
}

}  // namespace gradproof
