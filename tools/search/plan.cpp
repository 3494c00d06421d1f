// SPDX-License-Identifier: Apache-2.0
#include "tools/search/plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr std::array kSearchedTypes{"f32", "f64", "f16", "bf16", kMixed};
constexpr std::int64_t kMostCases = 1000000000;
/// The limit is below what a program in between makes of a number that does not fit in 63 bits.
constexpr std::int64_t kHighestSeed = 1000000000000000000;

void refuse_beyond_range(const SearchRequest& request) {
  const bool by_the_clock = request.seconds > 0 && std::isfinite(request.seconds);
  if (request.cases < 0 || request.cases > kMostCases || (request.cases == 0 && !by_the_clock))
    throw UsageError(
        fmt::format("--cases '{}' is no whole number from 1 to {}", request.cases, kMostCases));
  if (request.seed < 0 || request.seed > kHighestSeed)
    throw UsageError(
        fmt::format("--seed '{}' is no whole number from 0 to {}", request.seed, kHighestSeed));
}

/// `name` is WORD or WORD/MUTANT.
SearchSetup setup_of(const Catalog& catalog, const std::string& name, const std::string& dtype) {
  const std::size_t slash = name.find('/');
  const Kernel& kernel = catalog.named(name.substr(0, slash));
  SearchSetup setup{&kernel, name, dtype, {}};
  setup.pinned = dtype == kMixed ? std::vector<std::string>{"dtype=f16", "params=f32"}
                                 : std::vector<std::string>{"dtype=" + dtype, "params=same"};
  if (slash != std::string::npos) setup.pinned.push_back("mutant=" + name.substr(slash + 1));
  return setup;
}

/// The reason why the schema has no Case with the setup's keys; empty if it has one. Throws
/// UsageError for an unknown mutant.
std::string refusal_of(const SearchSetup& setup) {
  Case c(setup.kernel->schema);
  for (const std::string& pin : setup.pinned)
    c = c.with(pin.substr(0, pin.find('=')), pin.substr(pin.find('=') + 1));
  return gradproof::refusal_of(c);
}

}  // namespace

std::vector<SearchSetup> setups_of(const Catalog& catalog, const SearchRequest& request) {
  refuse_beyond_range(request);
  std::vector<std::string> names = request.kernels;
  if (names.empty())
    for (const Kernel& kernel : catalog.kernels()) names.push_back(kernel.schema->word);
  std::vector<std::string> types{kSearchedTypes.begin(), kSearchedTypes.end()};
  if (!request.dtype.empty()) {
    if (std::find(types.begin(), types.end(), request.dtype) == types.end())
      throw UsageError(
          fmt::format("unknown dtype '{}'; known: f32 f64 f16 bf16 {}", request.dtype, kMixed));
    types = {request.dtype};
  }
  std::vector<SearchSetup> setups;
  for (const std::string& name : names)
    for (const std::string& dtype : types) {
      SearchSetup setup = setup_of(catalog, name, dtype);
      const std::string refusal = refusal_of(setup);
      if (refusal.empty()) setups.push_back(std::move(setup));
      // A mutant has one combination of types; without --dtype that is the one searched.
      else if (!request.dtype.empty())
        throw UsageError(fmt::format("{} {}: {}", name, dtype, refusal));
    }
  return setups;
}

SearchBudget budget_of(const SearchRequest& request, std::size_t setups, int threads) {
  if (request.cases > 0) return {.cases = request.cases};
  const auto count = static_cast<double>(setups);
  return {.cases = 0,
          .seconds = request.seconds * std::min<double>(threads, count) / std::max(1.0, count)};
}

}  // namespace gradproof
