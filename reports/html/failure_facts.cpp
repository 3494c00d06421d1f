// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "reports/formats/failures.h"
#include "reports/html/sections.h"
#include "reports/plots/plots.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

using Fact = std::pair<std::string, std::string>;

constexpr const char* kOver = "over the bound";

DType dtype_of(const Record& r) { return r.dtype == "f64" ? DType::f64 : DType::f32; }

/// The truth is no number of the dtype: where both would have the same text it has all its digits.
std::string worst_element_text(const Record& r) {
  const Element& e = r.discrepancy().worst;
  const std::string got = exact(e.got, dtype_of(r));
  std::string want = exact(e.want, dtype_of(r));
  if (want == got) want = exact(e.want, DType::f64);
  const std::string bits = std::isfinite(e.got) ? fmt::format(" ({:a})", e.got) : "";
  const std::string ulp = std::isfinite(e.ulp) ? fmt::format(", {} ulp", brief(e.ulp)) : "";
  return fmt::format("{}: got {}{}, the truth is {}; error/bound {}{}",
                     index_text(r.shape, e.index), got, bits, want, ratio_text(e.ratio), ulp);
}

std::string places_text(const Record& r) {
  const Discrepancy& d = r.discrepancy();
  if (d.bad == d.elements) return "";  // the pattern says so
  std::string text;
  for (const Element& e : d.first_bad) text += " " + index_text(r.shape, e.index);
  if (!d.last_bad.empty()) text += " to " + index_text(r.shape, d.last_bad.back().index);
  if (!d.good_before.empty())
    text += fmt::format("; the last correct one before them is {}",
                        index_text(r.shape, d.good_before.back()));
  return text.empty() ? "" : text.substr(1);
}

std::string columns_text(const Discrepancy& d) {
  std::string text;
  for (const WorstColumn& c : d.worst_columns)
    text += text.empty()
                ? fmt::format("error/bound {} in column {}", ratio_text(c.max_ratio), c.column)
                : fmt::format(", {} in {}", ratio_text(c.max_ratio), c.column);
  return text;
}

/// A reason of its own, without the colon that goes in front of figures.
std::string reason_text(const Record& r) {
  std::string text = own_reason(r);
  if (text.ends_with(": ")) text.resize(text.size() - 2);
  return text;
}

/// The facts that are known, by name; one with an empty text is not shown.
std::vector<Fact> facts_of(const Record& r) {
  const Discrepancy& d = r.discrepancy();
  if (d.bad == 0) return {{"finding", r.verdict.reason}};
  return {{"finding", reason_text(r)},    {kOver, over_text(d)},
          {"wrong class", class_text(d)}, {"worst element", worst_element_text(r)},
          {"where", places_text(r)},      {"worst columns", columns_text(d)},
          {"the bound allows", r.why}};
}

}  // namespace

std::string over_text(const Discrepancy& d) {
  const double percent = 100.0 * static_cast<double>(d.bad) / static_cast<double>(d.elements);
  return fmt::format("{} of {} elements ({:.3g}%){}", d.bad, d.elements, percent,
                     d.pattern.empty() ? "" : ", " + d.pattern);
}

std::string failure_facts(const WrongTensor& failure, const PageLimits& limits) {
  const Record& r = *failure.record;
  if (r.measured() == Measured::differences)
    return fmt::format("<pre tabindex=\"0\">{}</pre>\n",
                       html_escaped(shortened(message_of(failure), limits.message)));
  const Discrepancy& d = r.discrepancy();
  const std::string picture = d.bad < d.elements ? " " + small_histogram(d.histogram) : "";
  std::string text = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts_of(r))
    if (!value.empty())
      text +=
          fmt::format("<dt>{}</dt><dd>{}{}</dd>\n", name,
                      html_escaped(shortened(value, limits.message)), name == kOver ? picture : "");
  return text + "</dl>\n";
}

}  // namespace gradproof
