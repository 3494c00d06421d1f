// SPDX-License-Identifier: Apache-2.0
#include "kernels/covered/covered.h"

#include <utility>

#include "covered_list.h"
#include "kernels/catalog/entry_points.h"

#define GRADPROOF_DECLARE_COVERED(unit, word, S, P, A) GRADPROOF_DECLARE(unit, word)

GRADPROOF_COVERED(GRADPROOF_DECLARE_COVERED)

namespace gradproof {
namespace {

struct Unit {
  std::string word;
  DType dtype, parameters;
  EntryPoints entry;
};

std::vector<Unit> units() {
  std::vector<Unit> all;
#define GRADPROOF_ADD_COVERED(unit, word, S, P, A) \
  all.push_back(                                   \
      {#word, dtype_of<S>(), dtype_of<P>(), GRADPROOF_ENTRY_OF_TYPES(unit, word, S, P, A)});
  GRADPROOF_COVERED(GRADPROOF_ADD_COVERED)
  return all;
}

const Unit& unit_of(const std::vector<Unit>& all, const Call& call) {
  for (const Unit& unit : all)
    if (unit.dtype == call.dtype && unit.parameters == call.parameters) return unit;
  refuse_types(call);
}

}  // namespace

Catalog covered_catalog() {
  std::vector<Kernel> kernels = catalog().kernels();
  for (Kernel& kernel : kernels) {
    std::vector<Unit> of_it;
    for (Unit& unit : units())
      if (unit.word == kernel.schema->word) of_it.push_back(std::move(unit));
    kernel.entry = {[of_it](const Call& call) { unit_of(of_it, call).entry.forward(call); },
                    [of_it](const Call& call) { unit_of(of_it, call).entry.backward(call); }};
  }
  return Catalog(std::move(kernels));
}

}  // namespace gradproof
