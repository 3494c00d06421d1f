// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "reports/baseline/acceptance.h"

namespace gradproof {

/// The reason of a baseline that has none before it.
inline const Acceptance kFirstAcceptance{{"2026-01-02", "first light"}, {}, {}};

}  // namespace gradproof
