// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/load.h"

#include <cstddef>
#include <filesystem>
#include <new>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/float_mode.h"
#include "oracles/libtorch/module.h"

namespace gradproof {
namespace {

struct Loaded {
  const LibTorchModule* module = nullptr;
  std::string fault = {};  ///< why it cannot be used although its file is there
};

std::string error_of_loader() {
  const char* const text = dlerror();
  return text == nullptr ? "the loader gives no reason" : text;
}

template <class Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// The module of a library that is loaded, if it is of this build.
Loaded module_in(void* library, const std::string& file) {
  const auto version = function_of<ModuleVersionFunction>(library, kModuleVersionFunction);
  const auto module = function_of<ModuleFunction>(library, kModuleFunction);
  if (version == nullptr || module == nullptr)
    return {nullptr, fmt::format("{} is no witness: {}", file, error_of_loader())};
  if (module_version() != version())
    return {nullptr, fmt::format("{} is of another build of gradproof ({}) than this worker ({})",
                                 file, version(), module_version())};
  return {module(), {}};
}

Loaded load() {
  const std::string file = libtorch_module_file();
  if (file.empty()) return {};
  const FloatMode mode = float_mode();  // a library that was built for speed may leave another
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  set_float_mode(mode);
  if (library == nullptr)
    return {nullptr, fmt::format("LibTorch's witness does not load: {}", error_of_loader())};
  return module_in(library, file);
}

}  // namespace

std::string libtorch_module_file() {
  void* const program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size;
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return "";
  std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const folders = new (memory.data()) Dl_serinfo(size);
  if (dlinfo(program, RTLD_DI_SERINFO, folders) != 0) return "";
  for (unsigned k = 0; k < folders->dls_cnt; ++k) {
    const std::filesystem::path folder(folders->dls_serpath[k].dls_name);
    std::error_code none;
    if (folder.is_absolute() && std::filesystem::exists(folder / kModuleFile, none))
      return (folder / kModuleFile).string();
  }
  return "";
}

const LibTorchModule* libtorch_module() {
  static const Loaded loaded = load();
  if (!loaded.fault.empty()) throw BrokenModule(loaded.fault);
  return loaded.module;
}

}  // namespace gradproof
