// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>

#include "core/compare/discrepancy.h"
#include "core/compare/verdict.h"

namespace gradproof {

/// The reasons why no inputs of these sizes make a pass prove more of a tensor than that it is in
/// its bound: the line gives the truth. Numbers that happen to be small are never such a reason.
enum class KnownTruth {
  no_elements,  ///< there is nothing to be wrong
  vanishes,     ///< a gradient that is 0: what it belongs to leaves no trace in an output
  constant      ///< one number in all elements, whatever it is
};

/// The name: "no elements", "vanishing by mathematics" or "constant by mathematics".
std::string_view name_of(KnownTruth known);
/// Throws InstrumentError for a name of no reason.
KnownTruth parse_known_truth(std::string_view name);

/// The verdict on a tensor whose truth may be known: a pass that proves little because zeros would
/// pass, or one constant, is a pass where that is the right answer. A bound that is infinite
/// remains a doubt, and beside a constant that is not 0 a wide one does, because others would pass.
Verdict with_known_truth(const Verdict& verdict, const Discrepancy& found,
                         std::optional<KnownTruth> known);

}  // namespace gradproof
