// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "cli/process/paths.h"
#include "cli/protocol/standard_streams.h"
#include "core/case/witnessed_case.h"
#include "core/error.h"
#include "core/graph/contract/declared_contract.h"
#include "core/graph/graph.h"

namespace gradproof {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// What code of torch computes under: an operator at a time or fused, LibTorch's functions.
constexpr const char* kContract = "stored=all functions=libtorch";

/// A folder of its own; what replay lines name stays after a conviction, and beside kept records.
class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "gradproof-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      throw InstrumentError(fmt::format("no folder '{}': {}", path, std::strerror(errno)));
    path_ = path;
  }
  ~Folder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

std::string existing(const std::string& path, const char* option) {
  if (!fs::is_regular_file(path))
    throw UsageError(fmt::format("{}: there is no file '{}'", option, path));
  return fs::absolute(path);
}

/// What trial.py is asked for (cli/python/gradproof/candidate).
Json specification(const Options& o, const Folder& folder) {
  const std::string candidate = existing(o.python, "--python");
  if (!o.function.empty() && o.reference.empty() && o.pipeline.empty())
    throw UsageError("--function needs --pipeline, or --reference with the same function");
  // What cannot be is refused before a process is started.
  if (!o.pipeline.empty()) parse_declared_contract(o.contract, parse_graph(o.pipeline));
  const bool apart = !o.reference.empty();
  return {{"candidate", candidate},
          {"reference", apart ? existing(o.reference, "--reference") : candidate},
          {"function", o.function},
          {"pipeline", o.pipeline},
          {"python", o.python_program},
          {"seed", o.seed},
          {"deadline", o.deadline},
          {"backward", !o.forward_alone},
          {"all_inputs", o.all_inputs},
          {"folder", folder.path()}};
}

/// Runs trial.py to its end; what goes wrong within the candidate is in its answer.
Json answer_of(const Options& o, const Folder& folder) {
  const std::string package = program_directory() + "/../share/gradproof/python";
  const char* path = std::getenv("PYTHONPATH");
  setenv("PYTHONPATH", (path == nullptr ? package : package + ":" + path).c_str(), 1);
  // A file of the folder that this runs in is no module of Python's own.
  setenv("PYTHONSAFEPATH", "1", 1);
  setenv("GRADPROOF", (program_directory() + "/gradproof").c_str(), 1);
  std::vector<std::string> words{o.python_program, "-B", "-m", "gradproof.candidate.trial",
                                 specification(o, folder).dump()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  flush_output();
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, arguments.front(), nullptr, nullptr, arguments.data(), environ);
  if (error != 0)
    throw UsageError(fmt::format("--python-program: cannot start '{}': {}", o.python_program,
                                 std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::ifstream file(folder.path() + "/trial.json");
  if (!file || status != 0)
    throw InstrumentError(fmt::format("'{}' ended with status {} and no answer about '{}'",
                                      o.python_program, WEXITSTATUS(status), o.python));
  return Json::parse(file);
}

/// The Case that one set of inputs is.
std::string case_of(const Options& o, const Json& set) {
  std::string name = fs::path(o.python).stem();
  std::replace(name.begin(), name.end(), ' ', '_');  // a Case's text has blanks between its keys
  if (set.at("line").get<std::string>().empty())
    return fmt::format("{} dtype={} outputs={} truth={} name={}", kWitnessed,
                       set.at("dtype").get<std::string>(), set.at("outputs").get<std::string>(),
                       set.at("truth").get<std::string>(), name);
  Options given = o;
  given.pipeline = set.at("line");
  given.inputs = set.at("inputs");
  given.outputs = set.at("outputs");
  given.contract = o.contract.empty() ? kContract : o.contract;
  given.name = name;
  return given_case(given);
}

}  // namespace

int run_python_check(const Options& options) {
  Folder folder;
  const Json answer = answer_of(options, folder);
  if (const auto refused = answer.find("refused"); refused != answer.end())
    throw UsageError(refused->get<std::string>());
  for (const auto& note : answer.at("notes")) {
    const std::string line = note.get<std::string>() + "\n";
    // What was left out is said to whoever reads records alone, too.
    if (options.json || options.quiet)
      std::cerr << line;
    else
      say(line);
  }
  Options check = options;
  check.python.clear();
  check.pipeline.clear();
  check.no_shrink = true;
  for (const auto& set : answer.at("sets")) check.cases.push_back(case_of(options, set));
  const int code = run_check(check);
  if (code == 1 || !options.records.empty()) folder.keep();
  return code;
}

}  // namespace gradproof
