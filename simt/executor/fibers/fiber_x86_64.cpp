// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/fibers/fiber.h"

#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__)

// rdi is the place to keep the stack pointer, rsi the stack pointer to continue with.
asm(R"(
  .text
  .p2align 4
  .globl simt_switch_stack
  .hidden simt_switch_stack
  .type simt_switch_stack, @function
simt_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size simt_switch_stack, .-simt_switch_stack
)");

#endif
