// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simt {

/// While it lives, launches of this thread in the executor run one block after the other, and two
/// blocks that change one byte of global memory are the finding `race`. A launch with atomic
/// operations is not reported, because with them a kernel can order its blocks (by a lock, or by
/// counting down to the last block). A launch with too many bytes to compare is not examined.
class RaceScope {
 public:
  RaceScope();
  ~RaceScope();
  RaceScope(const RaceScope&) = delete;
  RaceScope& operator=(const RaceScope&) = delete;
};

}  // namespace simt
