// SPDX-License-Identifier: Apache-2.0
#include "judge/laws/graph_laws.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "judge/graph/ladder/rung_contracts.h"
#include "judge/laws/called_kernel.h"
#include "judge/laws/law_calls.h"
#include "judge/records.h"
#include "oracles/claim/case_claim.h"
#include "oracles/libtorch/autograd.h"
#include "properties/laws/law.h"

namespace gradproof {
namespace {

/// A function that declares nothing may round as much as the widest rung of the ladder permits.
Case under_widest_contract(const Case& c) {
  if (!c.text("contract").empty()) return c;
  std::string widest;
  for (const RungContract& rung : ladder_of(graph_claim_of(c), *declared_of(c)))
    if (rung_row(rung.rung).is_right) widest = to_string(rung.contract);
  std::ranges::replace(widest, ' ', ',');
  return c.with("contract", widest);
}

std::vector<Record> of_function(const Case& c, const Record& blank) {
  LawCalls calls(c.text("answers"));
  const auto kernel = [&](const Law& law) {
    return called_kernel(c, [&calls, name = law.name](const Tensors& given, bool backward) {
      return calls.call(name, given, backward);
    });
  };
  std::vector<Record> records = law_records(kernel, under_widest_contract(c), blank);
  if (calls.is_answered()) return records;
  calls.write();
  return {skipped_record(
      blank, fmt::format("the calls that laws make are in {}, to be answered", c.text("answers")))};
}

}  // namespace

std::vector<Record> graph_law_records(const Case& c, const Record& blank) {
  if (!c.text("answers").empty()) return of_function(c, blank);
  if (!has_libtorch()) return {skipped_record(blank, kNoLibTorch)};
  return law_records([&](const Law&) { return called_kernel(c, libtorch_pass(c)); }, c, blank);
}

}  // namespace gradproof
