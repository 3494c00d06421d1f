// SPDX-License-Identifier: Apache-2.0
#include "kernels/covered/covered.h"

#include <utility>

#include "covered_kernels.h"

namespace gradproof {
namespace {

/// The entry points of the units of one kernel, each compiled for one combination of types.
class Units {
 public:
  void add(UnitEntry entry) { all_.push_back(std::move(entry)); }

  const EntryPoints& of(const Call& call) const {
    for (const UnitEntry& unit : all_)
      if (unit.types.at(0).dtype == call.dtype && unit.types.at(0).parameters == call.parameters)
        return unit;
    refuse_types(call);
  }

 private:
  std::vector<UnitEntry> all_;
};

}  // namespace

Catalog covered_catalog() {
  std::vector<Kernel> kernels = catalog().kernels();
  for (Kernel& kernel : kernels) {
    Units units;
    for (KernelUnit& covered : covered_kernels())
      if (covered.kernel.word == kernel.schema->word) units.add(std::move(covered.kernel.entry));
    kernel.entry = {[units](const Call& call) { units.of(call).forward(call); },
                    [units](const Call& call) { units.of(call).backward(call); }};
  }
  return Catalog(std::move(kernels));
}

}  // namespace gradproof
