// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

namespace gradproof {

/// The user wrote something impossible: one line names the key, the text and the choices. Exit 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The instrument itself is at fault (a witness, a file of ours, a worker). Exit 3.
struct InstrumentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gradproof
