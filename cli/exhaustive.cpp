// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <chrono>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "cli/exhaustive_text.h"
#include "cli/told_verbs.h"
#include "core/error.h"
#include "reports/tally.h"

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

Wanted wanted_of(const Request& request) {
  Wanted wanted;
  std::istringstream words(request.text);
  for (std::string word; words >> word;) wanted.kernels.push_back(word);
  for (const std::string& argument : request.arguments) {
    const std::string key = argument.substr(0, argument.find('='));
    const std::string text = argument.substr(argument.find('=') + 1);
    if (key == "dtype")
      wanted.dtypes = {parse_dtype(text)};
    else if (key == "part")
      take_part(text, wanted);
    else if (key == "json")
      wanted.json = text == "yes";
    else
      throw UsageError("unknown argument '" + argument + "'");
  }
  if (!wanted.kernels.empty()) return wanted;
  // Of float32 the one whose settings leave nothing but Swish.
  for (const Kernel& kernel : catalog())
    if (is_elementwise(kernel) &&
        (wanted.dtypes.front() != DType::f32 || kernel.schema->word == "swish_bias"))
      wanted.kernels.push_back(kernel.schema->word);
  return wanted;
}

/// All that one request asks for, table by table.
class ExhaustiveRun {
 public:
  ExhaustiveRun(const Wanted& wanted, WorkerChannel& channel)
      : wanted_(wanted), channel_(channel) {}

  /// The exit code.
  int run() {
    std::vector<std::function<void()>> tables;
    for (const std::string& kernel : wanted_.kernels)
      for (const DType dtype : wanted_.dtypes) tables.push_back(planned(kernel, dtype));
    for (const auto& table : tables) table();
    const std::string result = result_line(tally_, seconds_since(start_));
    if (!wanted_.json)
      for (const std::string& gap : tally_.gaps) channel_.line("incomplete: " + gap);
    channel_.line(plain_line("result", result, wanted_.json));
    return exit_code(findings_of(tally_));
  }

 private:
  /// Nothing runs unless everything can.
  std::function<void()> planned(const std::string& name, DType dtype) {
    const std::size_t slash = name.find('/');
    const Kernel& kernel = kernel_named(name.substr(0, slash));
    const std::string mutant = slash == std::string::npos ? "none" : name.substr(slash + 1);
    if (!is_elementwise(kernel))
      throw UsageError(name + " has a norm: its outputs depend on more than one input");
    const std::vector<Case> settings = settings_of(kernel, mutant, dtype);
    return [this, name, dtype, &kernel, settings] {
      run_table({name, dtype, regions_of(dtype), {}}, kernel, settings);
    };
  }

  void run_table(ExhaustiveTable table, const Kernel& kernel, const std::vector<Case>& settings) {
    const std::vector<Piece> pieces = pieces_of(table.regions, wanted_.part, wanted_.parts);
    proved_.clear();
    if (!wanted_.json) channel_.line(title(table, settings.size(), pieces));
    for (const Case& setting : settings) {
      const ByTensor found = run_setting(kernel, setting, pieces,
                                         [&](std::size_t done) { tell(done, pieces.size()); });
      for (const std::string& line : setting_lines(setting, found, wanted_.json))
        channel_.line(line);
      for (const auto& [tensor, regions] : found)
        for (const auto& [region, e] : regions) {
          if (count(e.discrepancy)) proved_.insert(tensor);
          table.found[tensor][region].add(e);
        }
    }
    for (const std::string& line : table_lines(table, wanted_.json)) channel_.line(line);
    for (const auto& [tensor, regions] : table.found)
      if (!proved_.contains(tensor))
        tally_.add_gap(fmt::format("{} {} {}", table.kernel, name_of(table.dtype), tensor));
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
  void tell(std::size_t done, std::size_t of) {
    constexpr double kSilence = 20;
    if (seconds_since(last_told_) < kSilence) return;
    last_told_ = Clock::now();
    const std::string text = fmt::format("{} of {} pieces", done, of);
    channel_.line(plain_line("progress", text, wanted_.json));
  }

  /// A region of one setting, as if it were a Case of `check`; whether the verdict proves anything.
  bool count(const Discrepancy& d) {
    const Outcome outcome = judge(d).outcome;
    tally_.elements += d.elements;
    tally_.passed += outcome == Outcome::passed;
    tally_.failed += outcome == Outcome::failed;
    tally_.mistrusted += outcome == Outcome::mistrusted;
    tally_.broken += outcome == Outcome::instrument_broken;
    tally_.incomplete += outcome == Outcome::instrument_broken;
    return outcome == Outcome::passed || outcome == Outcome::failed;
  }

  const Wanted& wanted_;
  WorkerChannel& channel_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_told_ = start_;
  Tally tally_;
  std::set<std::string> proved_;  ///< tensors of the table at hand
};

}  // namespace

int exhaustive(const Request& request, WorkerChannel& channel) {
  const Wanted wanted = wanted_of(request);
  return ExhaustiveRun(wanted, channel).run();
}

}  // namespace gradproof
