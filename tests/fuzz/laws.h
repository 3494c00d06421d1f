// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace gradproof {

/// The error of a reader that broke its promise on some text.
struct BrokenLaw : std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws BrokenLaw if the law does not hold.
inline void require(bool holds, std::string_view law) {
  if (!holds) throw BrokenLaw(std::string(law));
}

/// The value that `read` returns, or nothing if it refuses its text with `Refusal`, the one error
/// that its header documents. Every other exception passes, and is a finding.
template <class Refusal, class Read>
std::optional<std::invoke_result_t<Read>> unless_refused(const Read& read) {
  try {
    return read();
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

/// Requires that a text is refused or becomes a value whose text becomes that value again, told by
/// its text: two numbers that differ by a bit are written differently, and NaN equals itself.
template <class Refusal, class Read, class Write>
void require_inverse(std::string_view text, const Read& read, const Write& write) {
  const auto value = unless_refused<Refusal>([&] { return read(std::string(text)); });
  if (!value) return;
  const std::string written = write(*value);
  const auto again = unless_refused<Refusal>([&] { return read(written); });
  require(again.has_value(), "the text of a value that was read is refused: " + written);
  require(write(*again) == written, "the text of a value reads back to another: " + written);
}

}  // namespace gradproof
