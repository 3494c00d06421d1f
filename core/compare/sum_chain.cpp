// SPDX-License-Identifier: Apache-2.0
#include "core/compare/sum_chain.h"

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

std::string additions_text(std::int64_t count) {
  return fmt::format("{} addition{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::string_view name_of(ChainSource source) {
  return source == ChainSource::measured ? "measured" : "consistent";
}

ChainSource parse_chain_source(std::string_view name) {
  for (const ChainSource source : {ChainSource::consistent, ChainSource::measured})
    if (name_of(source) == name) return source;
  throw InstrumentError(fmt::format("unknown source of a chain '{}'", name));
}

std::string chain_text(const SumChain& chain) {
  if (chain.source == ChainSource::measured)
    return fmt::format("sums: {} at most, measured", additions_text(chain.additions));
  if (chain.additions == chain.most)
    return fmt::format("consistent with no chain shorter than {}", additions_text(chain.most));
  return fmt::format("consistent with chains of {} or more of {}", additions_text(chain.additions),
                     chain.most);
}

}  // namespace gradproof
