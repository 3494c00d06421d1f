// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/instance.h"
#include "properties/laws/calls/sequence.h"
#include "properties/laws/laws.h"
#include "properties/laws/running/steps.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

/// The model of an instance is what a state_dict holds: parameters and buffers. All memory lives to
/// the end, so that what a kernel keeps by an address is of that memory.
void call_sequences_holds(Trial& t) {
  Tensors numbers = t.inputs();
  std::vector<std::unique_ptr<Instance>> all;
  const auto fresh = [&] { return all.emplace_back(std::make_unique<Instance>(t, numbers)).get(); };
  Instance* judged = fresh();
  std::int64_t k = 0;
  for (const std::string& word : sequence_of(t.c())) {
    if (word == "copy") judged = fresh();
    if (word == "load") judged->put(numbers = numbers_of_call(t, ++k, true, numbers));
    const std::optional<Case> c = case_of_call(t.c(), word);
    if (!c) continue;
    numbers = numbers_of_call(t, ++k, false, numbers);
    const LawRun alone = fresh()->call(*c, numbers);
    const std::string when = "of call " + std::to_string(k) + ", " + word;
    t.expect_same_results(when, judged->call(*c, numbers), alone);
    numbers = with_buffers_of(alone, numbers);
  }
}

}  // namespace

Law call_sequences() {
  return {"call_sequences",
          "train, eval, load and copy in any order give what each call gives alone",
          silences::any_of<silences::fewer_rows_than<1>, silences::nondeterministic>,
          call_sequences_holds};
}

}  // namespace gradproof
