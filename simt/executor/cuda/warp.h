// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "simt/executor/runtime.h"

namespace simt::executor {

/// The meeting place of the lanes that name one mask. Each lane puts its value on the open page and
/// waits; the last one turns the page, and each reads what it wants from the closed page. A lane is
/// at most one meeting ahead of the others, so two pages are enough.
struct Board {
  std::uint32_t mask = 0;
  std::uint32_t arrived = 0;  ///< lanes that wait here
  Op op = Op::none;           ///< of the first to arrive, and where
  std::uint8_t first_lane = 0;
  std::uint8_t bytes = 0;
  std::uint8_t open = 0;
  Where where;
  Page pages[2];

  Page& open_page() { return pages[open]; }
  bool in_use() const { return arrived != 0 || pages[0].unread != 0 || pages[1].unread != 0; }
};

/// The live lanes of a warp and its boards, one for each mask that is in use at a time.
class Warp {
 public:
  std::uint32_t alive = 0;

  void begin(std::uint32_t lanes) {
    alive = lanes;
    for (Board& board : boards_)
      board.mask = board.arrived = board.pages[0].unread = board.pages[1].unread = 0;
  }
  Board& board(std::uint32_t mask) {
    if (recent_ && recent_->mask == mask) return *recent_;
    recent_ = &find(mask);
    return *recent_;
  }
  std::deque<Board>& boards() { return boards_; }

 private:
  Board& find(std::uint32_t mask) {
    for (Board& board : boards_) {
      if (board.mask == mask) return board;
    }
    for (Board& board : boards_) {
      if (board.in_use()) continue;
      board.mask = mask;
      return board;
    }
    Board& board = boards_.emplace_back();
    board.mask = mask;
    board.pages[0].unread = board.pages[1].unread = 0;
    return board;
  }

  std::deque<Board> boards_;  // a waiting lane keeps a reference
  Board* recent_ = nullptr;
};

}  // namespace simt::executor
