// SPDX-License-Identifier: Apache-2.0
#include "simt/progress.h"

#include <utility>

namespace simt {
namespace {

thread_local ProgressScope* innermost_progress = nullptr;

}  // namespace

ProgressScope::ProgressScope(OnProgress on_progress)
    : on_progress_(std::move(on_progress)), outer_(innermost_progress) {
  innermost_progress = this;
}

ProgressScope::~ProgressScope() { innermost_progress = outer_; }

void note_progress(std::uint64_t launch_number, std::uint64_t steps) {
  ProgressScope* const scope = innermost_progress;
  if (scope == nullptr || launch_number >= ProgressScope::kReportedLaunches) return;
  scope->steps_ += steps;
  if (scope->steps_ >= ProgressScope::kStepsPerCall)
    scope->on_progress_(std::exchange(scope->steps_, 0));
}

}  // namespace simt
