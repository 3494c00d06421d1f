// SPDX-License-Identifier: Apache-2.0
#include "cli/front/shrinking.h"

#include "cli/front/ask.h"
#include "core/case/shrink.h"

namespace gradproof {
namespace {

bool same_failure(const CaseReply& reply, const Record& failure) {
  for (const Record& r : reply.records)
    if (r.tensor == failure.tensor && r.verdict.outcome == failure.verdict.outcome) return true;
  return false;
}

}  // namespace

Shrunk shrink_failure(Session& session, const Case& failing, const Record& failure,
                      const ShrinkBudget& budget) {
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  int steps = 0;
  bool late = false;
  const auto still_fails = [&](const Case& candidate) {
    const double left = budget.seconds - seconds();
    late = late || left <= 0 || session.interrupt().raised();
    if (late) return false;
    ++steps;
    return same_failure(ask_check(session, candidate, left, Detail::of_failures), failure);
  };
  if (!still_fails(failing)) {
    // Nor does what takes longer than the budget come again within it.
    late = late || seconds() >= budget.seconds;
    return {failing, steps, seconds(), late, late};
  }
  Case smallest = shrink(failing, still_fails, budget.steps - steps);
  return {std::move(smallest), steps, seconds(), late || steps >= budget.steps};
}

}  // namespace gradproof
