// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// Of which Cases LibTorch is asked whether the oracle is right (docs/witnesses.md): of those in
/// which something is wrong, or of all.
enum class SecondWitness { of_failures, of_all };

}  // namespace gradproof
