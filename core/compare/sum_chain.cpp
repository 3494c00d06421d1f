// SPDX-License-Identifier: Apache-2.0
#include "core/compare/sum_chain.h"

#include <array>

#include <fmt/format.h>

#include "core/enum_names.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 2> kSources{"consistent", "measured"};

std::string additions_text(std::int64_t count) {
  return fmt::format("{} addition{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::string_view name_of(ChainSource source) { return kSources[static_cast<std::size_t>(source)]; }

ChainSource parse_chain_source(std::string_view name) {
  return static_cast<ChainSource>(place_of_name(kSources, name, "source of a chain"));
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
