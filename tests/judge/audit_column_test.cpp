// SPDX-License-Identifier: Apache-2.0
// A column of the Jacobian.
#include "judge/audit_column.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "judge/check_case.h"
#include "reports/record/json.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

/// The message of a UsageError; empty if none is thrown.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(AuditColumn, NamesEveryElementThatFeelsTheNumber) {
  const Case c = read_case(kChainCase);
  const AuditedColumn audited = column_of(test_systems(), c, "x[2,1]");
  EXPECT_EQ(exit_code_of(audited), 0) << audited.column.verdict.reason;
  EXPECT_EQ(audited.column.entries.size(), 9u) << "the rows of its column";
  const std::vector<std::string> lines = lines_of(audited);
  EXPECT_TRUE(lines.front().starts_with("certified  x[2,1] changes 9 elements; ")) << lines.front();
  const Json json = parse_json(json_of(audited), "column");
  EXPECT_EQ(json.at("entries").size(), 9u);
  EXPECT_EQ(number_from(json.at("digits")), audited.column.digits);
  EXPECT_THROW(column_of(test_systems(), c, "x[9,0]"), UsageError);
  EXPECT_THROW(column_of(test_systems(), c, "q[0]"), UsageError);
}

TEST(AuditColumn, OfALineNamesItsOutputs) {
  const Case c = read_case("{y = softmax(x, cols); z = silu(y); outputs y z} rows=2 cols=3");
  const AuditedColumn audited = column_of(test_systems(), c, "d_x[1,2]");
  EXPECT_EQ(exit_code_of(audited), 0) << audited.column.verdict.reason;
  EXPECT_EQ(audited.column.entries.size(), 6u);
  const std::vector<std::string> lines = lines_of(audited);
  EXPECT_TRUE(lines[4].starts_with("  y[1,0]")) << lines[4];
  EXPECT_TRUE(lines[9].starts_with("  z[1,2]")) << lines[9];
}

TEST(AuditColumn, WhatIsNotThereIsNamedWithWhatIs) {
  const auto says = [](const std::string& text, const std::string& column) {
    return refusal([&] { column_of(test_systems(), read_case(text), column); });
  };
  const std::string shape = "; x has shape (3, 5)";
  const std::string chain = "swish_bias rows=3 cols=5";
  EXPECT_EQ(says(chain, "x[-1,0]"), "--column x[-1,0]: index -1 is out of range, 0 to 2" + shape);
  EXPECT_EQ(says(chain, "d_x[2,5]"), "--column d_x[2,5]: index 5 is out of range, 0 to 4" + shape);
  EXPECT_EQ(says(chain, "x[2]"), "--column x[2]: one index where 2 are wanted" + shape);
  EXPECT_EQ(says(chain, "x[1,2,3]"), "--column x[1,2,3]: 3 indices where 2 are wanted" + shape);
  EXPECT_EQ(says(chain, "y[0,0]"), "--column y[0,0]: unknown tensor 'y'; known: x bias");
  EXPECT_EQ(says(chain + " law=dx_sum", "x[0,0]"),
            "'swish_bias rows=3 cols=5 law=dx_sum' is about a law, not about gradients; leave out "
            "law=dx_sum");
  EXPECT_EQ(says("swish_bias rows=0", "x[0,0]"),
            "--column x[0,0]: x has shape (0, 17), no elements");
  EXPECT_EQ(says("swish_bias op=forward", "x[0,0]"),
            "--column x[0,0]: 'swish_bias op=forward' asks for no gradients");
  EXPECT_EQ(says(chain, "d_x[2,4]"), "") << "the control";
}

}  // namespace
}  // namespace gradproof
