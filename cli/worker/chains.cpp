// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "cli/worker/verbs.h"
#include "core/error.h"
#include "judge/graph/chains/chain_table.h"

namespace gradproof {
namespace {

constexpr int kWrong = 1;
constexpr int kIncomplete = 4;

std::size_t width_of(const std::vector<ChainRow>& rows, std::size_t least,
                     std::string ChainRow::*column) {
  for (const ChainRow& row : rows) least = std::max(least, (row.*column).size());
  return least;
}

}  // namespace

int answer_chains(const Systems& systems, const ChainsRequest& request, WorkerChannel& channel) {
  const ChainTable table = chain_table(systems, request.cases);
  const std::size_t kernels = width_of(table.rows, 6, &ChainRow::kernel);
  const std::size_t sizes = width_of(table.rows, 2, &ChainRow::sizes);
  const std::size_t sums = width_of(table.rows, 4, &ChainRow::sums);
  if (!table.rows.empty())
    channel.line(fmt::format("{:<{}}  {:<{}}  {:<{}}  DECLARED  MEASURED", "KERNEL", kernels, "AT",
                             sizes, "SUMS", sums));
  bool wrong = false;
  for (const ChainRow& row : table.rows) {
    channel.line(
        fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>8}  {:>8}{}", row.kernel, kernels, row.sizes, sizes,
                    row.sums, sums, row.declared, row.measured,
                    row.is_short ? "  FAILED: its source adds longer than it declares" : ""));
    wrong = wrong || row.is_short;
  }
  for (const std::string& lack : table.lacks) channel.line("not counted: " + lack);
  return wrong ? kWrong : table.lacks.empty() ? 0 : kIncomplete;
}

}  // namespace gradproof
