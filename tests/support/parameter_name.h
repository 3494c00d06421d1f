// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cctype>
#include <string>

#include <gtest/gtest.h>

namespace gradproof {

/// The name of a test with a parameter: the letters and digits of the parameter's text, `_` between
/// them. Where the text would be the bytes of an object, the type needs a PrintTo.
template <class T>
std::string parameter_name(const testing::TestParamInfo<T>& info) {
  std::string name;
  for (const char c : testing::PrintToString(info.param))
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  while (name.ends_with('_')) name.pop_back();
  return name;
}

}  // namespace gradproof
