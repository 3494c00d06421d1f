// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/front/options.h"

namespace gradproof {

/// One function for each verb; the result is the exit code (docs/cli.md). Throw UsageError (2) and
/// InstrumentError (3).
int run_list(const Options& options);
int run_check(const Options& options);
int run_replay(const Options& options);
int run_doctor(const Options& options);
int run_audit(const Options& options);
int run_bench(const Options& options);
int run_explain(const Options& options);
int run_calibrate(const Options& options);
int run_exhaustive(const Options& options);
int run_report(const Options& options);
int run_baseline_update(const Options& options);

}  // namespace gradproof
