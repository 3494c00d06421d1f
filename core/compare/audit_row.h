// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/verdict.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The phase of an audit. A crash in the phase `kernel` is the kernel's own.
enum class AuditPhase { kernel, differences, witnesses };
std::string_view name_of(AuditPhase phase);
/// Throws InstrumentError for a word that names no phase.
AuditPhase parse_audit_phase(std::string_view word);

/// One point of the step sweep: for central differences of order 2, 4 and 6 the worst relative
/// error over the sampled entries, against the gradient that is claimed and against the same
/// difference at twice the step (which knows nothing of the claim).
struct SweepPoint {
  int log2_step = 0;  ///< over the scale on which the value changes
  std::array<double, 3> error{};
  std::array<double, 3> own{};
};

/// The witnesses that are asked about a gradient in addition to the differences.
enum class Witness {
  kernel,
  libtorch,
  dual_numbers,
  second_order,     ///< the adjoint's derivative by the tensor's entries
  second_order_dy,  ///< the adjoint's derivative by dy
  numbers           ///< gradients that were given as numbers
};
/// The name: kernel, LibTorch, dual numbers, second order, "second order, dy", numbers.
std::string_view name_of(Witness witness);
/// Throws InstrumentError for a name of no witness.
Witness parse_witness(std::string_view name);

/// False for dual numbers, which count units, and second order, which counts terms.
bool counts_entries(Witness witness);

/// The finding of a witness about the adjoint.
enum class WitnessVerdict { agrees, wrong, mistrusted, silent };
std::string_view name_of(WitnessVerdict verdict);
/// Throws InstrumentError for a name of no verdict.
WitnessVerdict parse_witness_verdict(std::string_view name);

/// The finding of another witness on the same tensor.
struct AuditWitness {
  Witness name = Witness::kernel;
  WitnessVerdict verdict = WitnessVerdict::silent;
  double digits = std::numeric_limits<double>::quiet_NaN();  ///< of agreement with the adjoint
  double ratio = std::numeric_limits<double>::quiet_NaN();   ///< largest error/bound
  std::int64_t wrong = 0;                                    ///< entries over their bound
  std::vector<std::int64_t> entries;                         ///< the worst of them, worst first
  std::string text;                                          ///< the diagnosis, or why it is silent
};

/// The reasons why an entry stays open (docs/audit.md), in the order in which a row names them.
enum class OpenReason {
  cancellation,  ///< rounding hides the wanted digits in the last arithmetic too
  domain,        ///< L has no value beside the number
  kink,          ///< the slopes left and right differ
  not_finite,    ///< L is NaN or Inf before anything is moved
  saturation,    ///< no move changes L, and the claim is a number
  too_fine,      ///< differences grow down to the finest step, or agree at no step
};
/// One word, followed, where it needs one, by a colon and an explanation.
std::string_view name_of(OpenReason reason);
/// Throws InstrumentError for a text of no reason.
OpenReason parse_open_reason(std::string_view name);

/// The entries that stay open for one reason.
struct Inconclusive {
  OpenReason reason = OpenReason::cancellation;
  std::int64_t entries = 0;
  std::int64_t first = 0;  ///< the first of them
};

/// The measurements of one gradient tensor against central differences of the value, entry by
/// entry.
struct AuditFigures {
  std::int64_t entries = 0;  ///< audited; fewer than the shape has where sampled
  double digits = 0;         ///< -log10 of the worst error, relative as docs/audit.md says
  double median_digits = 0;
  double estimate = 0;           ///< digits to which the differences agree with themselves, worst
  std::int64_t worst_index = 0;  ///< row-major
  double worst_difference = 0;   ///< the finite difference there
  double worst_adjoint = 0;      ///< the adjoint there
  int order = 4;                 ///< of the central difference
  int log2_step = 0;   ///< the step taken over the scale on which the value changes; x+-h is exact
  std::string reach;   ///< the outputs that an entry changes: itself, column, group, all
  std::string method;  ///< direct, together, statistics
  std::string arithmetic;                   ///< double-double, triple-double, 50 digits
  std::int64_t escalated = 0;               ///< entries done again in the next arithmetic
  std::int64_t wrong = 0;                   ///< entries whose difference contradicts the adjoint
  std::vector<std::int64_t> wrong_entries;  ///< the first of them
  std::vector<Inconclusive> inconclusive;
  std::vector<SweepPoint> sweep;
  std::vector<AuditWitness> witnesses;
};

/// The differences' audit of one gradient tensor: the oracle's result before any other witness is
/// asked.
struct AuditRow : AuditFigures {
  std::string tensor;  ///< d_x, d_weight, ...
  Shape shape;
  double seconds = 0;                       ///< processor time
  Outcome verdict = Outcome::inconclusive;  ///< certified, wrong or inconclusive
  std::string reason;
};

}  // namespace gradproof
