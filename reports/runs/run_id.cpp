// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/run_id.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <random>

#include <fmt/format.h>

namespace gradproof {
namespace {

struct Moment {
  std::tm utc{};
  int milliseconds = 0;
};

Moment moment(Milliseconds time) {
  const std::time_t seconds = time / 1000;
  Moment m;
  gmtime_r(&seconds, &m.utc);
  m.utc.tm_year += 1900;
  m.utc.tm_mon += 1;
  m.milliseconds = static_cast<int>(time % 1000);
  return m;
}

/// `pattern` as sscanf reads it: year to seconds, milliseconds. The text must be what `write` makes
/// of the time, so that a 13th month is no time.
template <class Write>
std::optional<Milliseconds> read_time(std::string_view text, const char* pattern, Write write) {
  std::tm utc{};
  int milliseconds = 0;
  if (std::sscanf(std::string(text).c_str(), pattern, &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
                  &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &milliseconds) != 7)
    return std::nullopt;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  const Milliseconds time = static_cast<Milliseconds>(timegm(&utc)) * 1000 + milliseconds;
  return time >= 0 && write(time) == text ? std::optional(time) : std::nullopt;
}

std::string stamp(Milliseconds time) {
  const auto [utc, milliseconds] = moment(time);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}.{:03}Z", utc.tm_year, utc.tm_mon, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, milliseconds);
}

}  // namespace

Milliseconds now_utc() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string time_text(Milliseconds time) {
  const auto [utc, milliseconds] = moment(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year, utc.tm_mon,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, milliseconds);
}

std::optional<Milliseconds> parse_time(std::string_view text) {
  return read_time(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", time_text);
}

std::string make_run_id(Milliseconds started, std::string_view digits) {
  return fmt::format("{}-{}", stamp(started), digits);
}

std::optional<Milliseconds> start_of_run_id(std::string_view id) {
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = id.substr(dash + 1);
  if (digits.size() < 4 || digits.size() > 16 ||
      digits.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return std::nullopt;
  return read_time(id.substr(0, dash), "%4d%2d%2dT%2d%2d%2d.%3dZ", stamp);
}

std::string new_run_id(const std::vector<std::string>& others) {
  Milliseconds time = now_utc();
  for (const std::string& other : others)
    if (const auto started = start_of_run_id(other)) time = std::max(time, *started + 1);
  std::random_device random;
  return make_run_id(time, fmt::format("{:04x}", random() & 0xffffu));
}

}  // namespace gradproof
