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
#include "cli/front/terminal/width.h"
#include "cli/front/verbs.h"
#include "cli/process/memory.h"
#include "cli/protocol/peak_memory.h"
#include "cli/protocol/standard_streams.h"
#include "core/graph/graph_case.h"
#include "reports/causes/cause_block.h"
#include "reports/record/record_json.h"
#include "reports/text/evidence.h"
#include "reports/text/overview.h"
#include "reports/text/run_summary.h"

namespace gradproof {
namespace {

/// The overview of many Cases shows so many causes whole, and of the others the first line.
constexpr std::size_t kShownCauses = 8;
/// Lines that the overview of a green run may have; truth, memory and RESULT come behind it.
constexpr std::size_t kGreenLines = 11;

/// "shrunk: COMMAND   (d_x, 8 steps, 0.4 s)", the command in lines that can be pasted.
std::string shrinking_line(const std::string& word, const std::string& command,
                           const std::string& remark) {
  const std::size_t width = output_width();
  const std::string whole = fmt::format("{}: {}   ({})\n", word, command, remark);
  if (whole.size() <= width + 1) return whole;
  return filled({"", 2, width}, fmt::format("{} ({}):", word, remark)) +
         filled_command({"  ", 2, width}, command);
}

std::string shrunk_text(const Shrunk& shrunk, const Case& failing, const std::string& tensor,
                        const ShrinkBudget& budget, const Commands& commands) {
  if (!shrunk.came_again)
    return shrinking_line("not shrunk", commands.replay(to_string(failing)),
                          tensor + " passed when asked again");
  const std::string limit = shrunk.spent ? fmt::format("; budget of {} steps or {:g} s spent",
                                                       budget.steps, budget.seconds)
                                         : "";
  return shrinking_line(
      "shrunk", commands.replay(to_string(shrunk.smallest)),
      fmt::format("{}, {} steps, {:.1f} s{}", tensor, shrunk.steps, shrunk.seconds, limit));
}

/// Prints a table of every Case as it is judged, or an overview at the end, or a line of JSON for
/// each tensor; then failures are shrunk.
class CheckRun : public SuiteRun {
 public:
  CheckRun(const Options& options, Sessions sessions, const Planned& planned,
           std::optional<CheckRequest> early)
      : SuiteRun(options, std::move(sessions), planned, Measured::comparison),
        early_(std::move(early)),
        commands_(commands_of(options)) {}

 private:
  CaseReply ask(Session& session, const Case& c, const Turn& turn,
                const LineReader& read) const override;
  bool is_begun(const Case& c) const override {
    return early_ && early_->case_text == to_string(c);
  }
  void show(const Case& c, const CaseReply& reply) override;
  void show_end(bool whole) override;
  void show_sums(const Tally& tally) const override;

  void print(const std::vector<Record>& records) const;
  void print(const Record& record) const;
  void print_overview() const;
  void print_causes() const;
  void shrink_failures();
  /// The Cases of this run for which show_numbers() asks.
  std::vector<Case> number_cases() const;
  void show_numbers();
  void shrink_one(Session& session, const Case& c, const Record& failure);

  const std::optional<CheckRequest> early_;
  const Commands commands_;
  /// The first failure of each kernel that a simpler Case may show, with its own.
  std::map<std::string, std::pair<Case, Record>> first_failures_;
};

CaseReply CheckRun::ask(Session& session, const Case& c, const Turn& turn,
                        const LineReader&) const {
  if (is_begun(c) && !turn.again)
    return ask_check(session, c, session.deadline_seconds(), early_->detail,
                     {turn.job, early_->threads}, early_->witness);
  Detail detail = is_loud() ? Detail::of_all : Detail::of_failures;
  // The first set says with what the program is consistent; nobody reads that of the others.
  if (options().verb == "judge" && !(c == cases().front())) detail = Detail::of_verdicts;
  return ask_check(session, c, session.deadline_seconds(), detail, turn,
                   second_witness(options(), cases().size()));
}

void CheckRun::show(const Case& c, const CaseReply& reply) {
  print(reply.records);
  for (const Record& record : reply.records) {
    const Outcome outcome = record.verdict.outcome;
    // Each step of a timeout would wait for the deadline, and what ran out of memory would again.
    // Of what an earlier run found, that run has shrunk it, or can be asked for with `replay`.
    // Given tensors are of one size.
    if (is_wrong(outcome) && outcome != Outcome::timed_out && !reply.killed && !reply.resumed &&
        !has_given_tensors(c))
      first_failures_.emplace(record.kernel, std::pair{c, record});
  }
}

void CheckRun::print(const std::vector<Record>& records) const {
  if (options().json || !is_loud() || options().verbose) {
    for (const Record& record : records) print(record);
    if (options().verbose)
      for (const Cause& cause : causes_of(records))
        say(cause_block(cause, commands_, output_width()));
    return;
  }
  const std::string text = judged_case_text(records, commands_, output_width());
  if (!text.empty()) say(text + "\n");
}

void CheckRun::print(const Record& record) const {
  if (options().json) return fmt::print("{}\n", record_line(record));
  const Outcome outcome = record.verdict.outcome;
  const bool later = is_pass(outcome) || is_wrong(outcome) || outcome == Outcome::mistrusted ||
                     outcome == Outcome::known_failure;
  if (!is_loud() && later) return;  // the overview has them
  say(evidence_lines(record, commands_, evidence_width(options().verbose)));
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

void CheckRun::show_numbers() {
  const std::vector<Case> asked = number_cases();
  if (asked.empty()) return;
  progress().note("which factors of the line's numbers are seen");
  session().begin();
  const std::vector<NumberSeen> numbers = numbers_seen(session(), asked);
  const auto held = progress().hold();
  if (options().json)
    fmt::print("{}\n", numbers_seen_json(numbers));
  else if (!options().quiet && !numbers.empty())
    say(numbers_seen_text(numbers) + "\n");
  flush_output();
}

void CheckRun::print_causes() const {
  const std::vector<Cause> causes = causes_of(records());
  const std::size_t shown = std::min(causes.size(), kShownCauses);
  for (std::size_t k = 0; k < shown; ++k)
    if (causes[k].part != FaultyPart::instrument)
      say(cause_block(causes[k], commands_, output_width()) + "\n");
  for (std::size_t k = shown; k < causes.size(); ++k)
    say(cause_headline(causes[k], output_width()));
}

void CheckRun::print_overview() const {
  print_causes();
  if (records().empty() || options().quiet) return flush_output();
  const std::vector<std::string> table =
      fitted_without(overview_rows(records()), output_width(), {"resolves", "mistrusted", "cases"});
  const std::string summary = summary_lines(records(), output_width());
  const auto lines = table.size() + static_cast<std::size_t>(std::ranges::count(summary, '\n'));
  const bool green = std::ranges::all_of(records(), [](const Record& r) {
    return is_pass(r.verdict.outcome) || r.verdict.outcome == Outcome::mistrusted;
  });
  if (!green || lines < kGreenLines) {
    for (const std::string& line : table) say(line + "\n");
    say("\n");
  }
  say(summary);
  flush_output();
}

void CheckRun::shrink_failures() {
  if (first_failures_.empty()) return;
  session().begin();
  for (const auto& [kernel, failure] : first_failures_) {
    progress().note(fmt::format("shrinking a failure of {}", kernel));
    shrink_one(session(), failure.first, failure.second);
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
  if (const std::string truth = truth_line(tally); !truth.empty()) say_filled(truth + "\n");
  say(fmt::format("peak memory {:.2f} GiB (worker), {:.2f} GiB (front)\n", worker_peak() / kGiB,
                  peak_memory() / kGiB));
}

}  // namespace

CheckOutcome judged_cases(const Options& options, Workers& workers, std::size_t begun,
                          const std::optional<CheckRequest>& early) {
  require_one_source(options);
  const auto [session, planned] = started(options, workers);
  const std::size_t count = std::clamp<std::size_t>(planned.cases.size(), 1, begun);
  CheckRun run(options, workers.several(session->program(), options.deadline, count), planned,
               early);
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
