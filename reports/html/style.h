// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gradproof {

/// The stylesheet of the HTML report: light, dark (prefers-color-scheme) and print. Every colour is
/// a variable with a value for light and one for dark; a test computes the contrast of all texts.
std::string stylesheet();

}  // namespace gradproof
