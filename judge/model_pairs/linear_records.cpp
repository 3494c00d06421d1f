// SPDX-License-Identifier: Apache-2.0
#include "judge/model_pairs/linear_records.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/error.h"
#include "core/graph/cancellation/cancellation.h"
#include "core/tensor/digest.h"
#include "judge/model_pairs/linear_end_to_end.h"
#include "judge/model_pairs/linear_system.h"
#include "judge/records.h"
#include "judge/tensor_records.h"
#include "oracles/linear/linear.h"

namespace gradproof {
namespace {

struct Named {
  std::string key;     ///< in compare_linear's answer
  std::string tensor;  ///< in records
  const Tensor* got;   ///< null: not judged here
};

/// The known truth of a tensor of the Linear. The bias is a summand of the epilogue's input, so its
/// gradient is 0 behind a BatchNorm with the batch's statistics.
std::optional<KnownTruth> known_truth_of(const Claim& epilogue, const std::string& key,
                                         const Discrepancy& found) {
  if (found.elements == 0) return KnownTruth::no_elements;
  const bool vanishes =
      key == "d_bias" && summand_vanishes(epilogue.graph, epilogue.extents, "x", {"cols"});
  return vanishes ? std::optional(KnownTruth::vanishes) : std::nullopt;
}

LinearCheck check_of(const Case& c) {
  LinearCheck check{ProductCheck::automatic, seed_of(c)};
  if (c.is("product", "full")) check.product = ProductCheck::full;
  if (c.is("product", "freivalds")) check.product = ProductCheck::freivalds;
  return check;
}

/// z is the first record, as it is the first to be computed.
std::vector<Record> product_records(const Case& c, const LinearRun& run, const Record& blank) {
  const LinearTensors tensors = run.linear_tensors();
  const auto all = compare_linear(tensors, check_of(c));
  const Named judged[]{{"z", "z", tensors.z},
                       {"d_input", "d_input", tensors.d_input},
                       {"d_weight", "d_" + run.name + ".weight", tensors.d_weight},
                       {"d_bias", "d_" + run.name + ".bias", tensors.d_bias}};
  std::vector<Record> records;
  for (const Named& named : judged) {
    if (named.got == nullptr) continue;
    const auto found = all.find(named.key);
    if (found == all.end()) throw InstrumentError("the product is silent on " + named.key);
    Record record = blank;
    record.tensor = named.tensor;
    record.witness = found->second.witness;
    record.shape = found->second.shape;
    record.figures = found->second.discrepancy;
    record.why = found->second.why;
    record.known = known_truth_of(run.epilogue, named.key, record.discrepancy());
    record.verdict =
        with_known_truth(judge(record.discrepancy()), record.discrepancy(), record.known);
    record.digest = digest(*named.got);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

CaseRun epilogue_of(LinearRun&& run) {
  CaseRun epilogue{std::move(run.epilogue), std::move(run.inputs), std::move(run.run), {}};
  for (const auto& [name, tensor] : epilogue.judged.tensors)
    epilogue.judged.digests.insert_or_assign(name, digest(tensor));
  epilogue.rerun.digests = epilogue.judged.digests;
  return epilogue;
}

std::vector<Record> linear_records(const Case& c, const Record& blank, Detail detail) {
  LinearRun run = run_linear(c);
  if (!run.run.findings.empty()) return {findings_record(blank, run.run.findings)};
  std::vector<Record> records = product_records(c, run, blank);
  EndToEnd whole = end_to_end(c, run, blank);
  run.linear.clear();
  const CaseRun epilogue = epilogue_of(std::move(run));
  const CrossCheck libtorch = cross_check(epilogue.claim, epilogue.inputs, seed_of(c));
  for (Record& record : tensor_records(epilogue, compare_run(epilogue), libtorch, blank, detail)) {
    record.tensor = record_name(c, record.tensor);
    if (const auto silent = whole.silent.find(record.tensor); silent != whole.silent.end())
      record.why += "; end to end says nothing: " + silent->second;
    records.push_back(std::move(record));
  }
  std::move(whole.records.begin(), whole.records.end(), std::back_inserter(records));
  return records;
}

}  // namespace gradproof
