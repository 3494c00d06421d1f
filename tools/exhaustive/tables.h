// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/protocol/channel.h"
#include "tools/exhaustive/run.h"

namespace gradproof {

/// One kernel in one dtype, as a request for an exhaustive run wants it.
struct PlannedTable {
  std::string name;  ///< of the kernel, with /MUTANT where there is one
  const Kernel* kernel = nullptr;
  DType dtype = DType::f32;
  std::vector<Case> settings;
  std::vector<Region> regions;
  std::vector<Piece> pieces;  ///< of the request's part
  std::string share;          ///< " (part 3 of 16)", or empty
};

/// The tables that the request asks for. Throws UsageError where one of them is not possible:
/// nothing runs unless everything can.
std::vector<PlannedTable> tables_of(const Catalog& catalog, const ExhaustiveRequest& request);

/// The table's title: "swish_bias f16: 65536 inputs, 6 settings".
std::string title_of(const PlannedTable& table);

/// The lines of the table over all its settings.
std::vector<std::string> lines_of(const PlannedTable& table,
                                  const std::vector<SettingRun>& settings, bool json);

/// Sends the last lines and returns the exit code.
int show_result(const std::vector<TableRun>& tables, double seconds, bool json,
                WorkerChannel& channel);

}  // namespace gradproof
