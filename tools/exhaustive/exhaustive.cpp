// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record/tally.h"
#include "tools/exhaustive/text.h"
#include "tools/verbs.h"

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Wanted {
  std::vector<std::string> kernels;  ///< WORD or WORD/MUTANT; empty: all
  std::vector<DType> dtypes{DType::f16, DType::bf16};
  std::int64_t part = 0, parts = 1;
  bool json = false;
};

/// part=3/16
void take_part(const std::string& text, Wanted& wanted) {
  const std::size_t slash = text.find('/');
  const auto whole = [&](std::string_view word, std::int64_t& number) {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    return error == std::errc{} && stop == end && !word.empty();
  };
  const bool read = slash != std::string::npos &&
                    whole(std::string_view(text).substr(0, slash), wanted.part) &&
                    whole(std::string_view(text).substr(slash + 1), wanted.parts);
  if (!read || wanted.part < 0 || wanted.part >= wanted.parts)
    throw UsageError("bad part '" + text + "'; write K/N with K from 0 to N-1");
}

Wanted wanted_of(const Catalog& catalog, const ExhaustiveRequest& request) {
  Wanted wanted{.kernels = request.kernels};
  wanted.json = request.json;
  if (!request.dtype.empty()) wanted.dtypes = {parse_dtype(request.dtype)};
  if (!request.part.empty()) take_part(request.part, wanted);
  if (!wanted.kernels.empty()) return wanted;
  // Of float32 the one whose settings leave nothing but Swish.
  for (const Kernel& kernel : catalog.kernels())
    if (is_elementwise(kernel) &&
        (wanted.dtypes.front() != DType::f32 || kernel.schema->word == "swish_bias"))
      wanted.kernels.push_back(kernel.schema->word);
  return wanted;
}

/// All that one request asks for, table by table.
class ExhaustiveRun {
 public:
  ExhaustiveRun(const Catalog& catalog, const Wanted& wanted, WorkerChannel& channel)
      : catalog_(catalog), wanted_(wanted), channel_(channel) {}

  /// The exit code.
  int run() {
    std::vector<std::function<TableRun()>> tables;
    std::vector<TableRun> done;
    for (const std::string& kernel : wanted_.kernels)
      for (const DType dtype : wanted_.dtypes) tables.push_back(planned(kernel, dtype));
    for (const auto& table : tables) done.push_back(table());
    const Tally tally = tally_of(done);
    for (const std::string& gap : tally.gaps)
      channel_.line(
          plain_line("incomplete", wanted_.json ? gap : "incomplete: " + gap, wanted_.json));
    const std::string result = result_line(tally, seconds_since(start_));
    channel_.line(plain_line("result", result, wanted_.json));
    return exit_code(findings_of(tally));
  }

 private:
  /// Nothing runs unless everything can.
  std::function<TableRun()> planned(const std::string& name, DType dtype) {
    const std::size_t slash = name.find('/');
    const std::string word = name.substr(0, slash);
    const Kernel& kernel = catalog_.named(word);
    const std::string mutant = slash == std::string::npos ? "none" : name.substr(slash + 1);
    if (!is_elementwise(kernel))
      throw UsageError(name + " has a norm: its outputs depend on more than one input");
    const std::vector<Case> settings = settings_of(kernel, mutant, dtype);
    return [this, name, dtype, &kernel, settings] {
      return run_table({name, dtype, regions_of(dtype), {}}, kernel, settings);
    };
  }

  TableRun run_table(ExhaustiveTable table, const Kernel& kernel,
                     const std::vector<Case>& settings) {
    const std::vector<Piece> pieces = pieces_of(table.regions, wanted_.part, wanted_.parts);
    if (!wanted_.json) channel_.line(title(table, settings.size(), pieces));
    TableRun all{fmt::format("{} {}", table.kernel, name_of(table.dtype)), {}};
    for (const Case& setting : settings) {
      const SettingRun run = run_setting(
          kernel, setting, pieces, [&](std::size_t done) { report_progress(done, pieces.size()); });
      for (const std::string& line : setting_lines(run, wanted_.json)) channel_.line(line);
      for (const auto& [tensor, regions] : run.found)
        for (const auto& [region, e] : regions) table.found[tensor][region].add(e);
      all.settings.push_back(run);
    }
    for (const std::string& line : table_lines(table, wanted_.json)) channel_.line(line);
    return all;
  }

  std::string title(const ExhaustiveTable& table, std::size_t settings,
                    const std::vector<Piece>& pieces) const {
    std::int64_t inputs = 0;
    for (const Piece& piece : pieces) inputs += piece.count;
    const std::string share =
        wanted_.parts == 1 ? "" : fmt::format(" (part {} of {})", wanted_.part, wanted_.parts);
    return fmt::format("{} {}: {} inputs{}, {} setting{}", table.kernel, name_of(table.dtype),
                       inputs, share, settings, settings == 1 ? "" : "s");
  }

  /// The front takes a long silence for a hang.
  void report_progress(std::size_t done, std::size_t of) {
    constexpr double kSilence = 20;
    if (seconds_since(last_report_) < kSilence) return;
    last_report_ = Clock::now();
    const std::string text = fmt::format("{} of {} pieces", done, of);
    channel_.line(plain_line("progress", text, wanted_.json));
  }

  const Catalog& catalog_;
  const Wanted& wanted_;
  WorkerChannel& channel_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_report_ = start_;
};

}  // namespace

int answer_exhaustive(const Systems& systems, const ExhaustiveRequest& request,
                      WorkerChannel& channel) {
  const Wanted wanted = wanted_of(systems.catalog, request);
  return ExhaustiveRun(systems.catalog, wanted, channel).run();
}

}  // namespace gradproof
