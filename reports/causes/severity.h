// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/record.h"

namespace gradproof {

/// True if something is to be explained: the kernel is at fault (is_wrong), or the instrument is.
bool is_fault(const Record& record);

/// The largest error/bound of the comparison, or of an audit's witnesses; infinite where nothing
/// was measured.
double error_over_bound(const Record& record);

/// The order of severity: a crash, a timeout, different bits, then what is over its bound by the
/// largest error/bound, and a broken instrument behind all. True where `a` is the more severe.
bool is_more_severe(const Record& a, const Record& b);

}  // namespace gradproof
