// SPDX-License-Identifier: Apache-2.0
// Faults of the kernel in verbs besides check: the right Case is named, the rest goes on.
#include <fmt/format.h>

#include "tests/faults/fault.h"
#include "tests/faults/fault_runs.h"
#include "tests/faults/faulty_rows.h"

namespace gradproof {
namespace {

const std::string kFaulty = "FAULT=segfault COLUMNS=1000";

/// The rest of the first line that starts so, up to its end.
std::string behind(const std::string& text, const std::string& start) {
  const std::size_t at = ("\n" + text).find("\n" + start);
  if (at == std::string::npos) return "none";
  const std::size_t from = at + start.size();
  return text.substr(from, text.find('\n', from) - from);
}

/// "Crashed: SIGSEGV" of the line that check would print of swish_bias, where its replay line names
/// a Case that has the fault.
std::string crash_in(const std::string& out, std::int64_t rows = kFaultyRows) {
  // `replay` prints the block of a cause, the other verbs the evidence of a tensor.
  const std::string block = behind(out, "CRASHED  swish_bias execution: ");
  const bool is_block = block != "none";
  const std::string row = is_block ? block : behind(out, "CRASHED  swish_bias execution  ");
  const std::string label = is_block ? "  replay   " : "  replay: ";
  const std::string replay = behind(out, label + front() + " replay ");
  return has(replay, fmt::format("rows={} ", rows)) ? "Crashed: " + row : "not named";
}

Observed in_audit() {
  const Finished done = with_faulty(
      "audit swish_bias 'swish_bias mutant=segfault' 'swish_bias rows=9'", "fault-audit");
  const std::string result = last_line_of(done.out);
  const std::size_t lost = has(result, "RESULT rows=6 certified=4 wrong=2 ") ? 0 : 1;
  return {"wrong: " + behind(done.out, "    kernel: "), std::to_string(done.code), lost};
}

/// `others`: what stands in the output of a run whose other parts were all done.
Observed in_lab_verb(const std::string& arguments, const std::string& name,
                     const std::string& setup, const std::vector<std::string>& others) {
  const Finished done = with_faulty(arguments, "fault-" + name, setup);
  Observed observed{crash_in(done.out), std::to_string(done.code), 0};
  for (const std::string& part : others) observed.lost += count_of(done.out, part) != 1;
  return observed;
}

Observed in_search() {
  return in_lab_verb("search bias_divide_swish swish_bias groupnorm --dtype f32 --cases 60",
                     "search", kFaulty,
                     {"\nbias_divide_swish  f32        60", "\ngroupnorm          f32        60",
                      "\nRESULT searches=3 "});
}

Observed in_calibrate() {
  return in_lab_verb("calibrate fair --kernel swish_bias --cases 40", "calibrate", kFaulty,
                     {"\nRESULT cases=40 "});
}

/// In cells, each of which is kept: the Case is named, and the others are summed up.
Observed in_cells() {
  const std::string folder = scratch_directory("fault-cells");
  Observed observed =
      in_lab_verb("calibrate fair --kernel swish_bias --cases 40 --records " + folder, "cells",
                  kFaulty, {"\nRESULT cases=40 "});
  observed.lost += count_of(last_run_text(folder), "{\"cell\":") != 40;
  return observed;
}

Observed in_replay() {
  return in_lab_verb(fmt::format("replay 'swish_bias rows={} cols=3'", kFaultyRows), "replay",
                     kFaulty, {"\nRESULT passed=0 failed=1 "});
}

Observed in_explain() {
  return in_lab_verb(fmt::format("explain 'swish_bias rows={} cols=3' y", kFaultyRows), "explain",
                     kFaulty, {"\nRESULT incomplete=1 "});
}

/// The rows of all other kernels, and of this one at the other size, are measured, each once.
Observed in_bench() {
  constexpr std::int64_t kRows = 1024;
  const Finished done = with_faulty("bench executor", "fault-bench",
                                    fmt::format("FAULT=segfault FAULT_ROWS={}", kRows));
  Observed observed{crash_in(done.out, kRows), std::to_string(done.code), 0};
  for (const std::string row : {"\nbias_divide_swish forward 1024 x 64 ",
                                "\nswish_bias backward 4096 x 64 ", "\non the CPU, "})
    observed.lost += count_of(done.out, row) != 1;
  return observed;
}

/// The kernel kills its worker at the first of its Cases alone.
Observed in_search_once() {
  const std::string folder = scratch_directory("fault-once");
  const Finished done = with_faulty("search swish_bias --dtype f32 --cases 60", "fault-search-once",
                                    "FAULT=killed_once FAULT_ONCE=" + folder + "/once");
  const bool whole = has(done.out, "RESULT searches=1 cases=60 ");
  return {has(done.out, "CRASHED") ? "Crashed" : "none", std::to_string(done.code),
          whole ? 0u : 1u};
}

}  // namespace

std::vector<Fault> verb_faults() {
  return {
      {"segmentation fault in audit", "the kernel's runs of one Case of three", in_audit},
      {"segmentation fault in search", "in some Cases of one kernel of three", in_search},
      {"segmentation fault in calibrate", "in some Cases of 40", in_calibrate},
      {"segmentation fault in cells", "the same, with --records", in_cells},
      {"segmentation fault in replay", "in the Case", in_replay},
      {"segmentation fault in explain", "in the Case", in_explain},
      {"segmentation fault in bench", "at one of two sizes of one kernel", in_bench},
      {"SIGKILL in search, once", "in one Case, which passes when asked again", in_search_once},
  };
}

}  // namespace gradproof
