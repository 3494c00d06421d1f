// SPDX-License-Identifier: Apache-2.0
// The program gradproof-fuzz: libFuzzer over the reader that --target=NAME names.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "tests/fuzz/targets.h"

namespace {

/// The chosen target, for which libFuzzer's interface has no place.
const gradproof::FuzzTarget* chosen = nullptr;

[[noreturn]] void list_targets() {
  std::fprintf(stderr, "which reader? --target=NAME; known:");
  for (const auto& target : gradproof::fuzz_targets())
    std::fprintf(stderr, " %.*s", static_cast<int>(target.name.size()), target.name.data());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

/// libFuzzer itself passes over arguments that begin with two dashes.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view kOption = "--target=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (!argument.starts_with(kOption)) continue;
    for (const auto& target : gradproof::fuzz_targets())
      if (target.name == argument.substr(kOption.size())) chosen = &target;
  }
  if (chosen == nullptr) list_targets();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen->run({reinterpret_cast<const char*>(data), size});
  } catch (const std::exception& error) {
    // A reader must not throw this error: libFuzzer keeps the text of a process that aborts.
    std::fprintf(stderr, "FINDING: %s\n", error.what());
    std::abort();
  }
  return 0;
}
