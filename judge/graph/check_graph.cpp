// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/check_graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "judge/graph/given_run.h"
#include "judge/graph/judged_records.h"
#include "judge/graph/samples/sampled_part.h"
#include "judge/records.h"
#include "tensor_files/tensor_file.h"

namespace gradproof {
namespace {

/// Records that say why tensors are not judged of which every part takes long.
std::vector<Record> long_records(const GraphRun& run, const SamplePlan& plan, const Record& blank) {
  std::vector<Record> records;
  for (const std::string& target : plan.targets) {
    if (!run.got.contains(target)) continue;
    records.push_back(skipped_record(
        blank, fmt::format("the smallest part of it takes {:.1e} multiply-adds, which takes long "
                           "(elements=all judges it)",
                           plan.work)));
    records.back().tensor = target;
  }
  return records;
}

/// The Records of all tensors that the run has; of products that take long a part is judged.
std::vector<Record> all_judged(const Case& c, const GraphRun& run, const Record& blank,
                               Detail detail, SecondWitness witness) {
  const auto plans = sample_plans_of(c, run.claim.graph, run.claim.extents);
  if (plans.empty()) return judged_records(c, run, blank, detail, witness);
  const Tensors guide = guide_of(run);
  const GraphRun masked = with_masks(run);
  std::vector<Record> all;
  for (const SamplePlan& plan : plans) {
    if (plan.work > kMostWork) {
      std::ranges::move(long_records(run, plan, blank), std::back_inserter(all));
      continue;
    }
    const RunPart part = sampled_part(masked, plan, guide);
    for (Record& record : judged_records(c, part.run(), blank, detail, witness)) {
      part.place(record);
      all.push_back(std::move(record));
    }
  }
  return all;
}

bool has_gradient(const Graph& graph, const Tensors& got) {
  return std::any_of(got.begin(), got.end(),
                     [&](const auto& t) { return !has_name(graph.outputs, t.first); });
}

/// True if the writer of the outputs noted about `what`, their "gradients" or "outputs", that
/// nobody asked for them.
bool is_left_out(const Case& c, const std::string& what) {
  return tensor_file_header(c.text("outputs")).metadata.contains(what);
}

/// True if an absent tensor has a Record. A file without any gradient is of a run of forward alone;
/// if one gradient is missing among others, nothing was proved about it.
bool is_asked_about(const Case& c, const GraphRun& run, const std::string& tensor) {
  const Graph& graph = run.claim.graph;
  if (has_name(graph.outputs, tensor)) return !is_left_out(c, "outputs");
  return has_gradient(graph, run.got);
}

/// The Record of a tensor that nobody gave.
Record missing_record(const Case& c, const Record& blank, const std::string& tensor) {
  Record record = skipped_record(blank, fmt::format("not in {}", c.text("outputs")));
  record.tensor = tensor;
  return record;
}

}  // namespace

std::vector<Record> graph_records(const Systems& systems, const Case& c, const Record& blank,
                                  Detail detail, SecondWitness witness) try {
  return graph_records(c, run_graph(systems, c), blank, detail, witness);
} catch (const NoOperator& error) {
  return {skipped_record(blank, error.what())};
}

std::vector<Record> graph_records(const Case& c, const GraphRun& run, const Record& blank,
                                  Detail detail, SecondWitness witness) {
  if (!run.findings.empty()) return {findings_record(blank, run.findings)};
  std::vector<Record> judged = all_judged(c, run, blank, detail, witness);
  std::vector<Record> records;
  if (has_given_tensors(c)) records = given_run_records(c, blank);
  const bool explained = !records.empty();
  for (const std::string& tensor : c.schema().tensors) {
    const auto found = std::ranges::find(judged, tensor, &Record::tensor);
    if (found != judged.end())
      records.push_back(std::move(*found));
    else if (!explained && is_asked_about(c, run, tensor))
      records.push_back(missing_record(c, blank, tensor));
  }
  if (has_given_tensors(c) && !explained && !has_gradient(run.claim.graph, run.got) &&
      !is_left_out(c, "gradients"))
    records.push_back(
        skipped_record(blank, fmt::format("gradients: there are none in {}", c.text("outputs"))));
  return records;
}

}  // namespace gradproof
