// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/executor/fibers/stack.h"

#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__)
#include "simt/executor/fibers/fiber_x86_64.h"
#else
#include "simt/executor/fibers/fiber_boost.h"
#endif

/// Switching stacks. A `Context` is the point where a stopped stack goes on; both headers give
///   void jump(Context& save, Context target, const Stack& onto)
///       leaves the running stack, whose context goes to `save`, and continues `target` on the
///       stack `onto`; returns when somebody jumps back to `save`;
///   Context fresh_context<entry>(const Stack& stack)
///       makes a context that calls `entry` at the top of the stack; `entry` must not return;
///   Stack entered()
///       must be called first in an entry; returns the stack that jumped there, where the
///       sanitizer needs to know it.
