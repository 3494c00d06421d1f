// SPDX-License-Identifier: Apache-2.0
// gradproof-lab: gradproof-worker with what proves the judge (the mutants, the model pairs) and the
// maintainers' verbs.
#include "cli/worker/serve.h"
#include "judge/model_pairs/linear_system.h"
#include "kernels/counted/counted.h"
#include "kernels/mutants/mutants.h"
#include "tools/verbs.h"

int main(int count, char** arguments) {
  using namespace gradproof;
  const Systems systems{counted_catalog(catalog(mutants())), model_pairs()};
  return ended(serve(systems, count, arguments, lab_verbs()), count);
}
