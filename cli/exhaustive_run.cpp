// SPDX-License-Identifier: Apache-2.0
#include "cli/exhaustive_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/inputs.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

Extremes extremes_of(const Judged& judged, const Case& setting, const Piece& piece) {
  Extremes found;
  found.discrepancy = judged.discrepancy;
  found.escalated = judged.escalated;
  found.worst = piece.first + static_cast<std::uint64_t>(judged.discrepancy.worst.index);
  found.worst_case = to_string(setting);
  return found;
}

}  // namespace

void Extremes::add(const Extremes& other) {
  Discrepancy& d = discrepancy;
  const Discrepancy& o = other.discrepancy;
  if (o.elements == 0) return;
  if (d.elements == 0) {
    *this = other;
    return;
  }
  if (o.worst.ratio > d.worst.ratio) {
    d.worst = o.worst;
    worst = other.worst;
    worst_case = other.worst_case;
  }
  d.elements += o.elements;
  d.bad += o.bad;
  d.undecided += o.undecided;
  d.vacuous += o.vacuous;
  d.wrong_class += o.wrong_class;
  d.max_ratio = std::max(d.max_ratio, o.max_ratio);
  d.max_ulp = std::max(d.max_ulp, o.max_ulp);
  d.zero_would_pass = d.zero_would_pass && o.zero_would_pass;
  d.constant_would_pass = d.constant_would_pass && o.constant_would_pass;
  escalated += other.escalated;
}

Extremes total_of(const ByRegion& regions) {
  Extremes all;
  for (const auto& [region, e] : regions) all.add(e);
  return all;
}

ByTensor run_setting(const Kernel& kernel, const Case& setting, const std::vector<Piece>& pieces,
                     const std::function<void(std::size_t)>& told) {
  ByTensor found;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Case c = case_of(setting, pieces[k]);
    const Claim claim = kernel.claim(c);
    const Tensors inputs = make_inputs(c, claim);
    const KernelRun run = run_kernel(kernel, c, claim, inputs, execution_of(c));
    if (!run.findings.empty())
      throw InstrumentError(fmt::format("{}: {}", to_string(c), run.findings.front().text));
    for (const auto& [name, judged] : compare_with_truth(claim, inputs, std::nullopt, run.tensors))
      found[name][pieces[k].region].add(extremes_of(judged, setting, pieces[k]));
    told(k + 1);
  }
  return found;
}

}  // namespace gradproof
