// SPDX-License-Identifier: Apache-2.0
#include "oracles/functions/messages.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

std::string where_text(double move) { return fmt::format("within 2^{}", std::ilogb(move)); }

}  // namespace

void throw_other_outputs(std::size_t before, std::size_t now) {
  throw UsageError(
      fmt::format("value(): it returned {} outputs, then {} for numbers close by", before, now));
}

std::string outside_text(const char* operation, bool at_x, double move) {
  return fmt::format("domain: {} has no finite value{}", operation,
                     at_x ? "" : " " + where_text(move));
}

std::string undefined_text() { return "domain: dual numbers have no finite derivative"; }

std::string turning_text(const std::vector<char>& before, const std::vector<char>& after,
                         double move) {
  const auto size = std::min(before.size(), after.size());
  const auto first =
      std::mismatch(before.begin(), before.begin() + static_cast<long>(size), after.begin()).first;
  return fmt::format("kink: comparison {} of the value turns {}", first - before.begin() + 1,
                     where_text(move));
}

}  // namespace gradproof
