// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "core/compare/comparison.h"
#include "core/instruction_set.h"
#include "oracles/pipeline/stage.h"
#include "oracles/truth/ball.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {

/// One judged tensor: which result of a unit its elements are.
struct Output {
  enum class Part { y, input_gradient, side_value, parameter_gradient };

  Part part = Part::y;
  /// Index of a side value in CompiledPipeline::sides, of a gradient in CompiledPipeline::numbers.
  std::size_t slot = 0;
  StoredType type;
  bool summed = false;  ///< a gradient that is added up over units: its bound follows later
};

/// The elements of one unit, contiguous. `radius` and `error` say by how much the elements of an
/// inexact matrix may be off (Inexact in oracle.h); nullptr: they are exact.
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

/// One element of a gradient that is added up over units: the truth, and the fields of ErrorSum.
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

/// What a tier is constructed for. The tier refers to all of it.
struct TierSetting {
  const Claim& claim;
  const CompiledPipeline& compiled;
  const std::vector<Output>& outputs;
};

/// Truth and bound of one unit after the other. The truth is computed in double-double with a
/// certified radius, which is infinite where the value is not known (an overflow, a NaN). The bound
/// is computed in the contract's error arithmetic. Both use vectors as wide as the instruction set.
class FastTier {
 public:
  explicit FastTier(const TierSetting& setting);
  virtual ~FastTier();
  FastTier(const FastTier&) = delete;
  FastTier& operator=(const FastTier&) = delete;

  /// Takes the parameters: before the first unit, and whenever they change.
  virtual void take_numbers(const Unit<double>& numbers) = 0;

  /// Evaluates a unit. Returns whether every element is decided: radius <= 2^-12 bound or radius 0.
  /// For inexact inputs: whether every radius is finite, as 50 digits could not make it smaller.
  virtual bool judge(const UnitNumbers& unit) = 0;

  /// Truths of one output in the last unit; empty for an output that is summed.
  const Truths& truths(std::size_t output_index) const { return truths_[output_index]; }

  /// How many elements the output has in a unit; their truths and permitted errors before storage.
  virtual std::size_t count(std::size_t output_index) const = 0;
  virtual void balls(std::size_t output_index, Ball* into) const = 0;
  virtual void permitted(std::size_t output_index, Permitted* into) const = 0;

  /// Adds the last unit's summed gradients: truth and bound, or the bound alone.
  virtual void add(bool with_truth) = 0;
  /// Writes count() sums of one output and sets them back to 0. False where nothing was added.
  virtual bool take_sums(std::size_t output_index, UnitSum* into) = 0;

 protected:
  TierSetting setting_;
  std::vector<Truths> truths_;
};

/// Each compilation of packed_tier.cpp defines that of its instruction set. Results of different
/// compilations may differ within their radii.
template <InstructionSet set>
std::unique_ptr<FastTier> packed_tier(const TierSetting& setting);

using TierCompilation = Compilation<std::unique_ptr<FastTier> (*)(const TierSetting&)>;
std::vector<TierCompilation> tier_compilations();

/// A tier of the widest compilation that this CPU can run.
std::unique_ptr<FastTier> fast_tier(const TierSetting& setting);

}  // namespace gradproof
