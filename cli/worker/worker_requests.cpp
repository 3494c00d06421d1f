// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/worker_requests.h"

#include <fmt/format.h>

#include "cli/worker/verbs.h"
#include "core/error.h"
#include "judge/check_case.h"
#include "oracles/libtorch/autograd.h"
#include "simt/device.h"

namespace gradproof {
namespace {

void check(const Case& c, WorkerChannel& channel) {
  for (const Record& record : check_case(c)) channel.record(record);
}

}  // namespace

int answer(const Request& request, WorkerChannel& channel) {
  if (request.verb == "bench")
    return bench(request, channel);
  else if (request.verb == "check")
    check(parse_case(request.text, all_schemas()), channel);
  else if (request.verb == "audit")
    return answer_audit(request, channel);
  else if (request.verb == "explain")
    return explain(request, channel);
  else if (request.verb == "trial")
    return trial(request, channel);
  else if (request.verb == "exhaustive")
    return exhaustive(request, channel);
  else
    throw UsageError(fmt::format(
        "unknown verb '{}'; known: check audit bench explain trial exhaustive", request.verb));
  return 0;
}

std::vector<Fact> facts() {
  std::vector<Fact> all{{"toolkit", GRADPROOF_TOOLKIT, true, ""},
                        {"LibTorch", libtorch_version(), true, ""}};
  if (const auto device = simt::device_info())
    all.push_back({"GPU",
                   fmt::format("{}, {}, driver for CUDA {}, runtime {}", device->name, device->arch,
                               device->driver, device->runtime),
                   true, ""});
  else
    all.push_back({"GPU", "none; device=cuda is skipped", true,
                   "build with 'cmake --preset cuda' and run on a machine with a GPU"});
  return all;
}

}  // namespace gradproof
