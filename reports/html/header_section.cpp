// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/html/sections.h"
#include "reports/record/tally.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

/// A number with what it counts; a link to the section that shows them, where there is one.
struct Tile {
  std::int64_t count;
  std::string what;
  std::string style;    ///< of the number, unless it is 0
  std::string section;  ///< its id, or empty
};

/// "16,121,631"
std::string grouped(std::int64_t count) {
  std::string digits = fmt::to_string(count);
  for (std::size_t k = 3; k < digits.size(); k += 4) digits.insert(digits.size() - k, 1, ',');
  return digits;
}

std::string html_of(const Tile& tile) {
  const bool linked = tile.count > 0 && !tile.section.empty();
  const std::string inside =
      fmt::format("<b class=\"{}\">{}</b><span class=\"muted\">{}</span>",
                  tile.count > 0 ? tile.style : "muted", grouped(tile.count), tile.what);
  return linked ? fmt::format("<a class=\"tile\" href=\"#{}\">{}</a>\n", tile.section, inside)
                : fmt::format("<div class=\"tile\">{}</div>\n", inside);
}

/// The tiles of what is wrong in a run, then of what is right.
struct RunTiles {
  std::vector<Tile> wrong, right;
};

RunTiles tiles_of(const ReportedRun& run) {
  const Tally t = tally(run.stored);
  const bool audit = run.header.kind == Measured::differences;
  RunTiles tiles{{{t.failed, audit ? "gradients wrong" : "tensors failed", "bad-text", "failed"}},
                 {{t.passed, audit ? "gradients certified" : "tensors passed", "good-text",
                   audit ? "audit" : "tensors"}}};
  if (t.incomplete > 0)
    tiles.wrong.push_back(
        {t.incomplete, audit ? "inconclusive" : "not proved", "warn-text", "not-proved"});
  if (t.known_failures > 0)
    tiles.wrong.push_back({t.known_failures, "known failures", "warn-text", ""});
  if (t.mistrusted > 0)
    tiles.right.push_back({t.mistrusted, "passes that prove little", "", "little"});
  if (t.skipped > 0) tiles.right.push_back({t.skipped, "skipped", "", ""});
  tiles.right.push_back({t.elements, audit ? "entries audited" : "elements judged", "", ""});
  return tiles;
}

std::vector<Tile> tiles_of(const BaselineComparison& c) {
  if (!c.not_comparable.empty()) return {};
  std::vector<Tile> tiles{{c.count(Change::regressed), "regressed", "warn-text", "against"}};
  if (const std::int64_t missing = c.count(Change::missing); missing > 0)
    tiles.push_back({missing, "no longer measured", "warn-text", "against"});
  if (const std::int64_t improved = c.count(Change::improved); improved > 0)
    tiles.push_back({improved, "improved", "good-text", "against"});
  return tiles;
}

std::string row_of(const std::vector<Tile>& tiles) {
  std::string text;
  for (const Tile& tile : tiles) text += html_of(tile);
  return text.empty() ? "" : fmt::format("<div class=\"tiles\">\n{}</div>\n", text);
}

std::string verdict_style(const Conclusion& conclusion) {
  const int code = exit_code(conclusion.findings);
  return code == 0 ? "pass" : code == 1 || code == 3 ? "fail" : "open";
}

}  // namespace

std::string header_section(const Report& report, const PageLimits& limits) {
  const Conclusion conclusion = conclusion_of(report);
  std::string text =
      fmt::format("<header><h1>gradproof <span class=\"verdict {}\">{}</span></h1>\n<p>{}.</p>\n",
                  verdict_style(conclusion), conclusion.word, html_escaped(conclusion.sentence));
  if (const std::string proof = proof_of(report); !proof.empty())
    text += fmt::format("<p>{}.</p>\n", html_escaped(proof));
  // A baseline is compared with the first run.
  const ReportedRun* compared = report.comparison ? runs_of(report).front() : nullptr;
  for (const ReportedRun* run : runs_of(report)) {
    RunTiles tiles = tiles_of(*run);
    const auto changes = run == compared ? tiles_of(*report.comparison) : std::vector<Tile>();
    tiles.wrong.insert(tiles.wrong.end(), changes.begin(), changes.end());
    tiles.wrong.insert(tiles.wrong.end(), tiles.right.begin(), tiles.right.end());
    text += fmt::format(
        "<p class=\"muted\">{}: {}{}</p>\n{}", kind_name(run->header.kind),
        words(run->stored.note, limits),
        run == compared ? "; compared with " + words(report.comparison->file, limits) : "",
        row_of(tiles.wrong));
  }
  return text + "</header>\n";
}

}  // namespace gradproof
