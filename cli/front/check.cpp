// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cli/front/candidates/numbers_seen.h"
#include "cli/front/printed_commands.h"
#include "cli/front/shrinking.h"
#include "cli/front/started.h"
#include "cli/front/suite_run.h"
#include "cli/front/terminal/json_lines.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "cli/process/memory.h"
#include "cli/protocol/peak_memory.h"
#include "cli/protocol/standard_streams.h"
#include "core/graph/graph_case.h"
#include "reports/record/record_json.h"
#include "reports/text/doubts.h"
#include "reports/text/evidence.h"
#include "reports/text/overview.h"

namespace gradproof {
namespace {

/// Of many cases, the worst failure of so many kernels' tensors is shown.
constexpr std::size_t kShownWrong = 8;

/// The commands that ask more of a failure, a line each; empty where nothing can be taken apart.
std::string explain_line(const Record& r, const Commands& commands) {
  const std::string text = r.discrepancy().bad > 0 ? commands.explain(r) : "";
  return text.empty() ? "" : fmt::format("  explain: {}\n", text);
}
std::string audit_line(const Record& r, const Commands& commands) {
  const bool can = r.discrepancy().bad > 0 && r.tensor.starts_with("d_");
  const std::string text = can ? commands.audit(r) : "";
  return text.empty() ? "" : fmt::format("  audit: {}\n", text);
}

std::string shrunk_text(const Shrunk& shrunk, const Case& failing, const std::string& tensor,
                        const ShrinkBudget& budget, const Commands& commands) {
  if (!shrunk.came_again)
    return fmt::format("not shrunk: {}   ({} passed when asked again)\n",
                       commands.replay(to_string(failing)), tensor);
  const std::string limit = shrunk.spent ? fmt::format("; budget of {} steps or {:g} s spent",
                                                       budget.steps, budget.seconds)
                                         : "";
  return fmt::format("shrunk: {}   ({}, {} steps, {:.1f} s{})\n",
                     commands.replay(to_string(shrunk.smallest)), tensor, shrunk.steps,
                     shrunk.seconds, limit);
}

/// Evidence of every tensor as it is judged, or an overview at the end, or a line of JSON for each;
/// then failures are shrunk.
class CheckRun : public SuiteRun {
 public:
  CheckRun(const Options& options, Session& session, const Planned& planned)
      : SuiteRun(options, session, planned, Measured::comparison),
        commands_(commands_of(options)) {}

 private:
  CaseReply ask(Session& session, const Case& c, const Turn& turn,
                const LineReader& read) const override;
  void show(const Case& c, const CaseReply& reply) override;
  void show_end(bool whole) override;
  void show_sums(const Tally& tally) const override;

  void print(const Record& record) const;
  /// Says how a wrong gradient is audited, where tensors are shown one by one; true where it did.
  bool say_audit(const Record& record) const;
  void print_overview() const;
  void print_table() const;
  void shrink_failures();
  /// Which of this run's Cases that is asked of.
  std::vector<Case> number_cases() const;
  void show_numbers();
  void shrink_one(Session& session, const Case& c, const Record& failure);

  const Commands commands_;
  /// The first failure of each kernel that a simpler Case may show, with its own.
  std::map<std::string, std::pair<Case, Record>> first_failures_;
};

CaseReply CheckRun::ask(Session& session, const Case& c, const Turn& turn,
                        const LineReader&) const {
  Detail detail = is_loud() ? Detail::of_all : Detail::of_failures;
  // The first set says with what the program is consistent; nobody reads that of the others.
  if (options().verb == "judge" && !(c == cases().front())) detail = Detail::of_verdicts;
  return ask_check(session, c, session.deadline_seconds(), detail, turn,
                   second_witness(options(), cases().size()));
}

void CheckRun::show(const Case& c, const CaseReply& reply) {
  bool audited = false;  // of all gradients of a Case the audit is one
  for (const Record& record : reply.records) {
    print(record);
    audited = audited || say_audit(record);
    const Outcome outcome = record.verdict.outcome;
    // Each step of a timeout would wait for the deadline, and what ran out of memory would again.
    // Of what an earlier run found, that run has shrunk it, or can be asked for with `replay`.
    // Given tensors are of one size.
    if (is_wrong(outcome) && outcome != Outcome::timed_out && !reply.killed && !reply.resumed &&
        !has_given_tensors(c))
      first_failures_.emplace(record.kernel, std::pair{c, record});
  }
}

bool CheckRun::say_audit(const Record& record) const {
  const std::string line =
      is_loud() && !options().json ? audit_line(record, commands_) : std::string();
  say(line);
  return !line.empty();
}

void CheckRun::print(const Record& record) const {
  if (options().json) return fmt::print("{}\n", record_line(record));
  const Outcome outcome = record.verdict.outcome;
  const bool later = outcome == Outcome::passed || outcome == Outcome::mistrusted ||
                     outcome == Outcome::known_failure;
  if (!is_loud() && (later || is_wrong(outcome))) return;  // the overview has them
  say(evidence(record, commands_) + "\n" + explain_line(record, commands_));
}

void CheckRun::show_end(bool whole) {
  if (!is_loud() && !options().json) {
    const auto held = progress().hold();
    print_overview();
  }
  if (whole && !options().no_shrink) shrink_failures();
  const auto wrong = [](const Record& r) { return is_wrong(r.verdict.outcome); };
  if (whole && std::none_of(records().begin(), records().end(), wrong)) show_numbers();
}

std::vector<Case> CheckRun::number_cases() const {
  const auto& named = options().number_cases;
  std::vector<Case> asked;
  for (const Case& c : cases())
    if (options().numbers || std::find(named.begin(), named.end(), to_string(c)) != named.end())
      asked.push_back(c);
  return asked;
}

/// The pool's workers ended with their threads: this one asks for the numbers alone.
void CheckRun::show_numbers() {
  const std::vector<Case> asked = number_cases();
  if (asked.empty()) return;
  progress().note("which factors of the line's numbers are seen");
  Session own(session().program(), session().deadline_seconds(), session().interrupt());
  const std::vector<NumberSeen> numbers = numbers_seen(own, asked);
  const auto held = progress().hold();
  if (options().json)
    fmt::print("{}\n", numbers_seen_json(numbers));
  else if (!options().quiet && !numbers.empty())
    say(numbers_seen_text(numbers) + "\n");
  flush_output();
}

void CheckRun::print_overview() const {
  const std::vector<Rollup> wrong = wrong_rollups(records());
  for (const Rollup& rollup : wrong) say(fmt::format("WRONG  {}\n", rollup.text));
  for (std::size_t k = 0; k < std::min(wrong.size(), kShownWrong); ++k) {
    const Record& worst = *wrong[k].worst;
    say(evidence(worst, commands_) + "\n" + explain_line(worst, commands_) +
        audit_line(worst, commands_));
  }
  if (wrong.size() > kShownWrong)
    say(fmt::format("... and the worst of {} more; --verbose shows all\n",
                    wrong.size() - kShownWrong));
  if (!records().empty() && !options().quiet) print_table();
  flush_output();
}

void CheckRun::print_table() const {
  for (const std::string& line : aligned(overview_rows(records()))) say(line + "\n");
  if (const std::string rungs = rungs_line(records()); !rungs.empty()) say(rungs + "\n");
  if (const std::string chains = chains_line(records()); !chains.empty()) say(chains + "\n");
  if (const std::string known = known_line(records()); !known.empty()) say(known + "\n");
  if (const std::string weak = mistrusted_line(records()); !weak.empty())
    say(weak + "   (--verbose names them)\n");
}

/// The pool's workers ended with their threads: this one asks for shrinking alone.
void CheckRun::shrink_failures() {
  Session own(session().program(), session().deadline_seconds(), session().interrupt());
  for (const auto& [kernel, failure] : first_failures_) {
    progress().note(fmt::format("shrinking a failure of {}", kernel));
    shrink_one(own, failure.first, failure.second);
  }
}

void CheckRun::shrink_one(Session& session, const Case& c, const Record& failure) {
  const ShrinkBudget budget;
  const Shrunk shrunk = shrink_failure(session, c, failure, budget);
  const auto held = progress().hold();
  if (options().json)
    fmt::print("{}\n", shrunk.came_again
                           ? shrunk_json(to_string(shrunk.smallest), failure.tensor, shrunk.steps)
                           : not_shrunk_json(to_string(c), failure.tensor));
  else
    say(shrunk_text(shrunk, c, failure.tensor, budget, commands_));
  flush_output();
}

void CheckRun::show_sums(const Tally& tally) const {
  if (const std::string truth = truth_line(tally); !truth.empty()) say(truth + "\n");
  say(fmt::format("peak memory {:.2f} GiB (worker), {:.2f} GiB (front)\n", worker_peak() / kGiB,
                  peak_memory() / kGiB));
}

}  // namespace

CheckOutcome judged_cases(const Options& options, Workers& workers) {
  require_one_source(options);
  const auto [session, planned] = started(options, workers);
  CheckRun run(options, *session, planned);
  const int code = run.run(workers.interrupt());
  return {code, run.records()};
}

int run_check(const Options& options) {
  if (!options.python.empty()) return run_python_check(options);
  if (!options.library.empty()) return run_library_check(options);
  Interrupt interrupt;
  Workers workers(interrupt);
  return judged_cases(options, workers).code;
}

}  // namespace gradproof
