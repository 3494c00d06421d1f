// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <gtest/gtest.h>

/// What tests ask of a text, and what they change in it.
namespace gradproof {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The text with the first `from` replaced, which must be there.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace gradproof
