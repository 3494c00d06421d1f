// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// Two threads, each with a stream of its own, call the kernel on their own numbers at once.
void holds(Trial& t) {
  const Tensors others =
      changed(t.inputs(), "x", [](double number, std::int64_t) { return -number; });
  const LawRun alone = t.run(others);
  const auto call = [&](const Tensors& inputs) {
    return run_kernel(t.kernel(), t.c(), t.claim(), inputs, t.execution());
  };
  for (int round = 0; round < 4; ++round) {
    KernelRun beside;
    std::thread thread([&] { beside = call(others); });
    const KernelRun here = call(t.inputs());
    thread.join();
    t.expect("results at once, round " + std::to_string(round),
             here.digests == t.run().digests() && beside.digests == alone.digests(),
             "other bits than alone");
  }
}

}  // namespace

Law instances_at_once() {
  return {"instances_at_once",
          "two instances at once, on streams of their own, give what they give alone",
          silences::nondeterministic, holds};
}

}  // namespace gradproof
