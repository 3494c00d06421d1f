// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/audit_target.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "core/parallel.h"
#include "oracles/differences/summed_target.h"
#include "oracles/differences/unit_audit.h"

namespace gradproof {
namespace {

constexpr int kDoubleDoubleDigits = 20;
constexpr std::int64_t kParts = 64;  ///< of all units, for threads to share

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

/// audit_unit() of a sample of `entries` numbers, 0: of all units; in parallel where
/// `in_threads`, because a sum has threads of its own.
EntryTally audit_units(const TensorTask& task, LossCache& cache, std::int64_t entries,
                       bool in_threads) {
  std::vector<SampledEntries> asked;
  if (entries > 0)
    asked = strata(cache, task.arithmetic, entries);
  else
    for (const std::int64_t unit : all_units(cache.target())) asked.push_back({unit, {}});
  const std::int64_t count = std::ssize(asked);
  const std::int64_t parts = in_threads ? std::min(count, kParts) : 1;
  std::vector<EntryTally> tallies(static_cast<std::size_t>(parts));
  for_each_index(parts, [&](std::int64_t part) {
    LossCache own_cache(cache.target(), cache.tensor());
    for (std::int64_t k = count * part / parts; k < count * (part + 1) / parts; ++k)
      audit_unit(task, own_cache, asked[static_cast<std::size_t>(k)],
                 tallies[static_cast<std::size_t>(part)]);
  });
  EntryTally all;
  for (const EntryTally& tally : tallies) all.merge(tally);
  return all;
}

AuditRow audited(const AuditTarget& target, std::size_t tensor, const AuditOptions& options) {
  const double start = processor_seconds();
  const AuditArithmetic arithmetic = options.digits > kDoubleDoubleDigits
                                         ? AuditArithmetic::triple_double
                                         : AuditArithmetic::double_double;
  AuditRow row;
  row.tensor = "d_" + target.tensors()[tensor].name;
  row.shape = target.tensors()[tensor].shape;
  row.reach = name_of(target.tensors()[tensor].reach);
  row.arithmetic = name_of(arithmetic);
  row.reason = numel(row.shape) == 0 ? "the tensor has no entries" : "L is a sum of nothing";
  if (numel(row.shape) == 0 || target.blocks() == 0) return row;
  const double tolerance = std::pow(10.0, -options.digits);
  const SummedTarget sums(target, tensor);
  const bool summed = !target.in_one_unit(tensor);
  const auto& of_sums = summed ? static_cast<const AuditTarget&>(sums) : target;
  LossCache losses(target.may_bend() ? of_sums : target, tensor);
  const StepSelection selection = select_step(losses, arithmetic, tolerance, options.direct);
  row.order = order_of(selection.choice.order_index);
  row.log2_step = selection.choice.log2_step;
  row.method = selection.remark.empty() ? name_of(selection.method) : selection.remark;
  row.sweep = selection.sweep;
  LossCache judged(of_sums, tensor);
  audit_units({arithmetic, tolerance, selection, summed}, judged, options.entries,
              !summed || !sums.has_threads())
      .fill_in(row);
  row.seconds = processor_seconds() - start;
  return row;
}

}  // namespace

std::vector<AuditRow> audit_target(const AuditTarget& target, const AuditOptions& options) {
  std::vector<AuditRow> rows;
  for (std::size_t k = 0; k < target.tensors().size(); ++k)
    rows.push_back(audited(target, k, options));
  return rows;
}

}  // namespace gradproof
