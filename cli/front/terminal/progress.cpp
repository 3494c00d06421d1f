// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/progress.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "core/printable.h"

namespace gradproof {
namespace {

using std::chrono::milliseconds;

/// The pause between two lines. A log gets few, but some, for services end jobs that say nothing.
milliseconds pause_of(ProgressStyle style) {
  return style == ProgressStyle::line ? milliseconds(200) : milliseconds(30'000);
}

/// "9 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds) {
  constexpr double kLongest = 1e9;  // what is longer is not known to the second anyhow
  const auto whole = static_cast<long>(std::min(seconds, kLongest) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string progress_text(const WorkDone& done, double seconds) {
  std::string text = fmt::format("{}/{} {}", done.cases, done.of_cases, done.what);
  if (done.cases > 0 && done.cost > 0 && seconds > 0)
    text += fmt::format(", {:.2g} a second, {} left", static_cast<double>(done.cases) / seconds,
                        duration_text(seconds * std::max(0.0, done.of_cost / done.cost - 1)));
  if (done.wrong > 0) text += fmt::format(", {} wrong", done.wrong);
  return text;
}

ProgressStyle style_of_standard_error() {
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(STDERR_FILENO) == 1 && !dumb ? ProgressStyle::line : ProgressStyle::lines;
}

Progress::Progress(ProgressStyle style, const WorkDone& whole, std::FILE* stream,
                   milliseconds pause)
    : style_(style),
      stream_(stream),
      pause_(pause.count() > 0 ? pause : pause_of(style)),
      done_(whole) {
  if (style != ProgressStyle::hidden)
    drawing_ = std::jthread([this](const std::stop_token& stop) { draw_now_and_then(stop); });
}

Progress::~Progress() {
  drawing_ = {};  // ended before what it draws is gone
  clear();
}

void Progress::done(double cost, bool wrong) {
  const std::lock_guard lock(mutex_);
  ++done_.cases;
  done_.cost += cost;
  if (wrong) ++done_.wrong;
}

void Progress::reached(const WorkDone& done) {
  const std::lock_guard lock(mutex_);
  done_ = done;
}

void Progress::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  note_ = printable(text);
}

void Progress::tell(std::string_view lines) {
  if (style_ == ProgressStyle::hidden) return;
  const std::lock_guard lock(mutex_);
  clear();
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::fputs((printable(lines.substr(0, end)) + "\n").c_str(), stream_);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

std::unique_lock<std::mutex> Progress::hold() {
  std::unique_lock lock(mutex_);
  clear();
  return lock;
}

void Progress::draw_now_and_then(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    stopped_.wait_for(lock, stop, pause_, [] { return false; });
    if (!stop.stop_requested()) draw();
  }
}

void Progress::draw() {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
  std::string text = progress_text(done_, seconds.count());
  if (!note_.empty()) text += ", " + note_;
  clear();
  shown_ = style_ == ProgressStyle::line;
  std::fputs((shown_ ? text : "progress  " + text + "\n").c_str(), stream_);
  std::fflush(stream_);
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stream_);  // back to column 1, erase to the end
  std::fflush(stream_);
  shown_ = false;
}

}  // namespace gradproof
