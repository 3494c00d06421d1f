// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/cases.h"
#include "cli/front/terminal/json_lines.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "cli/process/memory.h"
#include "cli/process/paths.h"
#include "cli/process/session.h"
#include "core/cores.h"
#include "core/error.h"

namespace gradproof {
namespace {

void print_fact(const Fact& fact) {
  say(fmt::format("{:<8} {:<12} {}\n", fact.good ? "ok" : "missing", fact.name, fact.text));
  if (!fact.good && !fact.advice.empty())
    say(fmt::format("{:<8} {:<12} -> {}\n", "", "", fact.advice));
}

Fact program_fact(const std::string& name, const std::string& advice) {
  const std::string found = on_path(name);
  return {name, found.empty() ? "not on the PATH" : found, !found.empty(), advice};
}

Fact nvcc_fact() {
  const char* home = std::getenv("CUDA_HOME");
  if (home != nullptr) return {"nvcc", fmt::format("CUDA_HOME={}", home), true, ""};
  return program_fact("nvcc", "only the cuda preset wants it; scripts/setup brings one");
}

Fact driver_fact() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return {"GPU driver", line.empty() ? "none" : line, !line.empty(),
          "not needed: kernels run on the CPU executor"};
}

/// True if this program lies where CMake built it. An installed one compiles nothing.
bool is_in_build_tree() {
  return std::filesystem::exists(program_directory() + "/../CMakeCache.txt");
}

/// The advice by which a missing part of the program comes back.
std::string again(const std::string& target) {
  return is_in_build_tree() ? fmt::format("build the target {} again", target)
                            : "install the package again";
}

Fact suites_fact() {
  const std::vector<std::string> suites = known_suites();
  return {
      "suites",
      suites.empty() ? "none in " + suites_directory() : fmt::format("{}", fmt::join(suites, " ")),
      !suites.empty(), again("gradproof")};
}

/// Adds the worker's facts; false if it does not answer or has nothing to judge.
bool add_worker(Session& session, std::vector<Fact>& facts) {
  try {
    const Hello& hello = session.hello();
    std::vector<std::string> words;
    for (const Schema& schema : hello.schemas) words.push_back(schema.word);
    facts.push_back({"worker",
                     fmt::format("{} (protocol {}, {})", session.program(), hello.protocol,
                                 hello.context.version),
                     true, ""});
    facts.push_back({"kernels", words.empty() ? "none" : fmt::format("{}", fmt::join(words, " ")),
                     !words.empty(), "the worker's catalog is empty"});
    facts.push_back({"back-end",
                     fmt::format("{}: {}, {}", hello.context.backend, hello.context.device,
                                 hello.context.toolkit),
                     true, ""});
    facts.insert(facts.end(), hello.facts.begin(), hello.facts.end());
    return !words.empty();
  } catch (const InstrumentError& error) {
    facts.push_back({"worker", error.what(), false,
                     again("gradproof-worker") + ", or name yours with --worker"});
    return false;
  }
}

std::vector<Fact> compiler_facts() {
  if (!is_in_build_tree())
    return {{"compiler", "not needed: this program was installed and compiles nothing", true, ""}};
  return {program_fact("c++", "apt-get install g++; scripts/setup says more"),
          program_fact("cmake", "apt-get install cmake; scripts/setup says more"), nvcc_fact()};
}

std::vector<Fact> own_facts() {
  std::vector<Fact> facts{suites_fact()};
  for (const Fact& fact : compiler_facts()) facts.push_back(fact);
  facts.push_back(driver_fact());
  facts.push_back({"cores", fmt::format("{}", cores()), true, ""});
  facts.push_back(
      {"memory", fmt::format("{:.1f} GiB available", available_memory() / kGiB), true, ""});
  return facts;
}

}  // namespace

int run_doctor(const Options& options) {
  const Interrupt interrupt;
  Session session(worker_program(options.worker), options.deadline, interrupt);
  std::vector<Fact> facts;
  const bool works = add_worker(session, facts);
  for (const Fact& fact : own_facts()) facts.push_back(fact);
  if (options.json) {
    fmt::print("{}\n", doctor_json(GRADPROOF_VERSION, works, facts));
    return works ? 0 : 3;
  }
  say(fmt::format("gradproof {}\n", GRADPROOF_VERSION));
  for (const Fact& fact : facts) print_fact(fact);
  say(works ? "ready: gradproof check --suite push\n" : "not ready\n");
  return works ? 0 : 3;
}

}  // namespace gradproof
