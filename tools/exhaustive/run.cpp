// SPDX-License-Identifier: Apache-2.0
#include "tools/exhaustive/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/case/inputs.h"
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

std::string text_of(const Case& c, const std::vector<simt::Finding>& findings) {
  std::string text = to_string(c);
  for (const simt::Finding& f : findings) text += fmt::format("; {}: {}", f.kind, f.text);
  return text;
}

void count(Tally& t, const Discrepancy& d) {
  const Outcome outcome = judge(d).outcome;
  t.elements += d.elements;
  t.passed += outcome == Outcome::passed;
  t.failed += outcome == Outcome::failed;
  t.mistrusted += outcome == Outcome::mistrusted;
  t.broken += outcome == Outcome::instrument_broken;
  t.incomplete += outcome == Outcome::instrument_broken;
}

bool settled(const ByRegion& regions) {
  return std::any_of(regions.begin(), regions.end(), [](const auto& entry) {
    const Outcome outcome = judge(entry.second.discrepancy).outcome;
    return outcome == Outcome::passed || outcome == Outcome::failed;
  });
}

/// True where no parameter has the value of the first setting, the identity of its stage.
bool without_identity(const Case& setting, const Case& first) {
  const bool divides = first.schema().has("divide");
  return setting.text("set") != first.text("set") &&
         (!divides || setting.real("divide") != first.real("divide"));
}

std::vector<std::string> gaps_of(const TableRun& table) {
  std::vector<std::string> gaps;
  std::map<std::string, bool> proved;
  for (const SettingRun& run : table.settings) {
    if (!run.fault.empty())
      gaps.push_back(
          fmt::format("{}: stopped at its first finding: {}", table.name, to_string(run.setting)));
    const bool speaks =
        table.settings.size() == 1 || without_identity(run.setting, table.settings.front().setting);
    for (const auto& [tensor, regions] : run.found) {
      bool& known = proved[tensor];
      known = known || (speaks && settled(regions));
    }
  }
  for (const auto& [tensor, known] : proved)
    if (!known) gaps.push_back(fmt::format("{} {}: no trusted pass", table.name, tensor));
  if (proved.empty()) gaps.push_back(table.name + ": nothing was judged");
  return gaps;
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
  d.resolution.add(d.elements, o.resolution, o.elements);
  d.elements += o.elements;
  d.bad += o.bad;
  d.undecided += o.undecided;
  d.vacuous += o.vacuous;
  d.wrong_class += o.wrong_class;
  d.max_ratio = std::max(d.max_ratio, o.max_ratio);
  d.max_ulp = std::max(d.max_ulp, o.max_ulp);
  d.constant_would_pass = d.constant_would_pass && o.constant_would_pass;
  escalated += other.escalated;
}

Extremes total_of(const ByRegion& regions) {
  Extremes all;
  for (const auto& [region, e] : regions) all.add(e);
  return all;
}

SettingRun run_setting(const Kernel& kernel, const Case& setting, const std::vector<Piece>& pieces,
                       const std::function<void(std::size_t)>& on_progress) {
  SettingRun all{setting, {}, ""};
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Case c = case_of(setting, pieces[k]);
    const Claim claim = kernel.claim(c);
    const Tensors inputs = make_inputs(c, claim);
    const KernelRun run = run_kernel(kernel, c, claim, inputs, execution_of(c));
    if (!run.findings.empty()) {
      all.fault = text_of(c, run.findings);
      return all;
    }
    for (const auto& [name, judged] : compare_with_truth(claim, inputs, std::nullopt, run.tensors))
      all.found[name][pieces[k].region].add(extremes_of(judged, setting, pieces[k]));
    on_progress(k + 1);
  }
  return all;
}

Tally tally_of(const std::vector<TableRun>& tables) {
  Tally t;
  for (const TableRun& table : tables) {
    for (const SettingRun& run : table.settings) {
      t.failed += !run.fault.empty();
      for (const auto& [tensor, regions] : run.found)
        for (const auto& [region, e] : regions) count(t, e.discrepancy);
    }
    for (const std::string& gap : gaps_of(table)) t.add_gap(gap);
  }
  if (tables.empty()) t.add_gap("nothing was judged");
  return t;
}

}  // namespace gradproof
