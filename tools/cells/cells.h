// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/protocol/channel.h"
#include "judge/systems.h"
#include "reports/runs/found_cell.h"

namespace gradproof {

/// A piece of a verb's work, with a name that identifies it completely.
struct Cell {
  std::string name;
  double cost = 1;  ///< estimated, beside that of the verb's other cells
};

/// A verb that can be cut into cells, with its request. Cells do not know of each other; the
/// findings of all of them, on whichever machines they ran, give the verb's own answer.
class CellVerb {
 public:
  virtual ~CellVerb() = default;

  /// The cells in the order in which the verb would do them.
  virtual std::vector<Cell> cells() const = 0;
  /// True where several cells may run at once, each on a thread.
  virtual bool runs_in_parallel() const = 0;
  /// The findings of one cell, as text that sum() reads. Throws UsageError for an unknown name.
  virtual std::string run(const std::string& cell) const = 0;
  /// Sends the verb's lines and returns its exit code; `found` has every cell's findings, in order.
  virtual int sum(const std::vector<std::string>& found, double seconds) const = 0;
};

/// Each of these functions throws UsageError for a request that is not possible.
std::unique_ptr<CellVerb> exhaustive_cells(const Systems& systems, const ExhaustiveRequest& request,
                                           WorkerChannel& channel);
std::unique_ptr<CellVerb> calibrate_cells(const Systems& systems, const CalibrateRequest& request,
                                          WorkerChannel& channel);
std::unique_ptr<CellVerb> search_cells(const Systems& systems, const SearchRequest& request,
                                       WorkerChannel& channel);

}  // namespace gradproof
