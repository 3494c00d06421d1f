// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include "simt/executor/fibers/stack.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/// Fibers on Boost.Context, for any processor; AddressSanitizer knows of each switch. See fiber.h.
namespace simt::executor {

using Context = boost::context::detail::fcontext_t;

/// Runs after each jump: stores the context of the stack that jumped where that stack asked for it.
inline void keep_jumper(boost::context::detail::transfer_t transfer) {
  *static_cast<Context*>(transfer.data) = transfer.fctx;
}

inline void jump(Context& save, Context target, [[maybe_unused]] const Stack& onto) {
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, onto.bottom, onto.size());
#endif
  keep_jumper(boost::context::detail::jump_fcontext(target, &save));
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

template <void (*entry)()>
Context fresh_context(const Stack& stack) {
#if defined(__SANITIZE_ADDRESS__)
  // The last entry on this stack never returned, so its frames' red zones still lie at the top.
  constexpr std::size_t kEntryFrames = 4096;
  __asan_unpoison_memory_region(stack.top - kEntryFrames, kEntryFrames);
#endif
  return boost::context::detail::make_fcontext(stack.top, stack.size(),
                                               [](boost::context::detail::transfer_t transfer) {
                                                 keep_jumper(transfer);
                                                 entry();
                                               });
}

inline Stack entered() {
  Stack from{nullptr, nullptr};
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  from.bottom = static_cast<std::byte*>(const_cast<void*>(bottom));
  from.top = from.bottom + size;
#endif
  return from;
}

}  // namespace simt::executor
