// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/philox.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

constexpr std::uint64_t kChoices = 4;

/// Tries a few of the many choices, which the seed selects.
void gradients_by_choice_holds(Trial& t) {
  const Key& key = t.c().schema().key("grads", "");
  const Stream stream(t.seed(), "choices");
  for (std::uint64_t k = 0; k < kChoices; ++k) {
    const std::string& choice = key.words[stream.bits(k) % key.words.size()];
    const Case c = t.c().with("grads", choice);
    if (refusal_of(c).empty())
      t.expect_same_results("where grads=" + choice, t.run(c, t.inputs()), t.run());
  }
}

}  // namespace

Law gradients_by_choice() {
  return {"gradients_by_choice", "every choice of wanted gradients gives the same bits",
          silences::any_of<silences::by_graph, silences::no_gradients, silences::nondeterministic>,
          gradients_by_choice_holds};
}

}  // namespace gradproof
