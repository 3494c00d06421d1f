// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// The most memory that this process held at once since it started, in bytes; 0 where the operating
/// system does not say.
double peak_memory();

}  // namespace gradproof
