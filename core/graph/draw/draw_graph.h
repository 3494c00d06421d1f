// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gradproof {

/// The Case line of a random graph of one to six steps, with small extents, types, fills and
/// cotangents: a pure function of seed and number. Every stage comes, with tensors and numbers for
/// its operands; values are used once or twice. A drawn line may be refused where groups do not
/// divide an axis or a window is wider than its axis: then the next number is asked.
std::string drawn_graph_case(std::uint64_t seed, std::uint64_t number);
/// The function draws a graph with an axis of 64 to 4095 numbers, whose sums have likely errors,
/// and from more fills.
std::string drawn_long_graph_case(std::uint64_t seed, std::uint64_t number);

}  // namespace gradproof
