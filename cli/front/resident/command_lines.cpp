// SPDX-License-Identifier: Apache-2.0
#include "cli/front/resident/command_lines.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/terminal/captured.h"
#include "cli/front/terminal/exit_code.h"
#include "core/cores.h"
#include "core/error.h"
#include "reports/causes/cause_block.h"
#include "reports/causes/cause_text.h"
#include "reports/text/case_table.h"

namespace gradproof {
namespace {

/// Columns of a conviction's lines: a test runner has eight of 100 for itself.
constexpr std::size_t kConvictionWidth = 92;
/// Tensors in a conviction's table.
constexpr std::size_t kShownTensors = 4;

/// The Python package prints these sentences, which a terminal has too (docs/python.md): of each
/// cause, the most severe kernel first, its Case, what is wrong, a table and the details.
Json causes_json(const std::vector<Record>& records) {
  Json causes = Json::array();
  for (const Cause& cause : causes_of(records)) {
    std::vector<const Record*> shown = cause.cases.front().wrong;
    shown.resize(std::min(shown.size(), kShownTensors));
    causes.push_back({{"case", cause.first().case_text},
                      {"what", what_text(cause)},
                      {"table", tensor_table(shown, kConvictionWidth)},
                      {"details", cause_details(cause, "", kConvictionWidth) +
                                      cause_bound(cause, kConvictionWidth)}});
  }
  return causes;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  try {
    reading("request", [&] { words = parse_json(line, "request").at("words"); });
  } catch (const InstrumentError& error) {
    throw UsageError(error.what());
  }
  return words;
}

/// The most resident workers: more of them have little to do.
constexpr int kMostResident = 4;

}  // namespace

int resident_workers() { return std::min(cores(), kMostResident); }

Json CommandLines::answer(const std::string& line) {
  Captured output(stdout);
  Captured errors(stderr);
  CheckOutcome judged;
  judged.code = exit_code_of([&] {
    const std::vector<std::string> words = words_of(line);
    std::vector<const char*> arguments{program_.c_str()};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    judged = outcome(parse_options(static_cast<int>(arguments.size()), arguments.data()));
    return judged.code;
  });
  Json records = Json::array();
  for (const Record& record : judged.records) records.push_back(to_json(record));
  return {{"code", judged.code},
          {"output", output.text()},
          {"errors", errors.text()},
          {"records", records},
          {"causes", causes_json(judged.records)}};
}

CheckOutcome CommandLines::outcome(const Options& options) {
  if (options.verb == "inputs") return {run_inputs(options), {}};
  if (options.verb == "python") return {run_python(options), {}};
  if (options.verb == "judge") {
    Options several = options;
    several.workers = count_;
    return judged_cases(check_of_given(several), workers_, static_cast<std::size_t>(count_));
  }
  if (options.verb != "check" || !options.python.empty() || !options.library.empty())
    throw UsageError(
        fmt::format("serve answers judge, check of Cases, inputs and python; '{}' "
                    "is a command of its own",
                    fmt::join(options.command.begin() + 1, options.command.end(), " ")));
  return judged_cases(options, workers_);
}

}  // namespace gradproof
