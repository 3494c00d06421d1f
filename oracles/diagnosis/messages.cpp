// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/messages.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gradproof::diagnosis {

std::string step_text(const CompiledPipeline& compiled, std::size_t step) {
  static constexpr std::array<const char*, 4> kOrdinals{"first", "second", "third", "fourth"};
  const StageKind kind = compiled.lines[step].kind;
  const auto same = [&](const CompiledStep& line) { return line.kind == kind; };
  const auto before = std::count_if(
      compiled.lines.begin(), compiled.lines.begin() + static_cast<std::ptrdiff_t>(step), same);
  if (std::count_if(compiled.lines.begin(), compiled.lines.end(), same) == 1)
    return std::string(name_of(kind));
  if (before >= 4) return fmt::format("step {} ({})", step, name_of(kind));
  return fmt::format("the {} {}", kOrdinals[static_cast<std::size_t>(before)], name_of(kind));
}

std::string value_text(const CompiledPipeline& compiled, std::size_t node) {
  return node == 0 ? "x" : "the value behind " + step_text(compiled, node - 1);
}

std::string cotangent_text(const CompiledPipeline& compiled, std::size_t node) {
  if (node == compiled.lines.size()) return "dy";
  return node == 0 ? "d_x" : "the cotangent behind " + step_text(compiled, node - 1);
}

std::string range_text(const Range& range, std::int64_t extent, const std::string& one) {
  const std::int64_t last = std::min(range.last, extent);
  std::string some;
  if (range.kept > 1)
    some = fmt::format("{}s {} to {} of each {}", one, range.first, range.first + range.kept - 1,
                       range.step);
  else if (range.step > 1)
    some = fmt::format("{}s {}, {}, ...", one, range.first, range.first + range.step);
  else if (last == range.first + 1)
    some = fmt::format("{} {}", one, range.first);
  else if (range.first == 0)
    some = fmt::format("the first {} {}s", last, one);
  else if (last == extent)
    some = fmt::format("{}s from {} on", one, range.first);
  else
    some = fmt::format("{}s {} to {}", one, range.first, last - 1);
  return range.without ? fmt::format("all {}s but {}", one, some) : some;
}

}  // namespace gradproof::diagnosis
