// SPDX-License-Identifier: Apache-2.0
#include "simt/host.h"

#include <algorithm>
#include <utility>

namespace simt {
namespace {

thread_local Scope* innermost = nullptr;

}  // namespace

DeviceProfile device_profile(std::string_view name) {
  if (name == "sm_90") return {};
  if (name == "sm_80") return {.name = "sm_80", .opt_in_shared_bytes = 163 * 1024};
  throw std::invalid_argument("unknown device profile '" + std::string(name) +
                              "'; known: sm_80 sm_90");
}

const Options& current_options() {
  static const Options defaults;
  return innermost ? innermost->options_ : defaults;
}

std::uint64_t next_launch_number() { return innermost ? innermost->launches_++ : 0; }

Scope::Scope(Options options) : options_(std::move(options)), outer_(innermost) {
  innermost = this;
}

Scope::~Scope() { innermost = outer_; }

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) text += (text.empty() ? "" : "; ") + f.kind + ": " + f.text;
  return text;
}

ExecutionError::ExecutionError(std::vector<Finding> findings)
    : std::runtime_error(text_of(findings)), findings_(std::move(findings)) {}

bool ExecutionError::has(std::string_view kind) const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [&](const Finding& finding) { return finding.kind == kind; });
}

}  // namespace simt
