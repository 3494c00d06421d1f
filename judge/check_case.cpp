// SPDX-License-Identifier: Apache-2.0
#include "judge/check_case.h"

#include <algorithm>
#include <chrono>

#include "core/case/law_key.h"
#include "core/case/witnessed_case.h"
#include "core/graph/graph_case.h"
#include "judge/cross_check.h"
#include "judge/graph/check_graph.h"
#include "judge/graph/diagnoses.h"
#include "judge/graph/given_run.h"
#include "judge/laws/graph_laws.h"
#include "judge/records.h"
#include "judge/run_case.h"
#include "judge/tensor_records.h"
#include "oracles/claim/graph_of_claim.h"
#include "simt/device.h"

namespace gradproof {
namespace {

bool has_wrong(const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(),
                     [](const Record& r) { return is_wrong(r.verdict.outcome); });
}

void explain(const CaseRun& run, std::vector<Record>& records) {
  const Tensors& got = run.judged.tensors;
  const Tensors statistics = statistics_from(given_statistics(run.claim, got));
  const GraphClaim claim = graph_of_claim(run.claim, run.inputs);
  add_diagnoses({run.inputs, statistics, got, std::byte{0xFF},
                 [&](const std::string&) { return std::optional(claim); }},
                records);
}

/// The eight words, each one call. A run draws its own inputs, for with steps=k the buffers of a
/// step are what the step before it left.
std::vector<Record> kernel_records(const Kernel& kernel, const Case& c, const Record& blank,
                                   Detail detail, SecondWitness witness) {
  const CaseRun run = run_case(kernel, c);  // Inputs, Kernel
  if (!run.findings().empty()) return {findings_record(blank, run.findings())};

  const Comparisons compared = compare_run(run);  // Oracle, Discrepancy
  if (witness == SecondWitness::of_failures) {
    std::vector<Record> records = tensor_records(run, compared, {}, blank, detail);
    if (!has_wrong(records)) return records;
  }
  const CrossCheck libtorch = cross_check(run.claim, run.inputs, seed_of(c));
  std::vector<Record> records = tensor_records(run, compared, libtorch, blank, detail);
  if (has_wrong(records)) explain(run, records);
  return records;  // Verdict, Record
}

std::vector<Record> records_of(const Systems& systems, const Case& c, const Record& blank,
                               Detail detail, SecondWitness witness) {
  if (is_witnessed_case(c)) return witnessed_records(c, blank);
  if (is_graph_in_braces(c) && asks_about_law(c)) return graph_law_records(c, blank);
  if (is_graph_case(c) && !asks_about_law(c))
    return graph_records(systems, c, blank, detail, witness);
  if (const ModelPair* const pair = systems.pair_of(c)) return pair->check(c, blank, detail);
  const Kernel& kernel = systems.catalog.of(c);
  return asks_about_law(c) ? law_records([&](const Law&) { return kernel; }, c, blank)
                           : kernel_records(kernel, c, blank, detail, witness);
}

/// A Case that this machine cannot run is skipped; the executor's findings convict the kernel.
std::vector<Record> judged_or_skipped(const Systems& systems, const Case& c, Detail detail,
                                      SecondWitness witness) {
  const Record blank = blank_record(c);
  try {
    return records_of(systems, c, blank, detail, witness);
  } catch (const simt::NoDevice& error) {
    return {skipped_record(blank, error.what())};
  } catch (const simt::NoRoom& error) {
    return {skipped_record(blank, error.what())};
  } catch (const simt::ExecutionError& error) {  // where no harness stood between
    return {findings_record(blank, error.findings())};
  }
}

}  // namespace

std::vector<Record> check_case(const Systems& systems, const Case& c, Detail detail,
                               SecondWitness witness) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Record> records = judged_or_skipped(systems, c, detail, witness);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (Record& record : records) record.seconds = seconds.count();
  return records;
}

}  // namespace gradproof
