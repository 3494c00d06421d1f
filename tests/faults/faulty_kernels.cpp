// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/faulty_kernels.h"

#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include <unistd.h>

#include "core/error.h"

namespace gradproof {
namespace {

using Function = EntryPoints::Function;

const EntryPoints& right() {
  static const Catalog all = catalog();
  static const EntryPoints& entry = all.named("swish_bias").entry;
  return entry;
}

/// The right entry points with a fault in front of both passes.
EntryPoints in_front(const std::function<void()>& fault) {
  const auto pass = [fault](const Function& function) {
    return [fault, &function](const Call& call) {
      fault();
      function(call);
    };
  };
  return {pass(right().forward), pass(right().backward)};
}

/// The right entry points with a fault behind both passes.
EntryPoints behind(const std::function<void(const Call&)>& fault) {
  const auto pass = [fault](const Function& function) {
    return [fault, &function](const Call& call) {
      function(call);
      fault(call);
    };
  };
  return {pass(right().forward), pass(right().backward)};
}

/// No allocation has this address, and a float4 may have it.
constexpr std::uintptr_t kNowhere = 256;

/// The right kernel, which is told to write where nothing is.
EntryPoints with_results_nowhere() {
  const auto pass = [](const Function& function) {
    return [&function](const Call& call) {
      Call nowhere = call;
      for (const char* name : {"y", "d_x"})
        if (const auto found = nowhere.views.find(name); found != nowhere.views.end())
          found->second.data = reinterpret_cast<void*>(kNowhere);
      function(nowhere);
    };
  };
  return {pass(right().forward), pass(right().backward)};
}

void write_to_nowhere() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

[[noreturn]] void run_for_ever() {
  for (volatile int turn = 0;;) turn = 1 - turn;
}

/// The memory stays taken, as that of a kernel that keeps what it asks for.
void take_all_memory() {
  constexpr std::size_t kAtOnce = std::size_t{1} << 26;
  while (true) std::fill_n(new char[kAtOnce], kAtOnce, '\1');
}

void fill_with_nan(const Call& call) {
  for (const char* name : {"y", "d_x"}) {
    const auto found = call.views.find(name);
    if (found == call.views.end()) continue;
    std::fill_n(found->second.as<float>(), numel(found->second.shape),
                std::numeric_limits<float>::quiet_NaN());
  }
}

void print_lines(std::size_t lines) {
  for (std::size_t i = 0; i < lines; ++i) std::puts("a kernel that talks and talks and talks");
  std::fflush(stdout);
}

void close_from(int first) {
  constexpr int kLast = 1024;
  for (int descriptor = first; descriptor < kLast; ++descriptor) close(descriptor);
}

void close_streams() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) close(descriptor);
}

std::map<std::string, EntryPoints> all_faults() {
  std::map<std::string, EntryPoints> all;
  all["abort"] = in_front([] { std::abort(); });
  all["close_all"] = in_front([] { close_from(3); });
  all["close_streams"] = in_front(close_streams);
  all["endless"] = in_front(run_for_ever);
  all["exit"] = in_front([] { std::exit(0); });
  all["flood"] = in_front([] { print_lines(std::numeric_limits<std::size_t>::max()); });
  all["flush"] = behind([](const Call&) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(1ul << 24));
#endif
  });
  all["illegal"] = with_results_nowhere();
  all["killed"] = in_front([] { std::raise(SIGKILL); });
  all["killed_once"] = in_front([] {
    const char* file = std::getenv("FAULT_ONCE");
    if (file == nullptr || access(file, F_OK) == 0) return;
    if (std::FILE* made = std::fopen(file, "w")) std::fclose(made);
    std::raise(SIGKILL);
  });
  all["memory"] = in_front(take_all_memory);
  all["nan"] = behind(fill_with_nan);
  all["rounding"] = behind([](const Call&) { std::fesetround(FE_UPWARD); });
  all["segfault"] = in_front(write_to_nowhere);
  all["talk"] = in_front([] { print_lines(100000); });
  all["throw"] = in_front([] { throw std::runtime_error("as planted"); });
  return all;
}

}  // namespace

Mutants faulty_kernels() {
  Mutants mutants;
  for (auto& [name, entry] : all_faults())
    mutants["swish_bias"].emplace(name, Mutant{std::move(entry), DType::f32, DType::f32});
  return mutants;
}

Catalog with_fault(const Catalog& catalog, const std::string& name, std::int64_t rows) {
  const auto faults = all_faults();
  const auto found = faults.find(name);
  if (found == faults.end()) throw UsageError("no fault '" + name + "'");
  std::vector<Kernel> kernels = catalog.kernels();
  for (Kernel& kernel : kernels) {
    if (kernel.schema->word != "swish_bias") continue;
    const auto sometimes = [rows](Function faulty, Function whole) {
      return [rows, faulty = std::move(faulty), whole = std::move(whole)](const Call& call) {
        call.extent("rows") == rows ? faulty(call) : whole(call);
      };
    };
    kernel.entry = {sometimes(found->second.forward, kernel.entry.forward),
                    sometimes(found->second.backward, kernel.entry.backward)};
  }
  return Catalog(std::move(kernels));
}

}  // namespace gradproof
