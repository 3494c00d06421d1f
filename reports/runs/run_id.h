// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

/// Milliseconds since 1970, UTC.
using Milliseconds = std::int64_t;

Milliseconds now_utc();

/// "2026-11-23T06:27:45.123Z", and back; nothing for text that is no such time.
std::string time_text(Milliseconds time);
std::optional<Milliseconds> parse_time(std::string_view text);

/// A run's name, and its file's without `.jsonl`: when it started and some hex digits that no other
/// run of the millisecond has, `20261123T062745.123Z-7f3a`. Later runs have greater names.
std::string make_run_id(Milliseconds started, std::string_view digits);

/// When a run of that name started; nothing for text that is no run's name.
std::optional<Milliseconds> start_of_run_id(std::string_view id);

/// A name for a run that starts now. Its time is at least 1 ms after all of `others`, so that a
/// clock that was set back hides no run behind an older one. Four random digits.
std::string new_run_id(const std::vector<std::string>& others);

}  // namespace gradproof
