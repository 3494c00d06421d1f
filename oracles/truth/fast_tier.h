// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "core/compare/comparison.h"
#include "oracles/pipeline/stage.h"
#include "oracles/truth/ball.h"
#include "oracles/truth/stored_rounding_text.h"

namespace gradproof {

/// What is asked of every unit about one tensor.
struct Output {
  enum class Part { y, input_gradient, side_value, parameter_gradient };

  Part part = Part::y;
  std::size_t place = 0;  ///< of a side value in CompiledPipeline::sides, of a gradient in
                          ///< CompiledPipeline::numbers
  StoredType type;
  bool summed = false;  ///< a gradient that is added up over units: not ruled on here
};

/// A unit's numbers, one after the other. What a matrix's elements are off by, where they are not
/// exact (oracle.h, Inexact); nullptr: nothing.
struct UnitNumbers {
  struct Matrix {
    const double* numbers = nullptr;
    const double* radius = nullptr;
    const double* error = nullptr;
  };

  std::int64_t count = 0;
  Matrix x;
  Matrix dy;
  std::optional<Statistics<double>> given;

  bool exact() const { return x.radius == nullptr && dy.radius == nullptr; }
};

/// One number of a gradient that is added up over units: the truth, and the fields of ErrorSum.
struct UnitSum {
  bool has_truth = false;
  Ball truth;
  double value = 0;
  double error = 0;
  double magnitude = 0;
  double finite = 0;
  bool vacuous = false;
  bool overflow = false;
};

/// What a tier is made for; all of it must outlive it.
struct TierSetting {
  const Claim& claim;
  const CompiledPipeline& compiled;
  const std::vector<Output>& asked;
};

/// Truth and bound of one unit after the other: the truth in double-double with certified radii,
/// what it cannot decide, an overflow or a NaN among it, with an infinite radius; the bound in the
/// contract's error arithmetic. Both in vectors of as many numbers as the instruction set has.
class FastTier {
 public:
  explicit FastTier(const TierSetting& setting);
  virtual ~FastTier();
  FastTier(const FastTier&) = delete;
  FastTier& operator=(const FastTier&) = delete;

  /// Parameters, whenever they change and before the first unit.
  virtual void take_numbers(const Unit<double>& numbers) = 0;

  /// Rules on everything that is asked; whether all of it is decided (exact numbers), or at least
  /// not infinitely far from it (inexact ones: 50 digits would not know more).
  virtual bool judge(const UnitNumbers& unit) = 0;

  /// The roundings on the last unit, by question; none for what is summed.
  const Truths& truths(std::size_t question) const { return truths_[question]; }

  /// What they are made of: so many numbers, truth and bound of each.
  virtual std::size_t count(std::size_t question) const = 0;
  virtual void balls(std::size_t question, Ball* into) const = 0;
  virtual void permitted(std::size_t question, Permitted* into) const = 0;

  /// Adds the last unit's gradients to the sums, with the truth or the bound alone.
  virtual void add(bool with_truth) = 0;
  /// What was added since, count() numbers; and begins again. False where nothing was.
  virtual bool take_sums(std::size_t question, UnitSum* into) = 0;

 protected:
  TierSetting setting_;
  std::vector<Truths> truths_;
};

/// The same text in several compilations: for any CPU; on x86 also for one with AVX2 and FMA, and
/// for one with AVX-512 F, DQ and VL. Results may differ within their radii.
struct TierKind {
  const char* name;
  bool runs_here;
  std::unique_ptr<FastTier> (*make)(const TierSetting&);
};

/// All that are compiled in, the fastest last.
std::vector<TierKind> tier_kinds();

/// The fastest one that this CPU can run.
std::unique_ptr<FastTier> fast_tier(const TierSetting& setting);

std::unique_ptr<FastTier> fast_tier_baseline(const TierSetting& setting);
std::unique_ptr<FastTier> fast_tier_fma(const TierSetting& setting);
std::unique_ptr<FastTier> fast_tier_avx512(const TierSetting& setting);

}  // namespace gradproof
