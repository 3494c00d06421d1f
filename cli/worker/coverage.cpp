// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "cli/worker/coverage_text.h"
#include "cli/worker/verbs.h"
#include "core/case/case_file.h"
#include "core/error.h"
#include "core/tensor/philox.h"
#include "core/whole_file.h"
#include "judge/check_case.h"
#include "properties/coverage/complete.h"
#include "properties/coverage/excused_combinations.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

constexpr std::uint64_t kSeed = 1;

/// The random bits of a row: a row is the same whatever other rows there are.
RandomBits bits_of(const std::string& row) {
  return [stream = Stream(kSeed, row), index = std::uint64_t{0}]() mutable {
    return stream.bits(index++);
  };
}

bool is_result(const std::string& tensor) { return tensor == "y" || tensor.starts_with("d_"); }

/// Judges the Cases that might become lines.
class Acceptance {
 public:
  Acceptance(const Systems& systems, const CaseSpace& space, WorkerChannel& channel)
      : systems_(systems), space_(space), channel_(channel) {}

  /// True if y or a gradient passes, and the pass proves something; without rows there is neither.
  /// A Case of a level that hides a stage need only prove something of the other stages.
  bool operator()(const Case& c) {
    channel_.working(0);
    bool proves = c.integer("rows") == 0;
    for (const Record& record : check_case(systems_, c, Detail::of_failures)) {
      const Outcome outcome = record.verdict.outcome;
      if (outcome != Outcome::passed && outcome != Outcome::mistrusted) {
        channel_.line(fmt::format("refused: '{}': {} {} {}", to_string(c), record.tensor,
                                  name_of(outcome), record.verdict.reason));
        return false;
      }
      const bool resolves =
          is_trusted(record) || (hides_a_stage(c) && !record.known &&
                                 judge(record.discrepancy()).outcome == Outcome::passed);
      proves = proves || (resolves && is_result(record.tensor));
    }
    return proves;
  }

 private:
  bool hides_a_stage(const Case& c) const {
    const std::vector<LevelId> levels = space_.levels_of(c);
    return std::any_of(levels.begin(), levels.end(),
                       [&](LevelId id) { return space_.level(id).hides_a_stage; });
  }

  const Systems& systems_;
  const CaseSpace& space_;
  WorkerChannel& channel_;
};

class CoverageRun {
 public:
  CoverageRun(const Systems& systems, const CoverageRequest& request, WorkerChannel& channel)
      : systems_(systems), request_(request), channel_(channel), excused_(request.ledger) {
    for (const std::string& file : request.files)
      for (const Case& c : read_cases(file, systems.schemas())) suite_.push_back(c);
  }

  std::vector<CoverageRow> rows() {
    std::vector<std::string> words = request_.kernels;
    if (words.empty())
      for (const Kernel& kernel : systems_.catalog.kernels()) words.push_back(kernel.schema->word);
    for (const std::string& word : words)
      if (systems_.catalog.named(word).schema->by_graph)
        throw UsageError(fmt::format(
            "coverage is of kernels that declare the sizes where their paths change; '{}' does not",
            word));
    std::vector<CoverageRow> rows;
    for (const std::string& word : words) {
      std::string text;
      for (const Instantiation& types : instantiations_of(*systems_.catalog.named(word).schema))
        rows.push_back(row(systems_.catalog.named(word), types, text));
      if (!text.empty()) write(word, text);
    }
    return rows;
  }

  /// The lines of the ledger that excuse nothing, if every kernel and type was asked for its pairs.
  std::vector<std::string> idle_lines() const {
    const bool pairs = request_.of_f32 == kPairs.together && request_.of_others == kPairs.together;
    return pairs && request_.kernels.empty() && request_.write.empty() ? excused_.idle()
                                                                       : std::vector<std::string>{};
  }

 private:
  CoverageRow row(const Kernel& kernel, const Instantiation& types, std::string& text) {
    const std::string& word = kernel.schema->word;
    const CaseSpace space(kernel, types);
    Covering covering(space, strength_of(types));
    Acceptance accepted(systems_, space, channel_);
    std::size_t cases = 0;
    for (const Case& c : suite_) {
      if (c.word() != word || !types.has(c)) continue;
      if (!request_.write.empty() && !accepted(c)) continue;
      covering.add(c);
      ++cases;
    }
    const RandomBits next = bits_of(word + " " + types.name);
    if (request_.write.empty())
      classify(covering, next);
    else
      cases += add_lines(types, complete(covering, next, accepted), text);
    excused_.excuse(word, types.name, covering);
    channel_.working(0);
    return coverage_row(word, types.name, cases, covering);
  }

  Strength strength_of(const Instantiation& types) const {
    const int together = types.name == "f32" ? request_.of_f32 : request_.of_others;
    return together == 1 ? kSingles : together == 2 ? kPairs : kTriples;
  }

  static std::size_t add_lines(const Instantiation& types, const std::vector<CoveringLine>& lines,
                               std::string& text) {
    text += fmt::format("\n# {}: {} Cases\n", types.name, lines.size());
    int serves = 0;
    for (const CoveringLine& line : lines) {
      if (line.serves != serves)
        text += fmt::format("# each the first to have {} combinations:\n", line.serves);
      serves = line.serves;
      text += to_string(line.c) + "\n";
    }
    return lines.size();
  }

  void write(const std::string& word, const std::string& text) const {
    const std::string path = fmt::format("{}/{}.cases", request_.write, word);
    std::filesystem::create_directories(request_.write);
    write_whole_file(path, [&](std::ostream& file) {
      file << fmt::format(
          "# {}: Cases that the suite lacked, drawn by gradproof coverage --write "
          "(docs/coverage.md).\n",
          word);
      file << text;
    });
  }

  const Systems& systems_;
  const CoverageRequest& request_;
  WorkerChannel& channel_;
  ExcusedCombinations excused_;
  std::vector<Case> suite_;
};

}  // namespace

int answer_coverage(const Systems& systems, const CoverageRequest& request,
                    WorkerChannel& channel) {
  CoverageRun run(systems, request, channel);
  const std::vector<CoverageRow> rows = run.rows();
  const std::vector<std::string> idle = run.idle_lines();
  for (const std::string& place : idle)
    channel.line(request.json ? dump(Json{{"excuses_nothing", place}})
                              : place + ": excuses nothing");
  for (const std::string& line : coverage_lines(rows, read_reached(request.lines), request.json))
    channel.line(line);
  const bool complete = std::all_of(rows.begin(), rows.end(),
                                    [](const CoverageRow& row) { return row.missing.empty(); });
  return complete && idle.empty() ? 0 : 1;
}

}  // namespace gradproof
