// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <span>
#include <string_view>

#include "core/claim/pipeline.h"

namespace gradproof {

/// What a stage normalises over: the numbers of one unit, which then all depend on each other.
enum class Normalises { nothing, column, group };

/// When the adjoint of a stage depends on the stage's input. A stage whose adjoint never does is
/// affine in its input.
enum class Curved { never, with_own_statistics, always };

/// For which parameters, beside inputs of 16 bits, LibTorch's operator of the stage keeps a
/// contract that ours can say.
enum class LibTorch16 { any_parameters, same_type, float32_parameters };

/// A number that leaves a stage without effect; kNoIdentity where there is none.
inline constexpr double kNoIdentity = std::numeric_limits<double>::quiet_NaN();

/// A tensor that a stage takes beside the value that runs through it, in the order of
/// Step::parameters.
struct StageParameter {
  std::string_view name = {};  ///< empty: the kernel names it ("bias", "multiply")
  double identity = kNoIdentity;
  bool multiplies = false;     ///< the adjoint has it as a factor
  bool differentiable = true;  ///< it has a gradient
  bool running = false;        ///< a running statistic: used in evaluation, moved in training
};

/// A number that a stage takes, in the order of Step::scalars.
struct StageScalar {
  std::string_view key;  ///< of the Case line that says it
  double identity = kNoIdentity;
};

/// All that is said of a kind of stage beside its formulas (oracles/pipeline/stages). Whoever asks
/// what a stage is asks here, so that a new stage is known to everybody once it has its row.
struct StageTraits {
  StageKind kind;
  std::string_view name;  ///< "BatchNorm"
  Normalises normalises = Normalises::nothing;
  Curved curved = Curved::never;
  bool takes_exp = false;  ///< its error has the contract's exp_error
  std::span<const StageParameter> parameters = {};
  std::span<const StageScalar> scalars = {};
  /// The value of `in` and the cotangent for `g`, for people; "{0}" is the first parameter or
  /// scalar. Empty for a norm, whose words depend on the contract (oracles/explain/messages.cpp).
  std::string_view formula = {};
  std::string_view adjoint = {};
  LibTorch16 libtorch_16 = LibTorch16::any_parameters;
  /// What its parameter or scalar takes in turn in an exhaustive run; the first changes nothing.
  /// An empty text: as it is drawn.
  std::span<const std::string_view> exhaustive = {};

  bool is_norm() const { return normalises != Normalises::nothing; }
  bool has_running_statistics() const;
  /// Whether the adjoint depends on the input, where a norm has its own statistics or not.
  bool is_curved(bool own_statistics) const;
};

/// One row for each kind, in the order of StageKind.
std::span<const StageTraits> all_stages();

/// Throws InstrumentError for a kind without a row.
const StageTraits& traits_of(StageKind kind);
inline const StageTraits& traits_of(const Step& step) { return traits_of(step.kind); }

}  // namespace gradproof
