// SPDX-License-Identifier: Apache-2.0
#include "core/case/law_key.h"

#include <array>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

/// The words of the key `law`.
constexpr std::array kLaws{"none",
                           "all",
                           "adjoint_identity",
                           "cotangent_zero",
                           "cotangent_negated",
                           "cotangent_doubled",
                           "cotangent_split",
                           "dx_sum",
                           "dx_along_x",
                           "shift",
                           "power_of_two",
                           "sign",
                           "sign_of_scale",
                           "summands_alike",
                           "rows_reordered",
                           "columns_reordered",
                           "groups_reordered",
                           "rows_split",
                           "rows_alone",
                           "rows_independent",
                           "rows_twice",
                           "rows_invariant",
                           "running_recurrence",
                           "cumulative_average",
                           "momentum_zero",
                           "train_then_eval",
                           "eval_keeps_buffers",
                           "eval_between_steps",
                           "backward_keeps_forward",
                           "interleaved_calls",
                           "two_instances",
                           "call_sequences",
                           "clean_runs",
                           "everything_written",
                           "layouts_alike",
                           "overlap_refused",
                           "bad_calls_refused",
                           "gradients_by_choice",
                           "repeatability",
                           "schedules_alike",
                           "nonfinite_reach"};

}  // namespace

Key law_key() {
  return {"law",
          KeyType::word,
          "none",
          {kLaws.begin(), kLaws.end()},
          0,
          0,
          "check one law instead of the truth, or all that contracts promise",
          {},
          true};
}

Key calls_key() {
  return {"calls", KeyType::text, "", {}, 0, 0, "of law=call_sequences: train;eval;load;copy;..."};
}

Refusal calls_without_law() {
  return {{{"law", "=", "none"}, {"calls", "!=", ""}}, "calls is for law=call_sequences"};
}

void refuse_law(const Case& c, const std::string& what) {
  if (!asks_about_law(c)) return;
  throw UsageError(fmt::format("'{}' is about a law, not about {}; leave out law={}", to_string(c),
                               what, c.text("law")));
}

}  // namespace gradproof
