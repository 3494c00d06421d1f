// SPDX-License-Identifier: Apache-2.0
#include "tools/search/one_search.h"

#include <fmt/format.h>

#include "core/case/inputs.h"
#include "properties/search/draw_fill.h"
#include "tools/search/judged.h"

namespace gradproof {

SearchResult searched(const SearchSetup& setup, const SearchRequest& request,
                      const SearchBudget& budget,
                      const std::function<void(const Search&)>& on_case) {
  const Kernel& kernel = *setup.kernel;
  Search search({kernel.schema, setup.pinned, [&](const Case& c) { return evaluated(kernel, c); },
                 [&](const Case& c) { return make_inputs(c, kernel.claim(c)); }},
                random_bits(static_cast<std::uint64_t>(request.seed),
                            fmt::format("search {} {}", setup.name, setup.dtype)));
  spend(search, budget, [&] { on_case(search); });
  SearchResult result{setup, search.drawn(), search.found(), search.cases(), search.trouble()};
  // Each simpler Case might take this process down too.
  const bool crashes =
      result.trouble && result.trouble->trouble.verdict.outcome == Outcome::crashed;
  if (result.trouble && !crashes) result.simplest = shrunk(kernel, *result.trouble);
  return result;
}

}  // namespace gradproof
