// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/case/case.h"
#include "core/case/factor.h"
#include "core/claim/claim.h"
#include "core/graph/graph.h"
#include "kernels/call.h"
#include "simt/host.h"

namespace gradproof {

/// A kernel's source compiled with simt::Counted in place of float. Its tensors consist of Counted
/// numbers.
struct CountingUnit {
  EntryPoints entry = {};  ///< without forward: there is none
  std::function<std::size_t(const Call&)> workspace =
      {};                 ///< as the source says it of such numbers
  std::string lack = {};  ///< why there is none; empty where nobody asked for it
};

/// A system under test.
struct Kernel {
  SchemaPtr schema;
  Graph pipeline;  ///< with the defaults of its numbers
  std::function<Claim(const Case&)> claim;
  std::function<Call(const Case&)> call;              ///< without views, back-end and stream
  std::function<std::size_t(const Call&)> workspace;  ///< scratch memory of one pass, in bytes
  /// Returns the sizes on both sides of each limit where the path of that dtype changes
  /// (docs/coverage.md); an empty function means that there are none.
  std::function<std::vector<Factor>(DType)> limits = {};
  EntryPoints entry;                           ///< the product
  std::map<std::string, EntryPoints> mutants;  ///< wrong on purpose, by name; CPU executor only
  CountingUnit counting = {};

  /// The product's entry points, or those of the mutant that the Case names.
  const EntryPoints& entry_of(const Case& c) const;
};

/// A wrong kernel, and the only types it is compiled for.
struct Mutant {
  EntryPoints entry;
  DType dtype;
  DType parameters;
};

/// Wrong kernels by the word of the kernel they were made from, then by their own names.
using Mutants = std::map<std::string, std::map<std::string, Mutant>>;

/// The kernels that a program knows; the program's main makes the value.
class Catalog {
 public:
  explicit Catalog(std::vector<Kernel> kernels) : kernels_(std::move(kernels)) {}

  const std::vector<Kernel>& kernels() const { return kernels_; }
  /// All schemas, for parse_case.
  std::vector<SchemaPtr> schemas() const;

  /// These throw UsageError for an unknown word.
  const Kernel& named(const std::string& word) const;
  const Kernel& of(const Case& c) const { return named(c.word()); }

 private:
  std::vector<Kernel> kernels_;
};

/// Makes the kernels of this tree. The key `mutant` of each schema lists those of `mutants`.
Catalog catalog(const Mutants& mutants = {});

/// The result of a run: outputs, buffers after the run and gradients by name, and the findings
/// about the run itself (guard bands, inputs that changed, the executor's findings).
struct KernelRun {
  Tensors tensors;
  std::map<std::string, std::string, std::less<>> digests;  ///< of the same (core/tensor/digest.h)
  std::vector<simt::Finding> findings;
};

/// The back-end and schedule that a Case asks for (`device`, `schedule`).
struct Execution {
  simt::Backend backend = simt::Backend::cpu;
  simt::Options options;
};
Execution execution_of(const Case& c);

/// The part of its tensors that a run keeps: all, or only digests, as large ones take much memory.
enum class Keep { tensors, digests };

/// Runs forward, then backward if the claim asks for it, on poisoned memory of the back-end with
/// guard bands and on a stream of the run's own. Backward gets the statistics that forward saved,
/// and a workspace that nobody wrote to. Findings never throw here; a missing device throws
/// simt::NoDevice, and one that is too small throws simt::NoRoom.
KernelRun run_kernel(const Kernel& kernel, const Case& c, const Claim& claim, const Tensors& inputs,
                     const Execution& execution, Keep keep = Keep::tensors);

}  // namespace gradproof
