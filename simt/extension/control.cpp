// SPDX-License-Identifier: Apache-2.0
#include "simt/extension/control.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include <dlfcn.h>

#include "simt/executor/fault.h"
#include "simt/extension/launch.h"
#include "simt/memory/buffer.h"
#include "simt/memory/named_memory.h"

namespace simt::extension {
namespace {

/// The state of the whole process, because autograd may launch from a thread of its own.
struct State {
  std::mutex mutex;
  Options options;
  std::uint64_t launches = 0;
  std::vector<std::string> findings;
  std::string text;  ///< of gradproof_executor_findings()
  std::unordered_map<const void*, std::unique_ptr<Memory>> memories;

  /// The state is never destroyed, because tensors are freed after main() has ended.
  static State& instance() {
    static State& state = *new State;
    return state;
  }
  void add(const std::string& finding) {
    if (std::find(findings.begin(), findings.end(), finding) == findings.end())
      findings.push_back(finding);
  }
};

/// "{/path/of/module.so+0x1a2b}", from which the module's debugging information tells the line.
std::string place_in_module(const void* instruction) {
  Dl_info info{};
  if (dladdr(instruction, &info) == 0 || info.dli_fname == nullptr) return {};
  const auto offset =
      static_cast<const std::byte*>(instruction) - static_cast<const std::byte*>(info.dli_fbase);
  char text[32];
  std::snprintf(text, sizeof text, "+0x%tx}", offset);
  return std::string("{") + info.dli_fname + text;
}

}  // namespace

cudaStream_t caller_stream() { return reinterpret_cast<cudaStream_t>(&State::instance()); }

Options options_of_launch(cudaStream_t stream) {
  State& state = State::instance();
  const std::lock_guard lock(state.mutex);
  if (stream == nullptr) state.add("default-stream: a launch");
  Options options = state.options;
  options.stream = caller_stream();
  options.seed += state.launches++;
  return options;
}

void note(const Findings& findings) {
  State& state = State::instance();
  const std::lock_guard lock(state.mutex);
  for (const Finding& finding : findings) state.add(text_of({finding}));
}

}  // namespace simt::extension

using simt::extension::State;

extern "C" void gradproof_executor_begin(int order, std::uint64_t seed, int workers) {
  State& state = State::instance();
  const std::lock_guard lock(state.mutex);
  simt::executor::set_place_of_instruction(simt::extension::place_in_module);
  state.options.order = static_cast<simt::Order>(order);
  state.options.seed = seed;
  state.options.workers = workers;
  state.launches = 0;
}

extern "C" std::uintptr_t gradproof_executor_stream() {
  return reinterpret_cast<std::uintptr_t>(simt::extension::caller_stream());
}

extern "C" const char* gradproof_executor_findings() {
  State& state = State::instance();
  const std::lock_guard lock(state.mutex);
  state.text.clear();
  for (const std::string& finding : state.findings) state.text += finding + "\n";
  state.findings.clear();
  return state.text.c_str();
}

extern "C" void* gradproof_executor_allocate(std::size_t bytes) try {
  auto memory = std::make_unique<simt::Memory>(simt::Backend::cpu, bytes, "a tensor");
  void* const data = memory->data();
  State& state = State::instance();
  const std::lock_guard lock(state.mutex);
  state.memories[data] = std::move(memory);
  return data;
} catch (const std::bad_alloc&) {
  return nullptr;
}

extern "C" void gradproof_executor_free(void* memory) {
  State& state = State::instance();
  std::unique_ptr<simt::Memory> gone;  // ends without the lock
  const std::lock_guard lock(state.mutex);
  const auto found = state.memories.find(memory);
  if (found == state.memories.end()) return;
  gone = std::move(found->second);
  state.memories.erase(found);
}

extern "C" void gradproof_executor_name(const void* memory, const char* name,
                                        std::size_t element_bytes) {
  State& state = State::instance();
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(state.mutex);
    const auto found = state.memories.find(memory);
    if (found == state.memories.end()) return;
    bytes = found->second->size();
  }
  const std::string own(name);
  const auto size = static_cast<std::int64_t>(std::max<std::size_t>(1, element_bytes));
  simt::name_elements(memory,
                      {own + "[" + std::to_string(bytes / static_cast<std::size_t>(size)) + "]",
                       [own, size](std::int64_t byte) {
                         const std::int64_t down = byte < 0 ? byte - size + 1 : byte;
                         return own + "[" + std::to_string(down / size) + "]";
                       }});
}
