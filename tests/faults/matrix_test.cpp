// SPDX-License-Identifier: Apache-2.0
// Each fault is planted, and what becomes of it is what docs/faults.md says. With
// GRADPROOF_UPDATE_FAULTS in the environment the rows of the table are written instead.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/faults/fault.h"
#include "tests/faults/fault_runs.h"

namespace gradproof {
namespace {

const std::string kPage = GRADPROOF_SOURCE_DIR "/docs/faults.md";
const std::string kHeader =
    "| fault | what is planted | verdict | exit code | lost |\n|---|---|---|---|---:|\n";

std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (const auto& some : {kernel_faults(), verb_faults(), process_faults(), signal_faults(),
                           file_faults(), stream_faults()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::string row_of(const Fault& fault, const Observed& observed) {
  return fmt::format("| {} | {} | {} | {} | {} |", fault.name, fault.done, observed.verdict,
                     observed.code, observed.lost);
}

bool is_row_of(const std::string& row, const std::string& fault) {
  return row.starts_with("| " + fault + " |");
}

/// The table's rows on a page.
std::vector<std::string> rows_on(const std::string& page) {
  std::vector<std::string> rows;
  const std::size_t begin = page.find(kHeader);
  if (begin == std::string::npos) return rows;
  std::istringstream lines(page.substr(begin + kHeader.size()));
  for (std::string line; std::getline(lines, line) && line.starts_with("|");) rows.push_back(line);
  return rows;
}

std::string row_on_page(const std::string& fault) {
  for (const std::string& row : rows_on(text_of(kPage)))
    if (is_row_of(row, fault)) return row;
  return "";
}

/// Rows of other faults stay as they are, those of none go.
void write_row(const Fault& fault, const std::string& row) {
  std::string page = text_of(kPage);
  std::string old;
  for (const std::string& line : rows_on(page)) old += line + "\n";
  std::string rows;
  for (const Fault& other : all_faults()) {
    const std::string one = other.name == fault.name ? row : row_on_page(other.name);
    if (!one.empty()) rows += one + "\n";
  }
  page.replace(page.find(kHeader) + kHeader.size(), old.size(), rows);
  std::ofstream(kPage) << page;
}

class FaultMatrix : public testing::TestWithParam<std::size_t> {};

TEST_P(FaultMatrix, IsToldAndCostsNothingElse) {
  const Fault fault = all_faults().at(GetParam());
  const Observed observed = fault.run();
  const bool skipped = !observed.skipped.empty();
  const bool updates = std::getenv("GRADPROOF_UPDATE_FAULTS") != nullptr;
  if (updates && skipped && row_on_page(fault.name).empty())
    write_row(fault, row_of(fault, {"not planted: " + observed.skipped, "-", 0}));
  if (skipped) GTEST_SKIP() << fault.name << ": " << observed.skipped;
  EXPECT_EQ(observed.lost, 0u);
  if (updates) write_row(fault, row_of(fault, observed));
  EXPECT_EQ(row_of(fault, observed), row_on_page(fault.name));
}

std::string name_of_test(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = all_faults().at(info.param).name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, FaultMatrix, testing::Range(std::size_t{0}, all_faults().size()),
                         name_of_test);

TEST(FaultTable, HasARowForEachFaultAndNoOther) {
  const std::vector<std::string> rows = rows_on(text_of(kPage));
  const std::vector<Fault> faults = all_faults();
  ASSERT_EQ(rows.size(), faults.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_TRUE(is_row_of(rows[i], faults[i].name)) << rows[i] << " for " << faults[i].name;
}

// The controls: what is lost is counted, and a row that says otherwise is another row.
TEST(FaultTable, ALostCaseIsCounted) {
  const std::string folder = scratch_directory("fault-control");
  ASSERT_EQ(with_fake("check sample --records " + folder, "fault-control-run").code, 0);
  EXPECT_EQ(lost_cases(folder, {"sample"}), 0u);
  EXPECT_EQ(lost_cases(folder, {"sample", "sample rows=4"}), 1u);
  EXPECT_EQ(lost_cases(folder + "/none", {"sample"}), 1u);
  EXPECT_EQ(verdict_in(folder, "sample"), "Passed");
  EXPECT_EQ(verdict_in(folder, "sample rows=4"), "none");
  const Fault fault{"a", "b", {}};
  EXPECT_NE(row_of(fault, {"Passed", "0", 0}), row_of(fault, {"Passed", "0", 1}));
}

}  // namespace
}  // namespace gradproof
