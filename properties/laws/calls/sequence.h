// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "properties/laws/trial.h"

namespace gradproof {

/// The words of the key `calls`: train and eval are calls on fresh x and dy, load puts other
/// parameters and running statistics in place, copy goes on in other memory.
const std::vector<std::string>& sequence_words();

/// The words of the Case's key `calls`; if it has none, a sequence with each word. Throws
/// UsageError with the word that is unknown.
std::vector<std::string> sequence_of(const Case& c);

/// The Case that a word of the sequence calls; nothing for load and copy, and if the Case is
/// refused in that mode.
std::optional<Case> case_of_call(const Case& c, const std::string& word);

/// The numbers of call k: `others` with the call's own x and dy or, if `loaded`, with its own
/// parameters and buffers.
Tensors numbers_of_call(const Trial& t, std::int64_t k, bool loaded, Tensors others);

}  // namespace gradproof
