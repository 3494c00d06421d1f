// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/exhaustive/run.h"

namespace gradproof {

/// One kernel in one dtype over all its settings.
struct ExhaustiveTable {
  std::string kernel;  ///< with /MUTANT where there is one
  DType dtype = DType::f32;
  std::vector<Region> regions;
  ByTensor found;
};

/// One line for each tensor, which says how far the setting went, and one line for its fault.
std::vector<std::string> setting_lines(const SettingRun& run, bool json);

/// One line for each region of each tensor, below a line of headings unless it is JSON.
std::vector<std::string> table_lines(const ExhaustiveTable& table, bool json);

/// The text; with `json`, an object that has the text under this key.
std::string plain_line(const std::string& key, const std::string& text, bool json);

}  // namespace gradproof
