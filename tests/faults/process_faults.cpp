// SPDX-License-Identifier: Apache-2.0
// Faults that end or disturb the programs from outside, at moments that nobody chooses.
#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "tests/faults/fault.h"
#include "tests/faults/fault_runs.h"

namespace gradproof {
namespace {

constexpr int kMoments = 50;
constexpr int kCases = 60;

/// A check of many short Cases by two workers, and what it leaves when nothing happens.
class LongCheck {
 public:
  explicit LongCheck(const std::string& name)
      : name_(name),
        folder_(scratch_directory("fault-" + name)),
        cases_(case_file(folder_, kCases, "brief")) {
    run("whole", "");
    whole_ = all_records(folder_ + "/whole");
  }

  std::string command(const std::string& records) const {
    return front() + " check --cases " + cases_ + " --verbose --workers 2 --worker " +
           fake_worker() + " --records " + folder_ + "/" + records;
  }
  Finished run(const std::string& records, const std::string& more) const {
    return shell(command(records) + more, name_ + "-run");
  }
  /// Runs `kill`, which knows the program as $pid, once there are as many lines as the draw says,
  /// which is a moment of the run however fast the machine is.
  Finished disturbed(const std::string& records, const std::string& kill) {
    const std::size_t lines = std::uniform_int_distribution(std::size_t{0}, whole_.size())(draws_);
    return shell(fmt::format("{} & pid=$!; n=0; until [ $n -ge {} ]; do kill -0 $pid || break; "
                             "n=$(cat {}/{}/*.jsonl 2>/dev/null | wc -l); done; {}; wait $pid",
                             command(records), lines, folder_, records, kill),
                 name_ + "-disturbed");
  }
  /// The exit code of a report.
  int report(const std::string& records) const {
    return shell(front() + " report " + folder_ + "/" + records, name_ + "-report").code;
  }
  std::vector<std::string> kept(const std::string& records) const {
    return all_records(folder_ + "/" + records);
  }
  const std::vector<std::string>& whole() const { return whole_; }

 private:
  std::string name_;
  std::string folder_;
  std::string cases_;
  std::vector<std::string> whole_;
  std::mt19937_64 draws_{kSeed};
};

std::string when_all(bool all, const std::string& text) { return all ? text : "not " + text; }

/// The fault in what a killed run left; empty if there is none.
std::string fault_of(const LongCheck& check, const std::string& own) {
  const std::vector<std::string> kept = check.kept(own);
  const bool part = kept.size() < check.whole().size();
  if (!std::includes(check.whole().begin(), check.whole().end(), kept.begin(), kept.end()))
    return "other records";
  return (check.report(own) != 0) == part ? "" : "not told";
}

/// The fault in what the resumed run left; empty if there is none. A Case that was cut in the
/// middle of its Records may have some of them twice.
std::string fault_of_resumed(const LongCheck& check, const std::string& own) {
  const std::vector<std::string> kept = check.kept(own);
  const std::set<std::string> once(kept.begin(), kept.end());
  if (!std::equal(once.begin(), once.end(), check.whole().begin(), check.whole().end()))
    return "other records after --resume";
  return check.report(own) == 0 ? "" : "not whole after --resume";
}

/// Kills the program: Cases that were printed had been kept; the rest is there after --resume.
Observed front_killed() {
  LongCheck check("front-killed");
  std::set<int> codes;
  Observed observed;
  std::string fault = check.whole().size() == 2u * kCases ? "" : "not judged";
  int parts = 0;  // runs that were killed between their first Case and their last
  for (int i = 0; i < kMoments && fault.empty(); ++i) {
    const std::string own = std::to_string(i);
    const Finished killed = check.disturbed(own, "kill -9 $pid");
    const std::size_t printed = 2 * count_of(killed.out, "passed  sample d_x");
    const std::size_t kept = check.kept(own).size();
    observed.lost += printed > kept ? printed - kept : 0;
    parts += kept > 0 && kept < check.whole().size();
    fault = fault_of(check, own);
    codes.insert(check.run(own, " --resume").code);
    if (fault.empty()) fault = fault_of_resumed(check, own);
  }
  if (fault.empty() && parts == 0) fault = "never in the middle";
  observed.code = codes_text(codes);
  observed.verdict = fault.empty() ? "told; all Cases after --resume" : fault;
  return observed;
}

Observed worker_killed() {
  LongCheck check("worker-killed");
  std::set<int> codes;
  Observed observed;
  bool equal = check.whole().size() == 2u * kCases;
  int noticed = 0;  // over a Case, and not between two
  for (int i = 0; i < kMoments; ++i) {
    const std::string own = std::to_string(i);
    const Finished done = check.disturbed(own,
                                          "for task in /proc/$pid/task/*; do read -r one rest "
                                          "<$task/children && break; done; kill -9 $one");
    codes.insert(done.code);
    noticed += has(done.err, "killed from outside");
    const std::vector<std::string> kept = check.kept(own);
    equal = equal && kept == check.whole();
    observed.lost += check.whole().size() - std::min(kept.size(), check.whole().size());
  }
  observed.code = codes_text(codes);
  observed.verdict = when_all(equal, "all Cases, as if nothing had happened");
  if (noticed == 0) observed.verdict = "never over a Case";
  return observed;
}

Observed two_at_once() {
  const LongCheck check("two");
  const Finished both = shell(check.command("both") + " & one=$!; " + check.command("both") +
                                  "; two=$?; wait $one; exit $(($? + two))",
                              "fault-two-run");
  const std::vector<std::string> kept = check.kept("both");
  Observed observed{when_all(kept.size() == 2 * check.whole().size(), "two runs, both whole"),
                    std::to_string(both.code), 0};
  observed.lost = 2 * check.whole().size() - std::min(kept.size(), 2 * check.whole().size());
  return observed;
}

Observed clock_jump(const std::string& by) {
  const std::string folder = scratch_directory("fault-clock" + by);
  const std::string setup = "LD_PRELOAD=" GRADPROOF_CLOCK_JUMP " CLOCK_JUMP_FILE=" + folder +
                            "/jump CLOCK_JUMP_SECONDS=" + by +
                            " ASAN_OPTIONS="
                            "verify_asan_link_order=0";
  const std::string check = "check sample 'sample behave=work' 'sample seed=3' --deadline 5 ";
  const Finished first = with_fake(check + "--records " + folder + "/r", "fault-clock-1",
                                   "( sleep 0.5; touch " + folder + "/jump ) & " + setup);
  // The next run begins at the other time, and is the later one all the same.
  const Finished second =
      with_fake("check sample --records " + folder + "/r", "fault-clock-2", setup);
  const std::size_t last = lost_cases(folder + "/r", {"sample"});
  const Finished list = shell(front() + " report " + folder + "/r --runs", "fault-clock-list");
  const bool ordered = run_ids(folder + "/r").size() == 2 && list.code == 0 &&
                       has(last_run_text(folder + "/r"), R"("plan_cases":1)");
  std::set<int> codes{first.code, second.code};
  return {when_all(ordered, "both runs, in their order"), codes_text(codes), last};
}

Observed abort_before_main() {
  const std::string folder = scratch_directory("fault-start");
  const Finished done = with_faulty("check swish_bias --records " + folder, "fault-start-run",
                                    "FAULT_AT_START=abort");
  const bool said = has(done.err, "did not say hello: SIGABRT");
  return {said ? "did not say hello: SIGABRT" : done.err, std::to_string(done.code), 0};
}

/// The worker starts once, and no more after the Case that ends it.
Observed abort_later() {
  const std::string folder = scratch_directory("fault-later");
  const Finished done = with_faulty(
      "check swish_bias 'swish_bias mutant=segfault' 'swish_bias rows=9' --workers 1 --no-shrink "
      "--records " +
          folder + "/r",
      "fault-later-run", "FAULT_AT_START=abort_again FAULT_ONCE=" + folder + "/once");
  const bool said = has(done.err, "did not say hello: SIGABRT") &&
                    has(done.out, "incomplete: 1 of 3 cases did not run");
  return {verdict_in(folder + "/r", "swish_bias mutant=segfault") + (said ? "; told" : ""),
          std::to_string(done.code), lost_cases(folder + "/r", {"swish_bias"})};
}

}  // namespace

std::vector<Fault> process_faults() {
  return {
      {"abort before main", "a static initialiser of the worker calls abort()", abort_before_main},
      {"abort before main, later", "the same from the second start on, behind a Case that crashes",
       abort_later},
      {"kill -9 of the program", "at 50 random moments, then --resume", front_killed},
      {"kill -9 of a worker", "at 50 random moments", worker_killed},
      {"two runs in one folder", "at once", two_at_once},
      {"clock set back", "by a day during a run; then another run",
       [] { return clock_jump("-86400"); }},
      {"clock set forward", "the same", [] { return clock_jump("86400"); }},
  };
}

}  // namespace gradproof
