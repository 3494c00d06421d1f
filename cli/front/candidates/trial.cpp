// SPDX-License-Identifier: Apache-2.0
#include "cli/front/candidates/trial.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/front/candidates/python_process.h"
#include "cli/front/terminal/json_lines.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/terminal/width.h"
#include "cli/front/verbs.h"
#include "cli/process/interrupt.h"
#include "cli/process/paths.h"
#include "cli/protocol/standard_streams.h"
#include "core/case/witnessed_case.h"
#include "core/error.h"
#include "reports/record/tally.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

namespace fs = std::filesystem;

/// A note is broken at blanks; the line that was recognised is broken so that a shell takes it.
void say_note(const std::string& note) {
  const std::string recognised = "recognised: ";
  if (note.starts_with(recognised))
    say(filled_command({recognised, 2, output_width()}, note.substr(recognised.size())));
  else
    say_filled(note + "\n");
}

/// Sets what Python starts with: the path of its package, and this program.
void set_environment() {
  const std::string package = program_directory() + "/../share/gradproof/python";
  const char* path = std::getenv("PYTHONPATH");
  setenv("PYTHONPATH", (path == nullptr ? package : package + ":" + path).c_str(), 1);
  // A file of the folder that this runs in is no module of Python's own.
  setenv("PYTHONSAFEPATH", "1", 1);
  setenv("GRADPROOF", (program_directory() + "/gradproof").c_str(), 1);
}

/// The text of the Case for one set of inputs.
std::string case_of(const Options& o, const nlohmann::json& set) {
  const std::string whole = set.value("part_of", "");
  const std::string part = whole.empty() ? "" : " part_of=" + whole;
  if (set.at("line").get<std::string>().empty())
    return fmt::format("{} dtype={} outputs={} truth={} name={}{}", kWitnessed,
                       set.at("dtype").get<std::string>(), set.at("outputs").get<std::string>(),
                       set.at("truth").get<std::string>(), set.at("name").get<std::string>(), part);
  Options given = o;
  given.pipeline = set.at("line");
  given.name = set.at("name");
  return given_case(given, {set.at("inputs"), set.at("outputs")}) + part;
}

}  // namespace

TrialFolder::TrialFolder() {
  std::string path = (fs::temp_directory_path() / "gradproof-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr)
    throw InstrumentError(fmt::format("no folder '{}': {}", path, std::strerror(errno)));
  path_ = path;
}

TrialFolder::~TrialFolder() {
  std::error_code ignored;
  if (!kept_) fs::remove_all(path_, ignored);
}

std::string existing(const std::string& path, const char* option) {
  if (!fs::is_regular_file(path))
    throw UsageError(fmt::format("{}: there is no file '{}'", option, path));
  return fs::absolute(path);
}

TrialJudge::TrialJudge(const Options& options)
    : options_(options),
      workers_(interrupt_),
      count_(options.workers > 0 ? options.workers : resident_workers()),
      command_lines_(options.command.front(), workers_, count_) {}

nlohmann::json TrialJudge::answer(const std::string& module, const nlohmann::json& specification) {
  set_environment();
  const int status = python_status(
      {options_.python_program, "-B", "-m", "gradproof.candidate." + module, specification.dump()},
      interrupt_, [this](const std::string& line) { return dump(command_lines_.answer(line)); });
  std::ifstream file(specification.at("folder").get<std::string>() + "/trial.json");
  if (!file || status != 0)
    throw InstrumentError(fmt::format("'{}' ended with status {} and no answer about '{}'",
                                      options_.python_program, WEXITSTATUS(status),
                                      specification.at("candidate").get<std::string>()));
  nlohmann::json answer = nlohmann::json::parse(file);
  if (const auto refused = answer.find("refused"); refused != answer.end())
    throw UsageError(refused->get<std::string>());
  return answer;
}

int checked_or_interrupted(const Options& o, const std::function<int()>& check) {
  const auto start = std::chrono::steady_clock::now();
  try {
    return check();
  } catch (const Interrupted& interrupted) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    Tally tally;
    tally.add_gap(interrupted.what());
    if (o.json)
      fmt::print("{}\n{}\n", incomplete_json(tally.gaps.front()),
                 result_json(tally, seconds.count(), Measured::comparison));
    else
      say(fmt::format("incomplete: {}\n{}\n", tally.gaps.front(),
                      result_line(tally, seconds.count())));
    return kExitInterrupted;
  }
}

int TrialJudge::judge(const nlohmann::json& answer, TrialFolder& folder) {
  for (const auto& note : answer.at("notes")) {
    const std::string line = note.get<std::string>();
    // The note on what was left out goes to whoever reads records alone, too.
    if (options_.json || options_.quiet)
      complain(line);
    else
      say_note(line);
  }
  Options check = options_;
  check.workers = count_;
  check.python.clear();
  check.library.clear();
  check.pipeline.clear();
  check.no_shrink = true;
  check.cases.clear();
  for (const auto& set : answer.at("sets")) {
    check.cases.push_back(case_of(options_, set));
    const std::string text = to_string(parse_case(check.cases.back(), {}));
    if (set.value("own", false)) check.own_cases.push_back(text);
    if (set.value("numbers", false)) check.number_cases.push_back(text);
  }
  const int code = judged_cases(check, workers_, static_cast<std::size_t>(count_)).code;
  if (code == 1 || !options_.records.empty()) folder.keep();
  return code;
}

}  // namespace gradproof
