// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/protocol/channel.h"
#include "judge/systems.h"
#include "reports/runs/found_cell.h"

namespace gradproof {

/// A piece of a verb's work, by a name that says all about it.
struct Cell {
  std::string name;
  double cost = 1;  ///< estimated, beside that of the verb's other cells
};

/// A verb that can be cut into cells, with what it was asked for: cells do not know of each other,
/// and what was found in all of them, wherever that was, gives the verb's own answer.
class CellVerb {
 public:
  virtual ~CellVerb() = default;

  /// In the order in which the verb would do them.
  virtual std::vector<Cell> cells() const = 0;
  /// Whether several may run at once, each on a thread.
  virtual bool runs_in_parallel() const = 0;
  /// What is found in one of them, as text that sum() reads. Throws UsageError for another name.
  virtual std::string run(const std::string& cell) const = 0;
  /// The verb's lines and exit code; `found` in the order of the cells, all of them.
  virtual int sum(const std::vector<std::string>& found, double seconds) const = 0;
};

/// Each throws UsageError for a request that cannot be.
std::unique_ptr<CellVerb> exhaustive_cells(const Systems& systems, const ExhaustiveRequest& request,
                                           WorkerChannel& channel);
std::unique_ptr<CellVerb> calibrate_cells(const Systems& systems, const CalibrateRequest& request,
                                          WorkerChannel& channel);
std::unique_ptr<CellVerb> search_cells(const Systems& systems, const SearchRequest& request,
                                       WorkerChannel& channel);

}  // namespace gradproof
