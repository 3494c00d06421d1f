// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, a polite kill and a terminal that closes, in the middle of every verb.
#include <algorithm>

#include <fmt/format.h>

#include "tests/faults/fault.h"
#include "tests/faults/fault_runs.h"

namespace gradproof {
namespace {

/// A verb that gets a signal once `first` stands in its output.
Finished ended_by(const std::string& signal, const std::string& arguments, const std::string& first,
                  const std::string& name) {
  return shell(
      fmt::format("{} {} --worker {} & pid=$!; until grep -q '{}' {}/out; do sleep 0.02; "
                  "done; kill -{} $pid; wait $pid",
                  front(), arguments, fake_worker(), first, scratch_path("cli-" + name), signal),
      name);
}

std::string told(const Finished& done) {
  const std::string last = last_line_of(done.out);
  return has(done.out, "incomplete: ") && has(last, "incomplete=1 ") ? "incomplete, RESULT"
                                                                     : "not told";
}

Observed signalled_in_check(const std::string& signal) {
  const std::string folder = scratch_directory("fault-signal-" + signal);
  const Finished done = ended_by(
      signal,
      "check sample 'sample behave=hang' 'sample seed=3' --verbose --workers 1 --records " + folder,
      "passed  sample d_x", "fault-check-" + signal);
  return {told(done), std::to_string(done.code), lost_cases(folder, {"sample"})};
}

Observed signalled_in_audit() {
  const std::string folder = scratch_directory("fault-signal-audit");
  const Finished done =
      ended_by("TERM", "audit sample 'sample behave=hang' --workers 1 --records " + folder,
               "certified  d_x", "fault-audit");
  const bool said = has(done.out, "incomplete: 1 of 2 cases did not run") &&
                    last_line_of(done.out).starts_with("RESULT rows=1 certified=1 ");
  return {said ? "incomplete, RESULT" : "not told", std::to_string(done.code),
          has(last_run_text(folder), R"("case":"sample")") ? 0u : 1u};
}

/// The verbs whose text the worker writes: twenty lines that come 0.4 s apart.
Observed in_relayed() {
  std::string kernels;
  for (int i = 0; i < 20; ++i) kernels += " --kernel a";
  std::set<int> codes;
  std::string verdict = "incomplete, RESULT";
  for (const std::string& verb : {"calibrate fair" + kernels, std::string("bench kernels")}) {
    const Finished done =
        ended_by("TERM", verb, verb.starts_with("bench") ? "a row" : "calibrate", "fault-relayed");
    codes.insert(done.code);
    if (told(done) != verdict) verdict = verb + ": " + told(done);
  }
  return {verdict, codes_text(codes), 0};
}

/// Verbs of one answer that has not come: a worker that says nothing, a file that nobody writes.
Observed before_an_answer() {
  const std::string folder = scratch_directory("fault-early");
  const std::string pipe = folder + "/pipe";
  with_fake("check sample --records " + folder + "/r", "fault-early-run",
            "mkdir " + folder + "/m; mkfifo " + pipe + " " + folder +
                "/m/20260101T000000.000Z-0000.jsonl;");
  std::set<int> codes;
  std::string silent;
  for (const std::string signal : {"INT", "TERM"})
    for (const std::string verb :
         {"list", "doctor", "plan sample", "replay sample", "explain sample", "check sample",
          "audit sample", "search", "exhaustive", "coverage", "report R --against PIPE",
          "baseline update PIPE --reason r --from R", "merge MERGED --into R",
          "check --cases PIPE --worker FAKE", "audit --cases PIPE --worker FAKE",
          "plan --cases PIPE --worker FAKE", "check --plan PIPE --worker FAKE"}) {
      std::string arguments = verb;
      for (const auto& [word, path] :
           {std::pair("PIPE", pipe), std::pair("MERGED", folder + "/m"),
            std::pair("R", folder + "/r"), std::pair("FAKE", fake_worker())})
        if (const std::size_t at = arguments.find(word); at != std::string::npos)
          arguments.replace(at, std::string(word).size(), path);
      const bool reads = arguments != verb;
      const Finished done =
          shell((reads ? "" : "export FAKE_WORKER=silent; ") + front() + " " + arguments +
                    (reads ? "" : " --worker " + fake_worker()) +
                    " & pid=$!; until [ \"$(readlink /proc/$pid/exe)\" -ef " + front() +
                    " ]; do sleep 0.02; done; sleep 0.2; kill -" + signal + " $pid; wait $pid",
                "fault-early-" + signal);
      codes.insert(done.code);
      if (!has(done.err + done.out, "interrupted before")) silent += " " + verb;
    }
  return {silent.empty() ? "told" : "not told:" + silent, codes_text(codes), 0};
}

}  // namespace

std::vector<Fault> signal_faults() {
  return {
      {"Ctrl-C", "in a check, behind its first Case", [] { return signalled_in_check("INT"); }},
      {"SIGTERM", "the same", [] { return signalled_in_check("TERM"); }},
      {"SIGHUP", "the same", [] { return signalled_in_check("HUP"); }},
      {"SIGTERM in audit", "behind its first Case", signalled_in_audit},
      {"SIGTERM in calibrate and bench", "behind a line", in_relayed},
      {"Ctrl-C and SIGTERM in all other verbs", "before their answer", before_an_answer},
  };
}

}  // namespace gradproof
