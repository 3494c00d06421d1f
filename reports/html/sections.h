// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/formats/failures.h"
#include "reports/formats/report.h"
#include "reports/text/text_table.h"

namespace gradproof {

/// The most entries of each list that a page shows; what is left out is counted there. A page that
/// is too large is written again with half of all.
struct PageLimits {
  std::size_t causes = 30;    ///< as cards
  std::size_t others = 10;    ///< further Cases of a card
  std::size_t changes = 100;  ///< tensors of the comparison
  std::size_t gaps = 60;      ///< things that were not proved
  std::size_t rows = 1200;    ///< of the table of cells
  std::size_t curves = 12;    ///< V-curves
  std::size_t audit_rows = 200;
  std::size_t message = 4000;  ///< bytes of a message
  std::size_t words = 600;     ///< bytes of a Case, a reason, a fact

  PageLimits halved() const;
};

/// Each function returns a section of the page, or an empty text if it has nothing to say.
std::string header_section(const Report& report, const PageLimits& limits);
std::string failures_section(const std::vector<ReportedCause>& causes, const PageLimits& limits);
std::string comparison_section(const Report& report, const PageLimits& limits);
std::string gaps_section(const Report& report, const PageLimits& limits);
std::string plots_section(const Report& report, const PageLimits& limits);
std::string cells_section(const Report& report, const PageLimits& limits);
std::string audit_section(const Report& report, const PageLimits& limits);
std::string facts_section(const Report& report, const PageLimits& limits);

/// The Record's facts about the failure, as a list of names and values; for an audit its table.
std::string failure_facts(const WrongTensor& failure, const PageLimits& limits);

/// "64 of 2112 elements (3.03%), all in column 32": over the bound.
std::string over_text(const Discrepancy& found);

/// The text, escaped and no longer than the limit.
std::string words(const std::string& text, const PageLimits& limits);

/// The kind of a column's cells, which decides how they are written.
enum class CellKind { text, number, command, picture };

struct HtmlColumn {
  std::string name;
  CellKind kind = CellKind::text;
};

/// Rows of texts; a picture is SVG, and stands as it is.
struct HtmlTable {
  std::string caption;  ///< for a screen reader
  std::vector<HtmlColumn> columns;
  std::vector<TextRow> rows;
};

/// A text table whose first row is its head. Columns of numbers are named; one named "case" holds a
/// command that replays it.
HtmlTable table_of(const std::vector<TextRow>& rows, const std::vector<std::string>& numbers,
                   const std::string& caption);

/// A table in a box that scrolls by itself and says so; empty without rows.
std::string html_table(const HtmlTable& table, const PageLimits& limits);

/// A picture with what it shows; empty without a picture.
std::string figure(const std::string& picture, const std::string& title, const std::string& says);

}  // namespace gradproof
