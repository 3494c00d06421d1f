// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gradproof {

/// The parts of a line between " | ". A Case has no blank beside a bar.
std::vector<std::string> split_fields(std::string line);

/// The text after a word and a blank; throws UsageError where the line starts otherwise.
std::string text_after(const std::string& word, const std::string& line);

/// The number after a word and a blank. Throws UsageError for another word, for what is no number,
/// and for NaN: it would not equal itself, and text and value are inverse.
double number_after(const std::string& word, const std::string& line);

}  // namespace gradproof
