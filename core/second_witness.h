// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// The Cases in which LibTorch is asked whether the oracle is right (docs/witnesses.md): those in
/// which something is wrong, or all.
enum class SecondWitness { of_failures, of_all };

}  // namespace gradproof
