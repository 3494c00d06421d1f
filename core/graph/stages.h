// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/graph/tensor_part.h"

namespace gradproof {

/// The relation between the axes of a stage's operands and those of its value.
///   elementwise  each element of the value from one of each operand; axes of all, by name
///   normalises   the value has the operand's axes; numbers along the stage's axes are coupled
///   reduces      the value lacks the stage's axes
///   slides       a window along the stage's axes, which have successors in the value
///   selects      reduces the last axis by the labels there, and means over all others
///   turns        the two halves of the last axis are rotated against each other
///   contracts    sums products with a second operand over the stage's axes, which both have; the
///                value has all their other axes, joined by name
///   moves        each element of the value is one of an operand's, or 0; axes that the text names
///                last, which the stage makes, stand in the place of those that it works over
///   scans        the value has the operand's axes; along the stage's axis each number is made of
///                those up to it
///   sorts        the value has the operand's axes, and along the stage's axis its numbers in order
enum class StageForm {
  elementwise,
  normalises,
  reduces,
  slides,
  selects,
  turns,
  contracts,
  moves,
  scans,
  sorts
};

/// The axes that a stage works over where the text names none.
///   none      it has none
///   last      the operand's last
///   said      the text must name them
///   rest      all but the channel axis, the second one: (rows) of a matrix, (n, h, w) of images
///   spatial   those behind the channel axis
///   group     the channel axis in groups, and those behind it
enum class StageAxes { none, last, said, rest, spatial, group };

/// The axes of a tensor where the text does not say them.
///   first    those of the first operand
///   channel  the channel axis: the second one, of a vector its only one
///   over     those that the stage works over
///   labels   those of the first operand but the last
///   tail     the first operand's last two
///   matrix   one of its own, `out`, and the first operand's last
///   made     the matrix's first
///   any      those that the text must say
///   others   those of the first operand but those that the stage works over
///   some     those of the first operand, or some of them
///   filter   of a convolution: `out`, the channel axis (of groups of channels `in`), and a window
///            along each axis behind it; a transposed one has the first two exchanged
enum class OperandAxes {
  first,
  channel,
  over,
  labels,
  tail,
  matrix,
  made,
  any,
  others,
  some,
  filter
};

/// The statistics with which a norm standardises what it takes.
///   none   the stage is no norm
///   own    the mean and variance of what it takes, over its axes; of rms_norm the mean square
///   given  those that are its operands
enum class StageStatistics { none, own, given };

/// The parameters with which, on inputs of 16 bits, LibTorch's operator of the stage keeps a
/// contract that gradproof's contracts can say.
enum class LibTorch16 { any_parameters, same_type, float32_parameters };

/// A number that leaves a stage without effect; kNoIdentity where there is none.
inline constexpr double kNoIdentity = std::numeric_limits<double>::quiet_NaN();

/// An operand of a stage. A stage has its operands in order, and the first one runs through it. The
/// fields about a derivative hold with respect to this operand alone.
struct StageOperand {
  std::string_view word;
  OperandAxes axes = OperandAxes::first;
  TensorPart part = TensorPart::input;  ///< of a tensor that stands there
  bool optional = false;
  bool number = false;            ///< a number may stand there
  bool curved = false;            ///< its derivative depends on it: the stage is not affine in it
  bool subtracted = false;        ///< it is taken off the first operand
  bool multiplies = false;        ///< the first operand's derivative has it as a factor
  bool detached = false;          ///< nothing goes back to it; a tensor that stands there is fixed
  double identity = kNoIdentity;  ///< where it is this everywhere, the value is the first operand
  /// The texts that the operand takes in turn in an exhaustive run; the first changes nothing. An
  /// empty text leaves the operand as it is drawn.
  std::span<const std::string_view> exhaustive = {};

  bool is_running() const {
    return part == TensorPart::running_mean || part == TensorPart::running_variance;
  }
};

inline constexpr double kNoDefault = std::numeric_limits<double>::quiet_NaN();

/// The largest whole number of an option. It is more than an axis in memory has, and so small that
/// sums and products of a few such numbers are whole numbers too.
inline constexpr double kMostWhole = 2147483647;

struct StageOption {
  std::string_view key;
  double initial = kNoDefault;  ///< NaN: the text must say it, or it is a word
  double minimum = -std::numeric_limits<double>::infinity();
  bool whole = false;                            ///< at most kMostWhole then
  bool each_axis = false;                        ///< one for all axes, or one for each: 2x1
  bool infinite = false;                         ///< it may be an infinity
  std::string_view at_most = {};                 ///< the option that it may not exceed
  std::span<const std::string_view> words = {};  ///< the first is the default
  double identity = kNoIdentity;
};

/// The option that says what is made of a row of nothing but -Inf (core/graph/options.h).
inline constexpr std::string_view kEmpty = "empty";

/// The options of a convolution, as torch has them.
inline constexpr std::string_view kStride = "stride";
inline constexpr std::string_view kPadding = "padding";
inline constexpr std::string_view kDilation = "dilation";
inline constexpr std::string_view kChannelGroups = "groups";
inline constexpr std::string_view kMorePadding = "output_padding";

inline constexpr std::size_t kMany = 32;

/// The axes that the text says of a stage that moves: those that the stage works over, then those
/// that it makes.
struct StageMove {
  std::size_t least = 1;  ///< axes that it works over, and the most of them
  std::size_t most = 1;
  std::size_t makes = 0;  ///< axes that it makes
  bool is_named = true;   ///< the text must name them; else one has the name of a successor
  bool adds = false;      ///< the value's numbers are sums of those that come to one place
};

/// All that is said of a stage beside its formulas (oracles/graph, oracles/pipeline): whoever asks
/// what a stage is asks here, so that a new stage is known to everybody once it has its row.
struct GraphStage {
  std::string_view word;
  std::string_view synonym = {};
  StageForm form = StageForm::elementwise;
  std::span<const StageOperand> operands = {};
  StageAxes axes = StageAxes::none;
  std::span<const StageOption> options = {};
  StageStatistics statistics = StageStatistics::none;
  /// True if nothing changes where a constant is added to all that the stage takes together.
  bool ignores_shift = false;
  bool detached = false;    ///< nothing goes back through it
  bool of_moments = false;  ///< it reduces to a statistic that a norm keeps
  bool widens = false;      ///< a transposed convolution, whose value has the wider axes
  StageMove move = {};      ///< of a stage that moves
  std::span<const std::string_view> functions = {};  ///< elementary ones, beside + - * / and sqrt
  std::string_view kinks = {};                       ///< where it is not smooth; empty: nowhere
  double defined_from = -std::numeric_limits<double>::infinity();  ///< the least x that has a value
  LibTorch16 libtorch_16 = LibTorch16::any_parameters;
  std::string_view formula = {};  ///< the value of x (and of the other operands by name)
  std::string_view adjoint = {};  ///< for dy, of each operand that has one, `;` between them
  /// LibTorch's own word: an expression of Python, {x} and the like standing for operands, options,
  /// `shape`, `dims`, `dim` of the axes, their number `n` and einsum's `equation`
  /// (python_source.h).
  std::string_view libtorch = {};

  bool moves() const { return form == StageForm::moves; }
  /// True if a cotangent of the value goes back to the operand.
  bool goes_back(std::size_t operand) const { return !detached && !operands[operand].detached; }
  /// The operand that has labels; past the last one where there is none.
  std::size_t labels() const;
  bool takes_labels() const { return labels() < operands.size(); }
  /// True for a product over windows along axes.
  bool convolves() const { return form == StageForm::contracts && axes == StageAxes::spatial; }
  bool is_norm() const { return statistics != StageStatistics::none; }
  /// True if the adjoint of the first operand depends on that operand.
  bool is_curved() const { return operands.front().curved; }
  bool takes(std::string_view function) const;
  /// True if the stage gives a running statistic as a training step leaves it.
  bool moves_statistic() const;
  /// True if the stage has one operand beside the first, and is_factor() multiplies by the operand,
  /// is_summand() adds or subtracts it.
  bool is_factor() const;
  bool is_summand() const;
};

/// The rows of all stages, one for each stage.
std::span<const GraphStage> graph_stages();

/// The row with that word or synonym. Throws UsageError with the nearest word; `defined` are words
/// of stages beside the rows, which may be meant too.
const GraphStage& graph_stage(std::string_view word, std::span<const std::string> defined = {});
bool is_graph_stage(std::string_view word);

}  // namespace gradproof
