// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/draw.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The most elements of a Case that a search sets: the Case stays a line that can be read.
inline constexpr std::size_t kMostSet = 8;

/// A neighbour of the Case in what its tensors hold: one element of one of its `inputs` changed by
/// the key `set`, in place of another one where kMostSet are set. The new number is the old one
///   - some units in the last place up or down, few or as many as its significand has,
///   - with the other sign, twice it, half of it,
///   - the nearest power of two or a neighbour of that, where the spacing of numbers changes,
/// or made of another element of the tensor: the same, its negative (they cancel), or half a unit
/// in its last place (their sum is a tie). The Case itself where there is no element.
Case with_changed_element(const Case& c, const Tensors& inputs, const RandomBits& next);

}  // namespace gradproof
