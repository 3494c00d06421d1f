// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <fmt/format.h>

#include "tools/exhaustive/tables.h"
#include "tools/exhaustive/text.h"
#include "tools/verbs.h"

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// All that one request asks for, table by table.
class ExhaustiveRun {
 public:
  ExhaustiveRun(std::vector<PlannedTable> tables, bool json, WorkerChannel& channel)
      : tables_(std::move(tables)), json_(json), channel_(channel) {}

  /// The exit code.
  int run() {
    std::vector<TableRun> done;
    for (const PlannedTable& table : tables_) done.push_back(run_table(table));
    return show_result(done, seconds_since(start_), json_, channel_);
  }

 private:
  TableRun run_table(const PlannedTable& table) {
    if (!json_) channel_.line(title_of(table));
    TableRun all{fmt::format("{} {}", table.name, name_of(table.dtype)), {}};
    const std::size_t pieces = table.pieces.size();
    for (const Case& setting : table.settings) {
      const std::size_t before = all.settings.size() * pieces;
      all.settings.push_back(
          run_setting(*table.kernel, setting, table.pieces, [&](std::size_t done) {
            report_progress(before + done, table.settings.size() * pieces);
          }));
      for (const std::string& line : setting_lines(all.settings.back(), json_)) channel_.line(line);
    }
    for (const std::string& line : lines_of(table, all.settings, json_)) channel_.line(line);
    return all;
  }

  /// The front takes a long silence for a hang.
  void report_progress(std::size_t done, std::size_t of) {
    channel_.progress("pieces", static_cast<std::int64_t>(done), static_cast<std::int64_t>(of));
    constexpr double kSilence = 20;
    if (seconds_since(last_report_) < kSilence) return;
    last_report_ = Clock::now();
    const std::string text = fmt::format("{} of {} pieces", done, of);
    channel_.line(plain_line("progress", text, json_));
  }

  const std::vector<PlannedTable> tables_;
  const bool json_;
  WorkerChannel& channel_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_report_ = start_;
};

}  // namespace

int answer_exhaustive(const Systems& systems, const ExhaustiveRequest& request,
                      WorkerChannel& channel) {
  return ExhaustiveRun(tables_of(systems.catalog, request), request.json, channel).run();
}

}  // namespace gradproof
