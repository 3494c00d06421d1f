// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "kernels/own/own_kernel.h"

namespace gradproof {
namespace {

std::vector<Case> cases_of(const Kernel& kernel) {
  const Case plain(kernel.schema);
  if (!kernel.schema->has("mode")) return {plain};
  std::vector<Case> cases;
  for (const std::string& mode : kernel.schema->key("mode", "").words)
    cases.push_back(plain.with("mode", mode));
  return cases;
}

/// "a" for the first reason, "b" for the second.
class Reasons {
 public:
  std::string letter_of(const std::string& reason) {
    const auto found = std::find(reasons_.begin(), reasons_.end(), reason);
    const auto place = static_cast<char>(found - reasons_.begin());
    if (found == reasons_.end()) reasons_.push_back(reason);
    return {static_cast<char>('a' + place)};
  }
  const std::vector<std::string>& all() const { return reasons_; }

 private:
  std::vector<std::string> reasons_;
};

}  // namespace

LawOfKernel law_of_kernel(const Law& law, const Kernel& kernel) {
  LawOfKernel found;
  std::size_t holds = 0;
  const std::vector<Case> cases = cases_of(kernel);
  for (const Case& c : cases) {
    const std::string silence = law.silence(kernel.claim(c));
    if (found.silence.empty()) found.silence = silence;
    if (!silence.empty()) continue;
    ++holds;
    if (kernel.schema->has("mode")) found.mode = c.text("mode");
  }
  if (holds > 0) found.silence.clear();
  if (holds == cases.size()) found.mode.clear();
  return found;
}

std::vector<std::string> law_table(const Catalog& catalog) {
  std::size_t width = 0;
  for (const Law& law : laws()) width = std::max(width, law.name.size());
  std::vector<std::string> lines;
  std::string head = fmt::format("{:<{}}", "LAW", width);
  for (std::size_t k = 0; k < catalog.kernels().size(); ++k) {
    lines.push_back(fmt::format("{} {}", k + 1, catalog.kernels()[k].schema->word));
    head += fmt::format("  {:<5}", k + 1);
  }
  lines.insert(lines.end(), {"", head + "  SAYS"});
  Reasons reasons;
  for (const Law& law : laws()) {
    std::string line = fmt::format("{:<{}}", law.name, width);
    for (const Kernel& kernel : catalog.kernels()) {
      const LawOfKernel found = law_of_kernel(law, kernel);
      const std::string cell = !found.silence.empty() ? reasons.letter_of(found.silence)
                               : found.mode.empty()   ? "yes"
                                                      : found.mode;
      line += fmt::format("  {:<5}", cell);
    }
    lines.push_back(line + "  " + law.says);
  }
  lines.push_back("");
  for (const std::string& reason : reasons.all())
    lines.push_back(reasons.letter_of(reason) + "  " + reason);
  return lines;
}

Claim claim_for_laws(const Catalog& catalog, const Case& c) {
  if (!is_graph_in_braces(c)) return catalog.of(c).claim(c);
  const auto nothing = [](const Call&) {};
  OwnKernel own;
  own.word = "line";
  own.pipeline = c.schema().pipeline;
  own.forward = own.backward = nothing;
  const Kernel kernel = system_of(own);
  Case of_kernel(kernel.schema);
  for (const std::string& axis : c.schema().size_keys)
    of_kernel = of_kernel.with(axis, std::to_string(c.integer(axis)));
  return kernel.claim(of_kernel);
}

}  // namespace gradproof
