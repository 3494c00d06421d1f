// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/fault.h"

#include <cerrno>
#include <cstdint>
#include <string>

#include <signal.h>
#include <ucontext.h>

#include "simt/executor/block.h"
#include "simt/memory/named_memory.h"

namespace simt::executor {
namespace {

struct sigaction previous_action {};
PlaceOfInstruction place_of_instruction = nullptr;

/// The verb for what the faulting instruction did to memory.
const char* verb_of(const ucontext_t& context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // of the page fault's error code
  return (context.uc_mcontext.gregs[REG_ERR] & kWrite) != 0 ? "writes " : "reads ";
#else
  static_cast<void>(context);
  return "touches ";
#endif
}

/// " at " and the name of the faulting instruction; empty if nobody can name the instruction.
std::string instruction_of(const ucontext_t& context) {
#if defined(__x86_64__)
  const auto instruction = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  const auto instruction = static_cast<std::uintptr_t>(context.uc_mcontext.pc);
#else
  const std::uintptr_t instruction = 0;
  static_cast<void>(context);
#endif
  if (place_of_instruction == nullptr || instruction == 0) return {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the processor gives the address as a number
  const std::string place = place_of_instruction(reinterpret_cast<const void*>(instruction));
  return place.empty() ? place : " at " + place;
}

/// The name of a page fault's address in a finding; empty if it is none of the kernel's memory.
std::string place_of(const void* address) {
  constexpr std::uintptr_t kNoProgramIsHere = 65536;  // Linux maps nothing there by default
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (number < kNoProgramIsHere) return "byte " + std::to_string(number) + " of a null pointer";
  return describe_address(address);
}

/// Reports the fault as a finding if it is a kernel's and can be named; returns true if so.
bool name_fault(const siginfo_t& info, const ucontext_t& context) {
  Block* const block = running.scheduler;
  const bool paged = info.si_code == SEGV_MAPERR || info.si_code == SEGV_ACCERR;
  if (block == nullptr || !paged) return false;
  const std::string place = place_of(info.si_addr);
  if (place.empty()) return false;
  block->report_thread("out-of-bounds", Where(),
                       verb_of(context) + place + instruction_of(context));
  return true;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int kept = errno;
  // Nothing that owns memory is left on the stack that abandon() leaves behind.
  if (name_fault(*info, *static_cast<const ucontext_t*>(context))) running.scheduler->abandon();
  errno = kept;
  // The instruction faults again, and meets the handler that was installed before this one.
  sigaction(signal, &previous_action, nullptr);
  if (info->si_code <= 0) raise(signal);  // sent by somebody, so it would not come again
}

bool install() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  // The handler leaves for good by switching stacks, so the signal must not stay blocked.
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  return sigaction(SIGSEGV, &action, &previous_action) == 0;
}

}  // namespace

void set_place_of_instruction(PlaceOfInstruction place) { place_of_instruction = place; }

void install_fault_handler() {
  static const bool installed = install();
  static_cast<void>(installed);
}

}  // namespace simt::executor
