// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_runs.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compare/verdict.h"
#include "reports/runs/store.h"

namespace gradproof {
namespace {

Finished with(const std::string& worker, const std::string& arguments, const std::string& name,
              const std::string& setup) {
  return shell(setup + " " + front() + " " + arguments + " --worker " + worker, name);
}

/// True if a comes before b on the way to the exit code: wrong first, then a broken instrument.
bool is_worse(const Record& a, const Record& b) {
  const auto rank = [](const Record& r) {
    if (is_wrong(r.verdict.outcome)) return 2;
    return r.verdict.outcome == Outcome::instrument_broken ? 1 : 0;
  };
  return rank(a) > rank(b);
}

/// The worst verdict in the last run of the folder; Incomplete if there are no Records.
Verdict worst_in(const std::string& folder, const std::string& case_text) {
  const auto run = last_run(folder, Measured::comparison);
  const std::vector<Record> records = run ? run->judged.records(case_text) : std::vector<Record>();
  if (records.empty()) return {};
  return std::min_element(records.begin(), records.end(), is_worse)->verdict;
}

}  // namespace

Finished with_faulty(const std::string& arguments, const std::string& name,
                     const std::string& setup) {
  // A sanitizer that takes the signal would end the program with a code of its own.
  return with(faulty_worker(), arguments, name, setup + " ASAN_OPTIONS=handle_segv=0");
}

Finished with_fake(const std::string& arguments, const std::string& name,
                   const std::string& setup) {
  return with(fake_worker(), arguments, name, setup);
}

std::size_t lost_cases(const std::string& folder, const std::vector<std::string>& cases) {
  const auto run = last_run(folder, Measured::comparison);
  if (!run) return cases.size();
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [&](const std::string& text) { return !run->judged.has(text); }));
}

std::string reason_in(const std::string& folder, const std::string& case_text) {
  return worst_in(folder, case_text).reason;
}

std::string verdict_in(const std::string& folder, const std::string& case_text) {
  const Verdict worst = worst_in(folder, case_text);
  if (worst.outcome == Outcome::incomplete) return "none";
  const std::string reason = worst.reason.substr(0, worst.reason.find(';'));
  return fmt::format("{}{}{}", name_of(worst.outcome), reason.empty() ? "" : ": ", reason);
}

Observed observed(const CheckAround& check) {
  const std::string folder = scratch_directory("fault-" + check.name) + "/r";
  const Finished done = with_faulty(
      fmt::format("check '{}' '{}' '{}' --no-shrink --workers 2 --records {} {}",
                  check.others.at(0), check.faulty, check.others.at(1), folder, check.options),
      "fault-run-" + check.name, check.setup);
  return {verdict_in(folder, check.faulty), std::to_string(done.code),
          lost_cases(folder, check.others)};
}

Observed check_around(const std::string& fault, const std::string& setup,
                      const std::string& options) {
  return observed(
      {.name = fault, .faulty = "swish_bias mutant=" + fault, .setup = setup, .options = options});
}

std::string codes_text(const std::set<int>& codes) {
  return fmt::format("{}", fmt::join(codes, ", "));
}

}  // namespace gradproof
