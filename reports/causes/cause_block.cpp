// SPDX-License-Identifier: Apache-2.0
#include "reports/causes/cause_block.h"

#include <fmt/format.h>

#include "reports/causes/cause_text.h"
#include "reports/text/case_table.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

std::string why_text(const Cause& cause) {
  const Record& first = cause.first();
  const std::string classes =
      first.measured() == Measured::comparison ? class_text(first.discrepancy()) : "";
  return order_text(cause) + (classes.empty() ? "" : "; " + classes);
}

/// The lines about the other wrong tensors of the most severe Case that no count of elements tells
/// about.
std::string besides_lines(const Cause& cause, std::size_t width) {
  std::string text;
  for (const Record* r : cause.cases.front().wrong) {
    const bool is_counted = r->measured() == Measured::differences || r->discrepancy().bad > 0;
    if (r == &cause.first() || is_counted) continue;
    text += field_lines(field_frame("besides", width),
                        fmt::format("{} {}: {}", verdict_word(r->verdict.outcome), r->tensor,
                                    shown_reason(r->verdict.reason)));
  }
  return text;
}

}  // namespace

std::string cause_headline(const Cause& cause, std::size_t width) {
  return filled({"", 2, width},
                fmt::format("{}  {} {}", verdict_word(cause.first().verdict.outcome), cause.kernel,
                            what_text(cause)));
}

std::string cause_details(const Cause& cause, const std::string& diagnosis, std::size_t width) {
  const Record& first = cause.first();
  return field_lines(field_frame("where", width), where_text(first)) +
         field_lines(field_frame("worst", width), worst_text(first)) +
         field_lines(field_frame("why", width), why_text(cause)) + besides_lines(cause, width) +
         field_lines(field_frame("diagnosis", width),
                     diagnosis.empty() ? first.diagnosis.value_or("") : diagnosis);
}

std::string cause_bound(const Cause& cause, std::size_t width) {
  const std::string& why = cause.first().why;
  return field_lines(field_frame("bound", width), why.substr(0, why.find(", largest: ")));
}

std::string cause_commands(const Cause& cause, const Commands& commands, std::size_t width) {
  const Record& first = cause.first();
  const auto field = [&](const char* label, const std::string& command) {
    return command.empty() ? "" : filled_command(field_frame(label, width), command);
  };
  std::string text = field("replay", commands.replay(first.case_text));
  if (first.measured() == Measured::differences || first.discrepancy().bad == 0) return text;
  text += field("explain", commands.explain(first));
  for (const Record* r : cause.cases.front().wrong)
    if (is_gradient(*r)) return text + field("audit", commands.audit(*r));
  return text;
}

std::string cause_block(const Cause& cause, const Commands& commands, std::size_t width,
                        const std::string& diagnosis) {
  std::string text = cause_headline(cause, width);
  const std::vector<const Record*>& wrong = cause.cases.front().wrong;
  if (wrong.size() > 1 && cause.measured == Measured::comparison)
    text += tensor_table(wrong, width);
  return text + cause_details(cause, diagnosis, width) + cause_bound(cause, width) +
         cause_commands(cause, commands, width);
}

std::string judged_case_text(const std::vector<Record>& records, const Commands& commands,
                             std::size_t width) {
  std::string text = case_table(pointers_to(records), width);
  for (const Cause& cause : causes_of(records))
    text += "\n" + cause_headline(cause, width) + cause_details(cause, "", width) +
            cause_commands(cause, commands, width);
  return text;
}

}  // namespace gradproof
