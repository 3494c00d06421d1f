// SPDX-License-Identifier: Apache-2.0
#include "cli/front/started.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/process/paths.h"
#include "core/error.h"
#include "core/graph/graph.h"

namespace gradproof {
namespace {

constexpr const char* kBuildLab = "cmake --build --preset cpu --target gradproof-lab";

/// The texts of mutant= in Cases in quotes and in the changes for every Case.
std::vector<std::string> mutants_asked_for(const Options& options) {
  constexpr std::string_view kKey = "mutant=";
  std::vector<std::string> texts = options.cases;
  texts.insert(texts.end(), options.changes.begin(), options.changes.end());
  std::vector<std::string> mutants;
  for (const std::string& text : texts)
    if (const std::size_t at = text.find(kKey); at != std::string::npos) {
      const std::size_t first = at + kKey.size();
      mutants.push_back(text.substr(first, text.find_first_of(" \t", first) - first));
    }
  return mutants;
}

bool has_mutant(const std::vector<SchemaPtr>& schemas, const std::string& mutant) {
  return std::any_of(schemas.begin(), schemas.end(), [&](const SchemaPtr& schema) {
    return schema->has("mutant") && has_name(schema->key("mutant", "").words, mutant);
  });
}

/// The place of mutants that this worker lacks, while there is no lab that could be asked; empty if
/// that is not the reason.
std::string advice_on_mutants(const Options& options, Session& session) {
  const std::vector<std::string> mutants = mutants_asked_for(options);
  const bool known = std::all_of(mutants.begin(), mutants.end(), [&](const std::string& mutant) {
    return has_mutant(session.schemas(), mutant);
  });
  return known ? ""
               : fmt::format("; mutants are in gradproof-lab, which is not built: {}", kBuildLab);
}

}  // namespace

Started started(const Options& options, Workers& workers) {
  const std::string lab = lab_program(options.worker);
  auto session = workers.of(worker_program(options.worker), options.deadline);
  try {
    Planned planned = planned_cases(options, session->schemas());
    return {std::move(session), std::move(planned)};
  } catch (const UsageError& error) {
    if (!options.worker.empty()) throw;
    if (!is_program(lab)) throw UsageError(error.what() + advice_on_mutants(options, *session));
  }
  session = workers.of(lab, options.deadline);
  Planned planned = planned_cases(options, session->schemas());
  return {std::move(session), std::move(planned)};
}

Started started(const Options& options, Interrupt& interrupt) {
  Workers own(interrupt);
  return started(options, own);
}

std::unique_ptr<Session> started_lab(const Options& options, const Interrupt& interrupt) {
  const std::string lab = lab_program(options.worker);
  if (!is_program(lab))
    throw InstrumentError(
        fmt::format("{} answers this verb, and it is not there; {}", lab, kBuildLab));
  return std::make_unique<Session>(lab, options.deadline, interrupt);
}

}  // namespace gradproof
