// SPDX-License-Identifier: Apache-2.0
// Workflow commands: docs.github.com/actions/reference/workflow-commands-for-github-actions.
#include <fmt/format.h>

#include "reports/baseline/comparison_rows.h"
#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

/// GitHub shows ten errors of a step and drops the others; the last of ours says how many there
/// are.
constexpr std::size_t kMost = 9;

/// What a command's message may not hold.
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

/// What a property may not hold either.
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

struct Annotation {
  std::string title;
  std::string message;
  std::string file;
};

std::string command(const Annotation& annotation) {
  std::string text = "::error ";
  if (!annotation.file.empty())
    text += fmt::format("file={},line=1,", escaped_property(annotation.file));
  return text + fmt::format("title={}::{}\n", escaped_property(annotation.title),
                            escaped(annotation.message));
}

Annotation annotation_of(const FailureGroup& group, const std::string& file) {
  const WrongTensor& worst = group.worst();
  std::string message = group.summary() + "\n" + message_of(worst);
  if (!worst.diagnosis.empty()) message += "diagnosis: " + worst.diagnosis + "\n";
  return {group.title(), message, file};
}

std::vector<Annotation> annotations_of(const Report& report) {
  std::vector<Annotation> all;
  for (const FailureGroup& group : without_repetition(failure_groups(report)))
    all.push_back(annotation_of(group, source_of(report, group.kernel)));
  for (const std::string& gap : gaps_of(report)) all.push_back({"not proved", gap, ""});
  if (!report.comparison) return all;
  const BaselineComparison& c = *report.comparison;
  if (!c.not_comparable.empty())
    all.push_back({"not comparable with " + c.file, c.not_comparable, ""});
  for (const ChangedTensor& t : c.tensors)
    if (t.change == Change::regressed)
      all.push_back({fmt::format("regressed {} {} {}", t.kernel, t.now.tensor, t.now.dtype),
                     fmt::format("{}\nreplay: {}", moved_text(t),
                                 commands_of(report).replay(t.now.case_text)),
                     source_of(report, t.kernel)});
  if (const std::int64_t missing = c.count(Change::missing); missing > 0)
    all.push_back({"no longer measured", fmt::format("{} tensors of {}", missing, c.file), ""});
  return all;
}

}  // namespace

std::string github_commands(const Report& report) {
  const Conclusion conclusion = conclusion_of(report);
  const std::vector<Annotation> all = annotations_of(report);
  std::string text;
  for (std::size_t k = 0; k < std::min(kMost, all.size()); ++k) text += command(all[k]);
  if (all.size() > kMost)
    text += command({"more", fmt::format("and {} more, less severe", all.size() - kMost), ""});
  return text + fmt::format("::notice title=gradproof {}::{}\n", conclusion.word,
                            escaped(conclusion.sentence));
}

}  // namespace gradproof
