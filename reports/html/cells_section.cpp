// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/html/sections.h"
#include "reports/plots/plots.h"
#include "reports/rows.h"
#include "reports/text/number_text.h"
#include "reports/text/overview.h"
#include "reports/text/run_summary.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

constexpr std::size_t kFewest = 12;  ///< rows of the table by trusted passes

using Cells = std::vector<const JudgedCell*>;

/// The cells, failed ones in front, then by the largest error/bound.
Cells by_nearest_to_the_bound(const std::vector<JudgedCell>& cells) {
  Cells sorted;
  for (const JudgedCell& cell : cells) sorted.push_back(&cell);
  std::stable_sort(sorted.begin(), sorted.end(), [](const JudgedCell* a, const JudgedCell* b) {
    const bool a_failed = a->second.failed > 0, b_failed = b->second.failed > 0;
    return a_failed != b_failed ? a_failed : a->second.max_ratio > b->second.max_ratio;
  });
  return sorted;
}

Cells by_fewest_trusted(const std::vector<JudgedCell>& cells) {
  Cells sorted;
  for (const JudgedCell& cell : cells) sorted.push_back(&cell);
  std::stable_sort(sorted.begin(), sorted.end(), [](const JudgedCell* a, const JudgedCell* b) {
    return a->second.trusted < b->second.trusted;
  });
  if (sorted.size() > kFewest) sorted.resize(kFewest);
  return sorted;
}

HtmlTable nearest_table(const Cells& cells, const PageLimits& limits) {
  HtmlTable table{"Tensors, the nearest to the bound first",
                  {{"max error/bound", CellKind::number},
                   {"kernel"},
                   {"tensor"},
                   {"type"},
                   {"mode"},
                   {"error/bound", CellKind::picture},
                   {"p99", CellKind::number},
                   {"max ulp", CellKind::number},
                   {"cases", CellKind::number},
                   {"failed", CellKind::number},
                   {"trusted", CellKind::number},
                   {"worst case", CellKind::command}},
                  {}};
  for (std::size_t k = 0; k < std::min(cells.size(), limits.rows); ++k) {
    const auto& [name, row] = *cells[k];
    table.rows.push_back({ratio_text(row.max_ratio), name.kernel, name.tensor, name.dtype,
                          name.mode, small_histogram(row.histogram), ratio_text(row.p99_ratio),
                          ulp_text(row), fmt::to_string(row.cases), fmt::to_string(row.failed),
                          fmt::to_string(row.trusted), row.worst_case});
  }
  return table;
}

/// The table of the cells in which the fewest passes prove something, folded.
std::string fewest_trusted(const std::vector<JudgedCell>& cells, const PageLimits& limits) {
  HtmlTable table{"Tensors with the fewest trusted passes",
                  {{"kernel"},
                   {"type"},
                   {"mode"},
                   {"tensor"},
                   {"cases", CellKind::number},
                   {"trusted passes", CellKind::number},
                   {"passes that prove little", CellKind::number}},
                  {}};
  for (const JudgedCell* cell : by_fewest_trusted(cells)) {
    const auto& [name, row] = *cell;
    table.rows.push_back({name.kernel, name.dtype, name.mode, name.tensor,
                          fmt::to_string(row.cases), fmt::to_string(row.trusted),
                          fmt::to_string(row.mistrusted)});
  }
  return fmt::format(
      "<details><summary>The {} with the fewest trusted passes</summary>\n{}</details>\n",
      table.rows.size(), html_table(table, limits));
}

std::string remarks(const std::vector<Record>& records, bool many_ulps, const PageLimits& limits) {
  std::string text;
  const auto add = [&](const std::string& line, const char* id) {
    if (!line.empty())
      text += fmt::format("<p class=\"muted\"{}>{}</p>\n", id, words(line, limits));
  };
  if (many_ulps) add(kManyUlps, "");
  add(rungs_line(records), "");
  add(samples_line(records), "");
  add(chains_line(records), "");
  const std::vector<DoubtedPasses> doubts = doubted_passes(records);
  if (doubts.empty()) return text;
  text += "<ul class=\"muted\" id=\"little\">";
  for (const DoubtedPasses& doubted : doubts)
    text += fmt::format("<li>{} {}</li>", doubted.count, words(doubted.words, limits));
  return text + "</ul>\n";
}

}  // namespace

std::string cells_section(const Report& report, const PageLimits& limits) {
  if (!report.check) return "";
  const std::vector<Record>& records = report.check->stored.records;
  const std::vector<JudgedCell> cells = judged_cells(records);
  if (cells.empty()) return "";
  const HtmlTable table = nearest_table(by_nearest_to_the_bound(cells), limits);
  const bool many_ulps = std::any_of(cells.begin(), cells.end(), [](const JudgedCell& cell) {
    return has_many_ulps(cell.second);
  });
  std::string text = fmt::format(
      "<section id=\"tensors\"><h2>Tensors</h2>\n<p class=\"muted\">A row is one tensor "
      "of "
      "a kernel in one type and mode, over all cases; the nearest to the bound stands first. The "
      "small picture counts elements by error/bound in powers of two; the dashed line is the "
      "bound.</p>\n{}",
      html_table(table, limits));
  if (table.rows.size() < cells.size())
    text += fmt::format("<p>and {} more rows: --format json has all</p>\n",
                        cells.size() - table.rows.size());
  return text + fewest_trusted(cells, limits) + remarks(records, many_ulps, limits) +
         "</section>\n";
}

}  // namespace gradproof
