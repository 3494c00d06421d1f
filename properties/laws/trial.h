// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "kernels/kernel.h"
#include "properties/laws/axes.h"
#include "properties/laws/estimate.h"
#include "properties/laws/law.h"

namespace gradproof {

/// One run of the kernel: the Case's claim, the numbers that it was given and those that it left.
class LawRun {
 public:
  LawRun(Case c, Claim claim, Tensors inputs, KernelRun left);

  const Case& c() const { return c_; }
  const Claim& claim() const { return claim_; }
  const Tensors& inputs() const { return inputs_; }
  const Tensor& given(const std::string& name) const { return get(inputs_, name); }
  const Tensor& left(const std::string& name) const { return get(left_.tensors, name); }
  const std::map<std::string, std::string, std::less<>>& digests() const { return left_.digests; }

  /// The numbers that the run left, within the contract's bounds on these inputs.
  const Estimate& near(const std::string& name) const;
  /// Outputs, gradients and buffers that the Case asks for, in the claim's order, without what a
  /// user's own kernel saves for itself, of which nothing is known.
  std::vector<TensorSpec> results() const;

 private:
  Answers bounds() const;

  Case c_;
  Claim claim_;
  Tensors inputs_;
  KernelRun left_;
  mutable std::map<std::string, Estimate, std::less<>> estimates_;  ///< filled at the first use
};

/// Runs the kernel on one Case, and compares what it gave with what a law asks for. A run with a
/// finding of the executor ends the law with a conviction; inputs that are not finite end it too,
/// with a verdict that proves nothing.
class Trial {
 public:
  Trial(const Kernel& kernel, const Case& c);

  const Kernel& kernel() const { return kernel_; }
  const Case& c() const { return c_; }
  const Claim& claim() const { return claim_; }
  const Tensors& inputs() const { return inputs_; }
  std::uint64_t seed() const { return seed_of(c_); }
  /// A number from 0 to count - 1 that depends on the seed.
  std::int64_t any_of(std::int64_t count) const {
    return static_cast<std::int64_t>(seed() % static_cast<std::uint64_t>(count));
  }

  /// The Case's back-end and schedule, on as many cores as this thread may take.
  Execution execution() const;
  /// Runs the kernel on the Case's inputs: one run, however often it is asked for.
  const LawRun& run();
  /// Runs the kernel on other numbers.
  LawRun run(const Tensors& inputs) const { return run(c_, inputs); }
  /// Runs another Case of the kernel.
  LawRun run(const Case& c, const Tensors& inputs) const;
  /// Runs the kernel on numbers that need not be finite.
  LawRun run_nonfinite(const Tensors& inputs) const;
  /// Runs the kernel on these rows of the inputs.
  LawRun run_rows(const Places& rows) const;
  /// Runs forward alone.
  LawRun run_forward() const;
  /// Runs the kernel by `call`, in another way than run_kernel() does.
  LawRun run_by(const std::function<KernelRun(const Execution&)>& call) const;

  /// Expects that the two are no further apart than their errors allow.
  void expect_near(const std::string& quantity, const Estimate& got, const Estimate& want);
  /// Expects numbers within their errors, which proves something if an error is below `size`.
  void expect_zero(const std::string& quantity, const Estimate& got,
                   const std::vector<long double>& size);
  /// Expects equal numbers; -0 equals 0. Nothing is said where the bound of `within` is infinite.
  void expect_equal(const std::string& quantity, const Tensor& got, const Tensor& want,
                    const Estimate& within);
  /// Expects equal bits.
  void expect_bits(const std::string& quantity, const Tensor& got, const Tensor& want);
  /// Expects equal bits of all results that both runs have.
  void expect_same_results(const std::string& when, const LawRun& got, const LawRun& want);
  /// Expects `is_so`; `otherwise` says what is wrong.
  void expect(const std::string& quantity, bool is_so, const std::string& otherwise);

  std::vector<Finding> findings() && { return std::move(findings_); }

 private:
  void add(const std::string& quantity, const Shape& shape, Discrepancy d, Verdict verdict,
           const std::string& why);

  const Kernel& kernel_;
  Case c_;
  Claim claim_;
  Tensors inputs_;
  std::unique_ptr<LawRun> run_;
  std::vector<Finding> findings_;
};

/// Ends a law with a finding of its own.
struct LawEnds {
  Finding finding;
};

/// True if all numbers are finite: in half precision a fill may overflow.
bool all_finite(const Tensors& inputs);

/// A copy of the inputs in which each number of the tensor is f(number, index), rounded to its
/// type.
Tensors changed(Tensors inputs, const std::string& name,
                const std::function<double(double, std::int64_t)>& f);
/// A change of changed(): the other sign.
inline double negated(double number, std::int64_t) { return -number; }
/// A copy of the inputs in which `f` changes each number of all cotangents of the claim.
Tensors changed_cotangents(const Claim& claim, Tensors inputs,
                           const std::function<double(double, DType)>& f);

}  // namespace gradproof
