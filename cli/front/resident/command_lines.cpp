// SPDX-License-Identifier: Apache-2.0
#include "cli/front/resident/command_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/ask.h"
#include "cli/front/started.h"
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

/// The words under that key; nothing where the line has none.
std::optional<std::vector<std::string>> words_of(const std::string& line, const char* key) {
  std::optional<std::vector<std::string>> words;
  try {
    reading("request", [&] {
      const Json json = parse_json(line, "request");
      if (json.contains(key)) words = json.at(key).get<std::vector<std::string>>();
    });
  } catch (const InstrumentError& error) {
    throw UsageError(error.what());
  }
  return words;
}

/// The most resident workers: more of them have little to do.
constexpr int kMostResident = 4;

/// A function's hard sets have 8192 elements at either end (docs/python.md). Two of them, and what
/// the function itself takes, keep a second core busy for as long as so many elements take one.
constexpr double kOneCore = 65536;

/// Asks the first worker about the one Case of these options and does not wait for the answer:
/// judged_cases() of that Case and others has it.
CheckRequest asked_early(const Options& options, Workers& workers) {
  const auto [session, planned] = started(options, workers);
  if (planned.cases.size() != 1) throw UsageError("one set alone can be judged early");
  const Case& c = planned.cases.front();
  CheckRequest request{to_string(c), Detail::of_all, elements_of(c) < kOneCore ? 1 : cores(),
                       second_witness(options, 1)};
  session->send_early(request);
  return request;
}

}  // namespace

int resident_workers() { return std::min(cores(), kMostResident); }

Json CommandLines::answer(const std::string& line) {
  Captured output(stdout);
  Captured errors(stderr);
  CheckOutcome judged;
  judged.code = exit_code_of([&] {
    const auto words = words_of(line, "words");
    if (!words) throw UsageError("the request has no \"words\"");
    judged = outcome(options_of(*words));
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

bool CommandLines::begins(const std::string& line) {
  std::optional<std::vector<std::string>> words;
  try {
    words = words_of(line, "early");
  } catch (const UsageError&) {
    return false;  // answer() says why
  }
  if (!words) return false;
  try {
    const Options options = options_of(*words);
    if (options.verb == "judge") early_ = asked_early(check_of_given(options), workers_);
  } catch (const std::exception&) {
    early_.reset();
  }
  return true;
}

Options CommandLines::options_of(const std::vector<std::string>& words) const {
  std::vector<const char*> arguments{program_.c_str()};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

CheckOutcome CommandLines::outcome(const Options& options) {
  if (options.verb == "inputs") return {run_inputs(options), {}};
  if (options.verb == "python") return {run_python(options), {}};
  const std::optional<CheckRequest> early = std::exchange(early_, std::nullopt);
  if (options.verb == "judge") {
    Options several = options;
    several.workers = count_;
    return judged_cases(check_of_given(several), workers_, static_cast<std::size_t>(count_), early);
  }
  if (options.verb != "check" || !options.python.empty() || !options.library.empty())
    throw UsageError(
        fmt::format("serve answers judge, check of Cases, inputs and python; '{}' "
                    "is a command of its own",
                    fmt::join(options.command.begin() + 1, options.command.end(), " ")));
  return judged_cases(options, workers_);
}

}  // namespace gradproof
