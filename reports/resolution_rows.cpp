// SPDX-License-Identifier: Apache-2.0
#include "reports/resolution_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "reports/text/number_text.h"
#include "reports/text/run_summary.h"

namespace gradproof {
namespace {

struct Worst {
  std::int64_t passes = 0;
  double whole = 0;
  double median = 0;
  double bound_over_truth = 0;
  std::string case_text;

  void add(const Record& r) {
    const Resolution& found = r.discrepancy().resolution;
    if (passes == 0 || found.whole > whole) {
      whole = found.whole;
      case_text = r.case_text;
    }
    ++passes;
    median = std::max(median, found.median);
    bound_over_truth = std::max(bound_over_truth, found.bound_over_truth());
  }
};

}  // namespace

std::vector<TextRow> resolution_rows(const std::vector<Record>& records) {
  std::map<std::tuple<std::string, std::string, std::string>, Worst> found;
  for (const Record& r : records) {
    const bool passed =
        r.verdict.outcome == Outcome::passed || r.verdict.outcome == Outcome::regressed;
    if (passed && resolves_something(r) && std::isfinite(r.discrepancy().resolution.whole))
      found[{r.kernel, r.tensor, r.dtype}].add(r);
  }
  std::vector<TextRow> rows{
      {"kernel", "tensor", "dtype", "passes", "resolves", "median", "bound/truth", "worst case"}};
  for (const auto& [name, worst] : found)
    rows.push_back({std::get<0>(name), std::get<1>(name), std::get<2>(name),
                    fmt::to_string(worst.passes), brief(worst.whole), brief(worst.median),
                    brief(worst.bound_over_truth), worst.case_text});
  return rows;
}

}  // namespace gradproof
