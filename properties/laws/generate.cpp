// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/generate.h"

#include "core/case/draw.h"
#include "core/case/shrink.h"
#include "core/error.h"

namespace gradproof {
namespace {

bool keeps(const Case& c, const std::vector<std::string>& pinned) {
  for (const std::string& pin : pinned)
    if (c != c.with(pin.substr(0, pin.find('=')), pin.substr(pin.find('=') + 1))) return false;
  return true;
}

}  // namespace

rc::Gen<Case> any_case(const SchemaPtr& schema, const std::vector<std::string>& pinned,
                       const std::function<bool(const Case&)>& wanted) {
  return [schema, pinned, wanted](rc::Random random, int) {
    constexpr int kDraws = 1000;
    const RandomBits next = [&random] { return random.next(); };
    Case drawn = draw_case(schema, pinned, next);
    for (int draw = 1; !wanted(drawn); ++draw) {
      if (draw == kDraws)
        throw InstrumentError("no Case of " + schema->word + " is wanted: 1000 were drawn");
      drawn = draw_case(schema, pinned, next);
    }
    return rc::shrinkable::shrinkRecur(drawn, [pinned, wanted](const Case& c) {
      std::vector<Case> simpler;
      for (Case& candidate : shrinks(c))
        if (keeps(candidate, pinned) && wanted(candidate)) simpler.push_back(std::move(candidate));
      return rc::seq::fromContainer(std::move(simpler));
    });
  };
}

}  // namespace gradproof
