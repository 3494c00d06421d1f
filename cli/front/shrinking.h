// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/process/session.h"
#include "core/case/case.h"

namespace gradproof {

/// The limits on the work of making a failing Case simpler.
struct ShrinkBudget {
  int steps = 200;
  double seconds = 30;
};

struct Shrunk {
  Case smallest;
  int steps = 0;  ///< worker requests that it took
  double seconds = 0;
  bool spent = false;      ///< the budget ended it: a simpler Case may fail as well
  bool came_again = true;  ///< else the failing Case passed when asked again; no other was asked
};

/// A simpler Case on which the same tensor has the same verdict, one worker request a step. The
/// first step asks about the failing Case itself: if it passes now, no simpler one would fail.
Shrunk shrink_failure(Session& session, const Case& failing, const Record& failure,
                      const ShrinkBudget& budget);

}  // namespace gradproof
