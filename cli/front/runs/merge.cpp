// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/merge.h"

#include <fmt/format.h>

#include "cli/front/printed_commands.h"
#include "cli/front/runs/cell_run.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "reports/runs/run_folder.h"
#include "reports/text/evidence.h"
#include "reports/text/overview.h"
#include "reports/text/text_table.h"

namespace gradproof {
namespace {

std::string nondeterministic_line(const Record& record, const Commands& commands) {
  if (record.measured() == Measured::comparison) return evidence(record, commands) + "\n";
  return fmt::format("NONDETERMINISTIC  {} {}  {}\n", record.case_text, record.tensor,
                     record.verdict.reason);
}

/// Says what came of cells, and where all of them are there what the verb says of them. The exit
/// code.
int show_cells(const Options& options, const MergedRun& merged) {
  const StoredRun& run = merged.run;
  const RunHeader& header = run.header;
  say(fmt::format("{}: {} of {} cells of {}, {} runs\n", run_path(options.directory, header.id),
                  run.judged.size(), header.plan_cases, kind_name(header.kind),
                  header.merges.size()));
  for (const std::string& note : run.notes) say(fmt::format("note: {}\n", note));
  Findings found;
  for (const std::string& cell : header.cases)
    if (run.judged.has(cell) && run.judged.of(cell).size() > 1) {
      say(fmt::format("NONDETERMINISTIC  {}: {} runs of it differ\n", cell,
                      run.judged.of(cell).size()));
      found.wrong = true;
    }
  if (!merged.stored.incomplete.empty()) {
    say(fmt::format("incomplete: {}\n", merged.stored.incomplete));
    found.incomplete = true;
  }
  return found.wrong || found.incomplete ? exit_code(found) : show_sum(options, merged);
}

/// Says what came of it.
Findings show(const Options& options, const MergedRun& merged) {
  const StoredRun& run = merged.run;
  const RunHeader& header = run.header;
  const StoredRecords& stored = merged.stored;
  const Commands commands{program_as_started(options), worker_among(header.command)};
  const Tally t = tally(stored);
  say(fmt::format("{}: {} of {} cases of {}, {} runs\n", run_path(options.directory, header.id),
                  run.judged.size(), header.plan_cases, kind_name(header.kind),
                  header.merges.size()));
  for (const std::string& note : run.notes) say(fmt::format("note: {}\n", note));
  for (const Record& record : stored.records)
    if (record.verdict.outcome == Outcome::nondeterministic)
      say_filled(nondeterministic_line(record, commands));
  for (const std::string& gap : t.gaps) say(fmt::format("incomplete: {}\n", gap));
  say(result_line(t, run.end->seconds, header.kind.measured()) + "\n");
  return findings_of(t);
}

}  // namespace

int run_merge(const Options& options) {
  Findings found;
  int of_cells = 0;
  for (const MergedRun& merged : merge_runs(options.folders)) {
    write_merged(merged, options.directory);
    if (merged.run.header.kind.has_records())
      found = either(found, show(options, merged));
    else
      of_cells = worse_code(of_cells, show_cells(options, merged));
  }
  return worse_code(of_cells, exit_code(found));
}

}  // namespace gradproof
