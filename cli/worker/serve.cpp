// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/serve.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include "cli/protocol/channel.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "core/float_mode.h"
#include "core/work_listener.h"
#include "judge/check_case.h"
#include "judge/records.h"
#include "kernels/harness/run_watch.h"
#include "oracles/libtorch/load.h"
#include "reports/text/evidence.h"
#include "simt/device.h"
#include "simt/memory/buffer.h"
#include "simt/progress.h"

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExitUsage = 2;
constexpr int kExitInstrument = 3;

/// The facts about this machine that `doctor` shows, as the worker sees them.
std::vector<Fact> facts() {
  const std::string module = libtorch_module_file();
  std::vector<Fact> all{{"toolkit", GRADPROOF_TOOLKIT, true, ""},
                        {"LibTorch", module.empty() ? "none" : "by " + module, true, ""}};
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

int answer(const Systems& systems, const std::vector<WorkerVerb>& verbs, const Request& request,
           WorkerChannel& channel) {
  std::vector<std::string> known;
  for (const WorkerVerb& verb : verbs) {
    if (verb.name == verb_of(request)) return verb.answer(systems, request, channel);
    known.push_back(verb.name);
  }
  throw UsageError(fmt::format("this worker does not know the verb '{}'; known: {}",
                               verb_of(request), fmt::join(known, " ")));
}

/// Answers the request, or says why there is no answer.
void answer_or_fail(const Systems& systems, const std::vector<WorkerVerb>& verbs,
                    const Request& request, WorkerChannel& channel) {
  try {
    channel.done(answer(systems, verbs, request, channel));
  } catch (const UsageError& error) {
    channel.error(kUsage, error.what());
  } catch (const simt::NoDevice& error) {
    channel.error("skip", error.what());
  } catch (const simt::NoRoom& error) {
    channel.error("skip", error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    channel.error("instrument", error.what());
  }
}

/// Answers requests; it knows the Cases that it has to do without.
class Answerer {
 public:
  Answerer(const Systems& systems, const std::vector<WorkerVerb>& verbs, WorkerChannel& channel)
      : systems_(systems), verbs_(verbs), channel_(channel) {}

  void take(const Request& request) {
    channel_.announce(request);
    if (const auto* avoid = std::get_if<AvoidRequest>(&request)) {
      for (const LostCase& lost : avoid->cases) lost_[lost.case_text] = lost.how;
      return channel_.done();
    }
    if (std::holds_alternative<LoadRequest>(request)) return load();
    // Only a request that is about no Case needs it: otherwise the front knows which Case runs.
    std::optional<RunWatch> watch;
    if (!asks_about_case(request))
      watch.emplace(
          [this](const std::string& c, bool ended) {
            channel_.send(Running{c, ended});
          },
          lost_);
    answer_or_fail(systems_, verbs_, request, channel_);
  }

 private:
  /// A module that cannot be used is no error here: each Case that needs it says why.
  void load() {
    try {
      libtorch_module();
    } catch (const BrokenModule&) {
    }
    channel_.done();
  }

  const Systems& systems_;
  const std::vector<WorkerVerb>& verbs_;
  WorkerChannel& channel_;
  std::map<std::string, std::string> lost_;  ///< how each of them ended a worker
};

/// Each block of a graph allocates arrays of some megabytes and frees them. The kernel would clear
/// them anew for each, which takes longer than the arithmetic. So no array gets a mapping of its
/// own, and freed memory stays here until the request is answered (give_back_memory). One heap
/// serves all threads: glibc gives the heaps of the others back whatever these numbers are.
void keep_freed_memory() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 256 << 20);
}

/// Other workers need the memory that a large Case took. Up to twice what the heap takes in advance
/// as it grows may stay, so that a row of small Cases gives nothing back.
void give_back_memory() {
  constexpr std::size_t kKept = std::size_t{512} << 20;  // bytes
  if (mallinfo2().fordblks > kKept) malloc_trim(0);
}

void answer_all(const Systems& systems, const std::vector<WorkerVerb>& verbs) {
  WorkerChannel channel;
  const std::vector<SchemaPtr> schemas = systems.schemas();
  channel.send_hello(context_of(Case(schemas.front())), schemas, facts());
  const simt::ProgressScope progress([&](std::uint64_t steps) { channel.working(steps); });
  const WorkListener listener([&, last = Clock::now()]() mutable {
    constexpr std::chrono::seconds kOften{1};  // its pieces may be small and many
    if (Clock::now() - last < kOften) return;
    last = Clock::now();
    channel.working(0);
  });
  Answerer answerer(systems, verbs, channel);
  constexpr std::size_t kToSayIt = std::size_t{1} << 20;  // bytes, given back where there are none
  auto reserve = std::make_unique<std::byte[]>(kToSayIt);
  try {
    while (const auto request = channel.receive()) {
      answerer.take(*request);
      give_back_memory();
      // Later requests would fail whatever they are, so they are for a fresh worker.
      if (simt::device_has_erred()) return;
    }
  } catch (const std::bad_alloc& error) {
    reserve.reset();
    channel.error(kOutOfMemory, error.what());
  }
}

/// Prints everything about one Case, and what is wrong about several. The exit code is 1 if a
/// tensor is wrong; completeness is the front's to judge.
int run_alone(const Systems& systems, const std::vector<std::string>& cases) {
  const bool one = cases.size() == 1;
  bool wrong = false;
  for (const std::string& text : cases) {
    const Case c = parse_case(text, systems.schemas());
    const Detail detail = one ? Detail::of_all : Detail::of_failures;
    for (const Record& record : check_case(systems, c, detail)) {
      if (one || is_wrong(record.verdict.outcome)) fmt::print("{}\n", evidence(record));
      wrong = wrong || is_wrong(record.verdict.outcome);
    }
  }
  flush_output();
  return wrong ? 1 : 0;
}

/// The name under which the program was started: gradproof-worker, gradproof-lab or a user's own.
std::string name_of_program(int count, char** arguments) {
  return count > 0 ? std::filesystem::path(arguments[0]).filename().string() : "worker";
}

}  // namespace

int serve(const Systems& systems, int count, char** arguments,
          const std::vector<WorkerVerb>& more) {
  hold_standard_streams();
  keep_freed_memory();
  set_default_float_mode();  // a library that was built for speed may have left another
  const std::string name = name_of_program(count, arguments);
  const auto complaint = [&](const std::string& reason, int code) {
    complain(name + ": " + reason);
    return code;
  };
  try {
    if (count > 1) return run_alone(systems, {arguments + 1, arguments + count});
    if (!WorkerChannel::connected())
      return complaint("started by hand; write " + name + " 'CASE'", kExitUsage);
    std::vector<WorkerVerb> verbs{worker_verb(answer_check),   worker_verb(answer_audit),
                                  worker_verb(answer_column),  worker_verb(answer_explain),
                                  worker_verb(answer_laws),    worker_verb(answer_chains),
                                  worker_verb(answer_coverage)};
    verbs.insert(verbs.end(), more.begin(), more.end());
    answer_all(systems, verbs);
    return 0;
  } catch (const UsageError& error) {
    return complaint(error.what(), kExitUsage);
  } catch (const std::exception& error) {
    return complaint(error.what(), kExitInstrument);
  }
}

int ended(int code, int count) {
  if (GRADPROOF_IS_SANITIZED || count > 1) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace gradproof
