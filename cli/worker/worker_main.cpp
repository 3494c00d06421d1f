// SPDX-License-Identifier: Apache-2.0
// gradproof-worker: links everything, reads Cases on a pipe, announces each before it starts and
// answers Records. `gradproof-worker 'CASE'` runs one Case in this process, for a debugger.
#include <chrono>

#include <fmt/format.h>

#include "cli/protocol/channel.h"
#include "cli/protocol/standard_streams.h"
#include "cli/worker/worker_requests.h"
#include "core/error.h"
#include "core/work_listener.h"
#include "judge/check_case.h"
#include "reports/text/evidence.h"
#include "simt/memory/buffer.h"
#include "simt/progress.h"

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExitUsage = 2;
constexpr int kExitInstrument = 3;

void serve() {
  WorkerChannel channel;
  channel.send_hello(context_of(Case(all_schemas().front())), all_schemas(), facts());
  const simt::ProgressScope progress([&](std::uint64_t steps) { channel.working(steps); });
  const WorkListener listener([&, told = Clock::now()]() mutable {
    constexpr std::chrono::seconds kOften{1};  // its pieces may be small and many
    if (Clock::now() - told < kOften) return;
    told = Clock::now();
    channel.working(0);
  });
  while (const auto request = channel.receive()) {
    channel.announce(request->text);
    try {
      channel.done(answer(*request, channel));
    } catch (const UsageError& error) {
      channel.error("usage", error.what());
    } catch (const simt::NoDevice& error) {
      channel.error("skip", error.what());
    } catch (const simt::NoRoom& error) {
      channel.error("skip", error.what());
    } catch (const std::exception& error) {
      channel.error("instrument", error.what());
    }
  }
}

/// The exit code is 1 when a tensor is wrong; completeness is the front's to judge.
int run_alone(const std::string& text) {
  bool wrong = false;
  for (const Record& record : check_case(parse_case(text, all_schemas()))) {
    fmt::print("{}\n", evidence(record));
    wrong = wrong || record.verdict.outcome == Outcome::failed ||
            record.verdict.outcome == Outcome::nondeterministic;
  }
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace gradproof

int main(int count, char** arguments) {
  gradproof::hold_standard_streams();
  const auto told = [](const std::string& reason, int code) {
    gradproof::complain("gradproof-worker: " + reason);
    return code;
  };
  try {
    if (count == 2) {
      const int code = gradproof::run_alone(arguments[1]);
      gradproof::flush_output();
      return code;
    }
    if (!gradproof::WorkerChannel::connected())
      return told("started by hand; write gradproof-worker 'CASE'", gradproof::kExitUsage);
    gradproof::serve();
    return 0;
  } catch (const gradproof::UsageError& error) {
    return told(error.what(), gradproof::kExitUsage);
  } catch (const std::exception& error) {
    return told(error.what(), gradproof::kExitInstrument);
  }
}
