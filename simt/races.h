// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simt {

/// While it lives, launches of this thread in the executor run one block after the other, and two
/// blocks that change one byte of global memory are the finding `race`. A launch with atomic
/// operations is not reported: with them a kernel can order its blocks, as a lock does or who
/// counts down to the last one. Nor is one looked at of which too much would have to be compared.
class RaceScope {
 public:
  RaceScope();
  ~RaceScope();
  RaceScope(const RaceScope&) = delete;
  RaceScope& operator=(const RaceScope&) = delete;
};

}  // namespace simt
