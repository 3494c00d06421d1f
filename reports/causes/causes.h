// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// @file
/// Records go in, causes come out.
///
/// A wrong eps in a LayerNorm makes y, d_x, d_weight and d_beta wrong, in every Case in which the
/// variance is small. These are hundreds of failing Records of one mistake. A reader wants it once,
/// with the tensor in front that shows it before any other computation could have spoiled it.
///
/// **One Case.** Its wrong tensors are put in the order in which they are computed:
///
///     execution  <  outputs  <  saved statistics and buffers  <  gradients
///
/// Outputs of a line stand in the order in which the line computes them, whatever order it
/// declares, and a candidate's buffers behind them. The Records of other Cases already have
/// outputs, then statistics, then gradients. The first of the wrong tensors is the *cause*. The
/// others *follow, or are wrong too*: a Record does not say which of the two, because gradients are
/// judged from the statistics that the kernel saved, and yet a wrong y may be written by the same
/// line that spoils them.
///
/// **The faulty part.** The cause says which part of the kernel is to be looked at:
///
///     first wrong tensor                      part
///     execution (crash, timeout, race)        execution
///     an output, a statistic, a buffer        forward
///     a gradient, every output being right    backward
///     the witnesses disagree, nothing wrong   instrument
///
/// Gradients that are wrong while every output is right leave the forward out: the backward is the
/// cause. Among gradients alone the order of computation is not known to a Record; the one with
/// the largest error/bound stands first, in the order of the Records where two are equal.
///
/// **Many Cases.** The wrong Cases of one kernel and of one faulty part are one Cause, over all
/// dtypes, modes and sizes: the most severe Case stands first and is the one to show. A kernel has
/// four Causes at most, and two as a rule. A check and an audit are not mixed, since an audit asks
/// about gradients alone. What an audit says of a Case that the check convicts too belongs into the
/// check's Cause: `reported_causes` puts it there (formats/failures.h).
///
/// **Order.** Kernels stand by their most severe Record (severity.h), the Causes of a kernel in the
/// order of FaultyPart.
///
/// Causes point into the Records, which must outlive them. Nothing here prints: the sentences are
/// in cause_text.h, so that terminal, HTML, markdown and Python say the same.

/// The parts in the order of computation.
enum class FaultyPart { execution, forward, backward, instrument };
/// The name: "execution", "forward", "backward", "instrument".
std::string_view name_of(FaultyPart part);

/// One Case in which something is wrong.
struct WrongCase {
  std::vector<const Record*> wrong;  ///< in the order of computation; never empty
  std::int64_t judged = 0;           ///< tensors of this Case, passes among them

  const Record& first() const { return *wrong.front(); }
  /// The most severe of the wrong tensors.
  const Record& worst() const;
};

/// The wrong Cases that one mistake is likely to have made.
struct Cause {
  std::string kernel;
  FaultyPart part = FaultyPart::forward;
  Measured measured = Measured::comparison;
  std::vector<WrongCase> cases;     ///< the most severe first; never empty
  std::int64_t judged_cases = 0;    ///< of the kernel, right ones among them
  std::vector<std::string> dtypes;  ///< of its wrong Cases, each once, in the order of the Records

  /// The first wrong tensor of the most severe Case.
  const Record& first() const { return cases.front().first(); }
  /// Names of the other wrong tensors of all its Cases, each once, in the order of computation.
  std::vector<std::string> followers() const;
};

/// The causes of what is wrong in a run; `records` are all of its Records, right ones too.
std::vector<Cause> causes_of(const std::vector<Record>& records);
/// The causes of what is wrong in the Records of several runs.
std::vector<Cause> causes_of(const std::vector<const Record*>& records);

/// True if the tensor is a gradient, by its name.
bool is_gradient(const Record& record);

}  // namespace gradproof
