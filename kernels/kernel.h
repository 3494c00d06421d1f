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
#include "simt/host.h"
#include "simt/memory/buffer.h"
#include "simt/stream.h"

namespace gradproof {

/// Tensors as the kernel sees them, by name.
using Views = std::map<std::string, View, std::less<>>;

/// One call of an entry point, from a Case or from LibTorch's tensors.
struct Call {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t groups = 0;        ///< 0 where the pipeline has no GroupNorm
  DType dtype = DType::f32;       ///< of x, y, dy and d_x
  DType parameters = DType::f32;  ///< of parameters, their gradients and running statistics
  double eps = 1e-5;
  double momentum = 0.1;
  double divide = 1;
  bool cumulative = false;       ///< no momentum: the average of all batches
  bool training = true;          ///< running statistics move
  bool batch_statistics = true;  ///< a BatchNorm normalises with the batch's own
  /// An absent optional tensor, and a gradient that nobody wants, has no entry. "workspace" is the
  /// scratch memory that the Kernel asks for. Views point into the memory of `backend`.
  Views views;
  simt::Backend backend = simt::Backend::cpu;
  cudaStream_t stream = nullptr;  ///< all work is enqueued here, nowhere else
};

/// The two entry points of a compiled kernel (one set for each unit: host, device, a mutant's).
struct EntryPoints {
  using Function = std::function<void(const Call&)>;
  Function forward;
  Function backward;
};

/// A system under test.
struct Kernel {
  SchemaPtr schema;
  std::function<Claim(const Case&)> claim;
  std::function<Call(const Case&)> call;              ///< without views, back-end and stream
  std::function<std::size_t(const Call&)> workspace;  ///< scratch memory of one pass, in bytes
  /// Sizes on both sides of each limit where the path of that dtype changes (docs/coverage.md);
  /// none where it is empty.
  std::function<std::vector<Factor>(DType)> limits = {};
  EntryPoints entry;                           ///< the product
  std::map<std::string, EntryPoints> mutants;  ///< wrong on purpose, by name; CPU executor only

  /// The product's entry points, or the mutant's that the Case names.
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

/// The kernels that a program knows: a value, made by its main.
class Catalog {
 public:
  explicit Catalog(std::vector<Kernel> kernels) : kernels_(std::move(kernels)) {}

  const std::vector<Kernel>& kernels() const { return kernels_; }
  /// For parse_case.
  std::vector<SchemaPtr> schemas() const;

  /// Throw UsageError for an unknown word.
  const Kernel& named(const std::string& word) const;
  const Kernel& of(const Case& c) const { return named(c.word()); }

 private:
  std::vector<Kernel> kernels_;
};

/// The kernels of this tree. The key `mutant` of each schema lists those of `mutants`.
Catalog catalog(const Mutants& mutants = {});

/// What a run left behind: outputs, buffers after the run and gradients by name, and what was found
/// wrong with the run itself (guard bands, inputs that changed, the executor's findings).
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

/// Whether a run keeps its tensors, or their digests alone: large ones take much memory.
enum class Keep { tensors, digests };

/// Runs forward, then backward where the claim asks for it, on poisoned memory of the back-end with
/// guard bands and on a stream of the run's own. Backward gets the statistics that forward saved,
/// and a workspace that nobody wrote to. Findings never throw here; a missing device throws
/// simt::NoDevice, one that is too small simt::NoRoom.
KernelRun run_kernel(const Kernel& kernel, const Case& c, const Claim& claim, const Tensors& inputs,
                     const Execution& execution, Keep keep = Keep::tensors);

}  // namespace gradproof
