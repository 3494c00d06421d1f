// SPDX-License-Identifier: Apache-2.0
// A warp collective is a meeting of the lanes of one warp that name one mask.
#include <bit>
#include <cstring>

#include "simt/executor/block.h"

namespace simt::executor {
namespace {

/// Copies `bytes` bytes; the compiler knows the sizes of the types that kernels shuffle.
void copy_value(std::byte* to, const void* from, unsigned bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

std::string hex(unsigned mask) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[mask >> shift & 15];
  return text;
}

}  // namespace

Exchange Block::exchange(Op op, unsigned mask, const void* value, unsigned bytes, Where where) {
  const ThreadIndex me = prepare_to_wait(op, where);
  const unsigned lane = me % 32;
  if ((mask >> lane & 1) == 0) return alone(me, op, value, bytes, false, where, mask);
  Board* board = nullptr;
  Page& page = open_page(me, op, mask, bytes, where, board);
  copy_value(page.values + lane * bytes, value, bytes);
  return meet(me, *board, page);
}

Exchange Block::vote(Op op, unsigned mask, bool predicate, Where where) {
  const ThreadIndex me = prepare_to_wait(op, where);
  const unsigned lane = me % 32;
  if ((mask >> lane & 1) == 0) return alone(me, op, nullptr, 0, predicate, where, mask);
  Board* board = nullptr;
  Page& page = open_page(me, op, mask, 0, where, board);
  page.votes |= std::uint32_t{predicate} << lane;
  return meet(me, *board, page);
}

Page& Block::open_page(ThreadIndex me, Op op, unsigned mask, unsigned bytes, Where where,
                       Board*& found) {
  Board& board = warps_[me / 32].board(mask);
  found = &board;
  Page& page = board.open_page();
  if (board.arrived == 0) {
    board.op = op;
    board.where = where;
    board.bytes = static_cast<std::uint8_t>(bytes);
    board.first_lane = static_cast<std::uint8_t>(me % 32);
    page.votes = 0;
  } else if (board.op != op || board.bytes != bytes) {
    const unsigned first = me / 32 * 32 + board.first_lane;
    report("warp-divergence", where,
           "one mask, different collectives: " + thread_name(first) + " in " + name_of(board.op) +
               " at " + place(board.where) + ", " + thread_name(me) + " in " + name_of(op) +
               " at " + place(where));
  }
  return page;
}

Exchange Block::meet(ThreadIndex me, Board& board, Page& page) {
  const unsigned lane = me % 32;
  board.arrived |= 1u << lane;
  if (board.arrived == (board.mask & warps_[me / 32].alive)) complete(me / 32, board);
  wait(me);
  page.unread &= ~(1u << lane);
  return {&page, lane};
}

void Block::complete(unsigned warp, Board& board) {
  Page& page = board.open_page();
  page.present = page.unread = board.arrived;
  ThreadIndex lanes[32];
  unsigned count = 0;
  for (std::uint32_t rest = board.arrived; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    lanes[count++] = static_cast<ThreadIndex>(warp * 32 + lane);
  }
  if (schedule_.order() == Order::reverse) {
    for (unsigned i = 0; i < count / 2; ++i) std::swap(lanes[i], lanes[count - 1 - i]);
  }
  board.arrived = 0;
  board.open ^= 1;
  schedule_.ready(lanes, count);
  idle_steps_ = 0;
}

/// Called when a lane has returned: collectives that only waited for it go on without it.
void Block::complete_what_waited_for(unsigned warp) {
  for (Board& board : warps_[warp].boards()) {
    if (board.arrived != 0 && board.arrived == (board.mask & warps_[warp].alive)) {
      complete(warp, board);
    }
  }
}

/// Answers a lane that its mask does not name. Devices leave that undefined; here the lane meets
/// nobody but itself, and the call is reported.
Exchange Block::alone(ThreadIndex me, Op op, const void* value, unsigned bytes, bool predicate,
                      Where where, unsigned mask) {
  const unsigned lane = me % 32;
  report("warp-mask", where,
         thread_name(me) + " (lane " + std::to_string(lane) + ") calls " + name_of(op) + " at " +
             place(where) + " with mask " + hex(mask) + ", which does not name it");
  threads_[me].waits = Op::none;
  alone_.present = 1u << lane;
  alone_.votes = std::uint32_t{predicate} << lane;
  if (bytes != 0) copy_value(alone_.values + lane * bytes, value, bytes);
  return {&alone_, lane};
}

unsigned Block::active_mask() {
  if (quick_) leave_quick_mode();
  return warps_[current_ / 32].alive;
}

}  // namespace simt::executor
