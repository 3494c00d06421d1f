// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "cli/places.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/error.h"

namespace gradproof {

int run_bench(const Options& options) {
  const Interrupt interrupt;
  Session session(worker_program(options.worker), options.deadline, interrupt);
  const Context context = session.hello().context;
  const Reply reply = session.ask({"bench", options.bench});
  if (reply.failure && reply.failure->kind == "usage") throw UsageError(reply.failure->text);
  if (reply.failure && reply.failure->kind == "skip") {
    fmt::print("skipped: {}\n", reply.failure->text);
    return 4;
  }
  if (reply.failure) throw InstrumentError(reply.failure->text);
  if (reply.lost)
    throw InstrumentError(
        fmt::format("bench: {} {}", name_of(reply.lost->outcome), reply.lost->reason));
  std::size_t width = 0;
  for (const BenchRow& row : reply.bench) width = std::max(width, row.name.size());
  for (const BenchRow& row : reply.bench)
    fmt::print("{:<{}}  {:>12.4g} {}{}\n", row.name, width, row.value, row.unit,
               row.note.empty() ? "" : "   " + row.note);
  fmt::print("on {}, {}\n", context.device, context.toolkit);
  return reply.bench.empty() ? 4 : 0;
}

}  // namespace gradproof
