// SPDX-License-Identifier: Apache-2.0
// Workflow commands: docs.github.com/actions/reference/workflow-commands-for-github-actions.
#include <fmt/format.h>

#include "reports/baseline/comparison_rows.h"
#include "reports/causes/cause_text.h"
#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "reports/formats/source_place.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

/// GitHub shows ten errors and ten warnings of a step and drops the others; the last of ours says
/// how many there are.
constexpr std::size_t kMost = 9;

/// The text in which the signs that a command's message may not hold are escaped.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char sign : without_controls(text)) {
    if (sign == '%')
      safe += "%25";
    else if (sign == '\n')
      safe += "%0A";
    else
      safe += sign;
  }
  return safe;
}

/// The text in which the further signs that a property may not hold are escaped too.
std::string escaped_property(const std::string& text) {
  std::string safe;
  for (const char sign : escaped(text)) {
    if (sign == ':')
      safe += "%3A";
    else if (sign == ',')
      safe += "%2C";
    else
      safe += sign;
  }
  return safe;
}

enum class Level { error, warning };

struct Annotation {
  Level level;
  std::string title;
  std::string message;
  SourcePlace place = {};
};

std::string command(const Annotation& annotation) {
  std::string text = annotation.level == Level::error ? "::error " : "::warning ";
  const SourcePlace& place = annotation.place;
  if (!place.file.empty()) text += fmt::format("file={},", escaped_property(place.file));
  if (place.line > 0) text += fmt::format("line={},", place.line);
  return text + fmt::format("title={}::{}\n", escaped_property(annotation.title),
                            escaped(annotation.message));
}

/// One cause, with the message of its first wrong tensor.
Annotation annotation_of(const ReportedCause& reported, const Report& report) {
  std::string message = fmt::format("{}\n{}\n{}", what_text(reported.cause),
                                    order_text(reported.cause), message_of(reported.first()));
  if (!reported.diagnosis.empty()) message += "diagnosis: " + reported.diagnosis + "\n";
  return {Level::error, reported.title(), message, source_place(report, reported.cause.kernel)};
}

/// A regression is within its bound: it fails the step by the exit code, and is no error here.
Annotation annotation_of(const ChangedTensor& t, const Report& report) {
  return {Level::warning, fmt::format("regressed {} {} {}", t.kernel, t.now.tensor, t.now.dtype),
          fmt::format("{}\nreplay: {}", moved_text(t), commands_of(report).replay(t.now.case_text)),
          source_place(report, t.kernel)};
}

std::vector<Annotation> annotations_of(const Report& report) {
  std::vector<Annotation> all;
  for (const ReportedCause& cause : reported_causes(report))
    all.push_back(annotation_of(cause, report));
  for (const std::string& gap : gaps_of(report)) all.push_back({Level::error, "not proved", gap});
  if (!report.comparison) return all;
  const BaselineComparison& c = *report.comparison;
  if (!c.not_comparable.empty())
    all.push_back({Level::error, "not comparable with " + c.file, c.not_comparable});
  if (const std::int64_t missing = c.count(Change::missing); missing > 0)
    all.push_back(
        {Level::error, "no longer measured", fmt::format("{} tensors of {}", missing, c.file)});
  for (const ChangedTensor& t : c.tensors)
    if (t.change == Change::regressed) all.push_back(annotation_of(t, report));
  return all;
}

/// The commands of one level that a step shows, and the number of those that it does not.
std::string lines_of(const std::vector<Annotation>& all, Level level) {
  std::string text;
  std::size_t count = 0;
  for (const Annotation& annotation : all)
    if (annotation.level == level && ++count <= kMost) text += command(annotation);
  if (count > kMost)
    text += command({level, "more", fmt::format("and {} more, less severe", count - kMost)});
  return text;
}

}  // namespace

std::string github_commands(const Report& report) {
  const Conclusion conclusion = conclusion_of(report);
  const std::string proof = proof_of(report);
  const std::vector<Annotation> all = annotations_of(report);
  return lines_of(all, Level::error) + lines_of(all, Level::warning) +
         fmt::format(
             "::notice title=gradproof {}::{}\n", conclusion.word,
             escaped(proof.empty() ? conclusion.sentence : conclusion.sentence + "; " + proof));
}

}  // namespace gradproof
