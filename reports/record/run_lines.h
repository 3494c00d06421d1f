// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gradproof {

/// Adds the lines of a run to DIRECTORY/NAME, each written out at once. The first names the run's
/// Cases and the last says that it came to its end (docs/records.md), so that what is missing is
/// known. Creates the directory. The torn last line that a killed run left is cut off first. Throws
/// UsageError where the file cannot be opened, InstrumentError with the reason where a line cannot
/// be written.
class RunWriter {
 public:
  RunWriter(const std::string& directory, const std::string& name,
            const std::vector<std::string>& cases);
  void append(const std::string& line);
  /// Each Case that has lines has all of them. Nothing where a line could not be written before.
  void end();

 private:
  std::string path_;
  std::ofstream file_;
};

/// What the lines of a file say about the runs that wrote it.
struct StoredRuns {
  std::string note;        ///< what was left out and why, or empty
  std::string incomplete;  ///< which Cases their runs did not come to, or empty
};

/// Hands over each line of a file but those on the runs themselves; `read` returns the Case that it
/// is about. Left out is a last line without its line feed. A Case is missing where a run named it
/// and has no line about it, or where a run that has no end came no further. Throws UsageError for
/// a file that cannot be read, and InstrumentError with `file:line:` in front of what `read`
/// throws.
StoredRuns read_runs(const std::string& path,
                     const std::function<std::string(const std::string&)>& read);

/// Lines of one Case stand together. Where a Case comes again, later or with a tensor it already
/// had, it was run again: only its last run stays. `case_of` and `tensor_of` give texts.
template <class Line, class CaseOf, class TensorOf>
std::vector<Line> latest_of_each_case(const std::vector<Line>& lines, const CaseOf& case_of,
                                      const TensorOf& tensor_of) {
  std::vector<std::vector<Line>> runs;
  std::map<std::string, std::size_t> latest;  // of each Case: its place in runs
  std::set<std::string> tensors;
  for (const Line& line : lines) {
    const bool same = !runs.empty() && case_of(runs.back().front()) == case_of(line);
    if (!same || !tensors.insert(tensor_of(line)).second) {
      runs.emplace_back();
      tensors = {tensor_of(line)};
      latest[case_of(line)] = runs.size() - 1;
    }
    runs.back().push_back(line);
  }
  std::vector<Line> kept;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (latest.at(case_of(runs[i].front())) == i)
      kept.insert(kept.end(), runs[i].begin(), runs[i].end());
  return kept;
}

}  // namespace gradproof
