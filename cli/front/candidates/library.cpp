// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/front/candidates/trial.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "core/error.h"
#include "core/graph/contract/declared_contract.h"
#include "core/graph/graph.h"
#include "core/whole_file.h"

namespace gradproof {
namespace {

namespace fs = std::filesystem;
/// The request to library_trial.py and describe.py (cli/python/gradproof/candidate).
nlohmann::json specification(const Options& o, const std::string& keys, const std::string& folder) {
  if (!o.pipeline.empty()) parse_declared_contract(o.contract, parse_graph(o.pipeline));
  return {{"candidate", existing(o.library, "--library")},
          {"op", o.op},
          {"backward_op", o.backward_op},
          {"mapping", o.mapping.empty() ? "" : existing(o.mapping, "--mapping")},
          {"pipeline", o.pipeline},
          {"case", keys},
          {"python", o.python_program},
          {"seed", o.seed},
          {"deadline", o.deadline},
          {"backward", !o.forward_alone},
          {"steps", o.training_steps},
          {"device", o.candidate_device},
          {"stream", o.candidate_stream},
          {"sandbox", o.sandbox},
          {"inputs", o.which_inputs},
          {"folder", folder}};
}

/// The answers to all Cases, as one answer.
nlohmann::json answers(TrialJudge& judge, const Options& options, const std::string& folder) {
  nlohmann::json all = {{"sets", nlohmann::json::array()}, {"notes", nlohmann::json::array()}};
  const std::vector<std::string> cases =
      options.cases.empty() ? std::vector<std::string>{""} : options.cases;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::string own = fmt::format("{}/{}", folder, k);
    fs::create_directory(own);
    const nlohmann::json answer =
        judge.answer("library_trial", specification(options, cases[k], own));
    all["sets"].insert(all["sets"].end(), answer.at("sets").begin(), answer.at("sets").end());
    for (const nlohmann::json& note : answer.at("notes"))
      if (std::find(all["notes"].begin(), all["notes"].end(), note) == all["notes"].end())
        all["notes"].push_back(note);
  }
  return all;
}

}  // namespace

int run_library_check(const Options& options) {
  if (options.pipeline.empty()) throw UsageError("--library needs --pipeline: what is computed");
  if (options.op.empty() && options.mapping.empty())
    throw UsageError("--library needs --op, or --mapping with an operator");
  TrialFolder folder;
  return checked_or_interrupted(options, [&] {
    TrialJudge judge(options);
    return judge.judge(answers(judge, options, folder.path()), folder);
  });
}

int run_describe(const Options& options) {
  TrialFolder folder;
  existing(options.library, "LIBRARY");  // here it is no option
  const nlohmann::json answer =
      TrialJudge(options).answer("describe", specification(options, "", folder.path()));
  const std::string text = answer.at("text").get<std::string>() + "\n";
  if (options.output.empty()) {
    say(text);
    return 0;
  }
  write_whole_file(options.output, [&](std::ostream& file) { file << text; });
  return 0;
}

}  // namespace gradproof
