// SPDX-License-Identifier: Apache-2.0
#include "core/case/law_key.h"

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {

void refuse_law(const Case& c, const std::string& what) {
  if (!asks_about_law(c)) return;
  throw UsageError(fmt::format("'{}' is about a law, not about {}; leave out law={}", to_string(c),
                               what, c.text("law")));
}

}  // namespace gradproof
