// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/claim.h"
#include "simt/buffer.h"
#include "simt/host.h"
#include "simt/stream.h"

namespace gradproof {

/// Tensors as the kernel sees them, by name; an absent optional tensor has no entry. "workspace" is
/// the scratch memory that the Kernel asks for.
using Views = std::map<std::string, View, std::less<>>;

/// The two entry points of a compiled kernel (one set for each unit: host, device, a mutant's).
/// Both enqueue on the caller's stream, no other one; views point into the memory of the back-end
/// they run on.
struct EntryPoints {
  using Function = std::function<void(const Case&, const Views&, simt::Backend, cudaStream_t)>;
  Function forward;
  Function backward;
};

/// A system under test.
struct Kernel {
  SchemaPtr schema;
  std::function<Claim(const Case&)> claim;
  std::function<std::int64_t(const Case&)> workspace;  ///< scratch memory, in float32 numbers
  EntryPoints entry;                                   ///< the product
  std::map<std::string, EntryPoints> mutants;  ///< wrong on purpose, by name; CPU executor only

  /// The product's entry points, or the mutant's that the Case names.
  const EntryPoints& entry_of(const Case& c) const;
};

/// All systems under test. The key `mutant` of each schema lists the mutants that are linked in.
const std::vector<Kernel>& catalog();

/// The schemas of the catalog, for parse_case.
std::vector<SchemaPtr> schemas();

/// Throws UsageError for an unknown word.
const Kernel& kernel_of(const Case& c);

/// What a run left behind: outputs, buffers after the run and gradients by name, and what was found
/// wrong with the run itself (guard bands, inputs that changed, the executor's findings).
struct KernelRun {
  Tensors tensors;
  std::vector<simt::Finding> findings;
};

/// The back-end and schedule that a Case asks for (`device`, `schedule`).
struct Execution {
  simt::Backend backend = simt::Backend::cpu;
  simt::Options options;
};
Execution execution_of(const Case& c);

/// Runs forward, then backward where the claim asks for it, on poisoned memory of the back-end with
/// guard bands and on a stream of the run's own. Backward gets the statistics that forward saved,
/// and a workspace that nobody wrote to. Findings never throw here; a missing device throws
/// simt::NoDevice.
KernelRun run_kernel(const Kernel& kernel, const Case& c, const Claim& claim, const Tensors& inputs,
                     const Execution& execution);

}  // namespace gradproof
