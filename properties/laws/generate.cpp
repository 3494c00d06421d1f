// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/generate.h"

#include "core/case/draw.h"
#include "core/case/shrink.h"

namespace gradproof {
namespace {

bool keeps(const Case& c, const std::vector<std::string>& pinned) {
  for (const std::string& pin : pinned)
    if (c != c.with(pin.substr(0, pin.find('=')), pin.substr(pin.find('=') + 1))) return false;
  return true;
}

}  // namespace

rc::Gen<Case> any_case(const SchemaPtr& schema, const std::vector<std::string>& pinned) {
  return [schema, pinned](rc::Random random, int) {
    const Case drawn = draw_case(schema, pinned, [&random] { return random.next(); });
    return rc::shrinkable::shrinkRecur(drawn, [pinned](const Case& c) {
      std::vector<Case> simpler;
      for (Case& candidate : shrinks(c))
        if (keeps(candidate, pinned)) simpler.push_back(std::move(candidate));
      return rc::seq::fromContainer(std::move(simpler));
    });
  };
}

}  // namespace gradproof
