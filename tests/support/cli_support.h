// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "reports/runs/run_folder.h"
#include "tests/support/report_sample.h"
#include "tests/support/scratch.h"
#include "tests/support/text.h"

namespace gradproof {

/// The exit code and the outputs of a program that has ended.
struct Finished {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs a shell command with standard output and error in files of a directory named after the
/// test.
inline Finished shell(const std::string& command, const std::string& name) {
  const std::string folder = scratch_directory("cli-" + name);
  const int status =
      std::system(("( " + command + " ) >" + folder + "/out 2>" + folder + "/err").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder + "/out"),
          text_of(folder + "/err")};
}

inline std::string front() { return GRADPROOF_BIN_DIR "/gradproof"; }
inline std::string fake_worker() { return GRADPROOF_BIN_DIR "/gradproof-fake-worker"; }

/// Runs the real front program with the fake worker: `VERB ARGUMENTS --worker ...`.
inline Finished gradproof_with_fake(const std::string& arguments, const std::string& name) {
  return shell(front() + " " + arguments + " --worker " + fake_worker(), name);
}

/// Runs `report ARGUMENTS` by the real front program.
inline Finished report(const std::string& arguments) {
  return shell(front() + " report " + arguments, "report");
}

/// Paths of the files of runs in a folder, the first started in front.
inline std::vector<std::string> run_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& id : run_ids(folder)) paths.push_back(run_path(folder, id));
  return paths;
}

/// The text of the last run's file.
inline std::string last_run_text(const std::string& folder) {
  const std::vector<std::string> paths = run_files(folder);
  return paths.empty() ? "" : text_of(paths.back());
}

/// The page of `report` about the folder's last runs, as markdown.
inline std::string report_page_of(const std::string& folder) {
  return shell(front() + " report " + folder + " --format markdown", "report-page").out;
}

inline std::string last_line_of(const std::string& text) {
  const std::size_t before = text.rfind('\n', text.size() < 2 ? 0 : text.size() - 2);
  return text.substr(before == std::string::npos ? 0 : before + 1);
}

}  // namespace gradproof
