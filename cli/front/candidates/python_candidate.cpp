// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/front/candidates/trial.h"
#include "cli/front/verbs.h"
#include "core/error.h"
#include "core/graph/contract/declared_contract.h"
#include "core/graph/graph.h"

namespace gradproof {
namespace {

/// The request to trial.py (cli/python/gradproof/candidate).
nlohmann::json specification(const Options& o, const TrialFolder& folder) {
  const std::string candidate = existing(o.python, "--python");
  if (!o.function.empty() && o.reference.empty() && o.pipeline.empty())
    throw UsageError("--function needs --pipeline, or --reference with the same function");
  // An impossible request is refused before a process is started.
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
          {"steps", o.training_steps},
          {"device", o.candidate_device},
          {"stream", o.candidate_stream},
          {"sandbox", o.sandbox},
          {"inputs", o.which_inputs},
          {"folder", folder.path()}};
}

}  // namespace

int run_python_check(const Options& options) {
  TrialFolder folder;
  return checked_or_interrupted(options, [&] {
    TrialJudge judge(options);
    return judge.judge(judge.answer("trial", specification(options, folder)), folder);
  });
}

}  // namespace gradproof
