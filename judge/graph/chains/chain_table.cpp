// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/chains/chain_table.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/graph/chains/measured_chains.h"
#include "judge/graph/graph_run.h"
#include "kernels/harness/counted_run.h"

namespace gradproof {
namespace {

/// The Case without its kernel's word.
std::string keys_of(const Case& c) {
  const std::string text = to_string(c);
  return text.substr(std::min(text.size(), c.word().size() + 1));
}

/// Each reduction that the Case shows, of a kernel that declares its own; `only`: that one alone.
void add_reductions(const Kernel& kernel, const Case& c, const std::string& only,
                    ChainTable& table) {
  for (const CountedReduction& r : count_reductions(kernel, c))
    if (only.empty() || r.name == only)
      table.rows.push_back({c.word(), keys_of(c), r.name, r.declared, r.counted,
                            r.counted > std::max(r.declared, kAdditionsOfElement)});
}

/// Adds the reductions on both paths of a column kernel, and with a parameter of one number.
void add_reductions(const Kernel& kernel, ChainTable& table) {
  const auto add = [&](const std::string& keys, const std::string& only) {
    const std::string text = fmt::format("{} {}", kernel.schema->word, keys);
    add_reductions(kernel, parse_case(text, {kernel.schema}), only, table);
  };
  const std::string few = "rows=128 cols=768";
  add(few, "");
  add("rows=4096 cols=96", "");
  for (const Key& key : kernel.schema->keys)
    if (std::count(key.words.begin(), key.words.end(), "one") > 0)
      add(fmt::format("{} {}=one", few, key.name), "shared");
}

std::string sizes_text(const GraphExtents& extents) {
  std::vector<std::string> all;
  for (const auto& [axis, extent] : extents) all.push_back(fmt::format("{}={}", axis, extent));
  return fmt::format("{}", fmt::join(all, " "));
}

/// Each tensor of a kernel of one's own.
void add_tensors(const Systems& systems, const Case& c, ChainTable& table) {
  const GraphRun run = run_graph(systems, c);
  if (!run.findings.empty())
    table.lacks.push_back(
        fmt::format("{}: its run was stopped: {}", to_string(c), run.findings[0].text));
  else if (run.counted.tensors.empty())
    table.lacks.push_back(fmt::format("{}: {}", to_string(c), run.counted.lack));
  for (const auto& [tensor, counted] : run.counted.tensors) {
    if (!has_name(c.schema().tensors, tensor)) continue;  // saved for backward, and not judged
    const std::int64_t permitted = permitted_additions(run.claim, tensor);
    table.rows.push_back({c.word(), sizes_text(run.claim.extents), tensor, permitted,
                          counted.longest, counted.longest > permitted});
  }
}

/// The counting number is compiled into the right kernel alone, in float32 and for the executor.
bool is_counted(const Case& c) {
  return c.is("dtype", "f32") && c.is("device", "cpu") && c.is("mutant", "none");
}

/// Adds the rows of one Case, or, without a Case, those of the table's own Cases of the kernel.
void add_rows(const Systems& systems, const Kernel& kernel, const std::optional<Case>& c,
              ChainTable& table) {
  if (kernel.schema->by_graph)
    add_tensors(systems, c ? *c : Case(kernel.schema), table);
  else if (!kernel.counting.entry.forward)
    table.lacks.push_back(kernel.schema->word + ": this program has no number that counts in it");
  else if (c && !is_counted(*c))
    table.lacks.push_back(to_string(*c) +
                          ": what is counted is the kernel itself, in f32 on the executor");
  else if (c)
    add_reductions(kernel, *c, "", table);
  else
    add_reductions(kernel, table);
}

}  // namespace

ChainTable chain_table(const Systems& systems, const std::vector<std::string>& cases) {
  ChainTable table;
  for (const std::string& text : cases) {
    const Case c = parse_case(text, systems.schemas());
    add_rows(systems, systems.catalog.of(c), c, table);
  }
  if (!cases.empty()) return table;
  for (const Kernel& kernel : systems.catalog.kernels())
    add_rows(systems, kernel, std::nullopt, table);
  return table;
}

}  // namespace gradproof
