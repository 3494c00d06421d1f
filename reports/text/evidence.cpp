// SPDX-License-Identifier: Apache-2.0
#include "reports/text/evidence.h"

#include <cmath>

#include <fmt/format.h>

#include "reports/histogram.h"
#include "reports/text/case_table.h"
#include "reports/text/number_text.h"
#include "reports/text/run_summary.h"
#include "reports/text/safe_text.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

std::string at(const Record& r, std::int64_t index) { return index_text(r.shape, index); }

std::string why(const Record& r) { return r.why.empty() ? "" : "   why: " + r.why; }

/// "  resolves 3e-07 (median 1e-06)"; nothing where every truth is 0, NaN or infinite: no factor
/// moves these.
std::string resolution_text(const Discrepancy& d) {
  if (std::isinf(d.resolution.whole)) return "";
  return fmt::format("  resolves {} (median {})", brief(d.resolution.whole),
                     brief(d.resolution.median));
}

/// "max 0.81 of bound  p99 0.22", or "max 0.2 of likely  typical 0.04  p99 0.11" where a whole
/// tensor is judged by its root mean square too.
std::string ratios_text(const Record& r) {
  const Discrepancy& d = r.discrepancy();
  const bool likely = r.bound == ErrorBound::likely;
  const std::string typical =
      likely ? fmt::format("  typical {}", ratio_text(d.rms_ratio)) : std::string();
  return fmt::format("max {} of {}{}  p99 {}", ratio_text(d.max_ratio), likely ? "likely" : "bound",
                     typical, ratio_text(d.p99_ratio));
}

/// "max 0.81 of bound  p99 0.22  1.9 ulp at [17,3]  resolves 3e-07 (median 1e-06)"
std::string measure(const Record& r) {
  const Discrepancy& d = r.discrepancy();
  std::string text = ratios_text(r);
  if (d.elements == 0) return text;
  // A law's sums are float64 whatever the kernel's type: their last place says nothing.
  const bool law = r.witness.starts_with("law ");
  const std::string ulp = law ? "" : fmt::format("{} ulp ", brief(d.worst.ulp));
  const std::string resolved = resolves_something(r) ? resolution_text(d) : "";
  return text + fmt::format("  {}at {}{}", ulp, at(r, d.worst.index), resolved);
}

/// "  (vanishing by mathematics)"; nothing where inputs say what the truth is.
std::string known_text(const Record& r) {
  return r.known ? fmt::format("  ({})", name_of(*r.known)) : "";
}

/// "  rung 'fused, as saved'"; of code that declared what it rounds, nothing.
std::string rung_text(const Record& r) {
  return r.rung ? fmt::format("  rung '{}'", name_of(*r.rung)) : "";
}

std::string headline(const Record& r) {
  const std::string start =
      fmt::format("{}  {} {}", verdict_word(r.verdict.outcome), r.kernel, r.tensor);
  const Discrepancy& d = r.discrepancy();
  if (r.verdict.outcome == Outcome::passed)
    return fmt::format("{}  {}{}{}{}", start, measure(r), known_text(r), rung_text(r), why(r));
  if (r.verdict.outcome != Outcome::failed || d.bad == 0) {
    const std::string numbers = d.elements > 0 ? "  " + measure(r) + rung_text(r) + why(r) : "";
    return fmt::format("{}  {}{}", start, shown_reason(r.verdict.reason), numbers);
  }
  const double percent = 100.0 * static_cast<double>(d.bad) / static_cast<double>(d.elements);
  const std::string classes =
      d.wrong_class > 0 ? fmt::format(", {} of the wrong class (NaN, Inf)", d.wrong_class) : "";
  return fmt::format("{}  {}{} of {} elements ({:.1f}%) over the bound{}{}{}", start, own_reason(r),
                     d.bad, d.elements, percent, classes, rung_text(r), why(r));
}

std::string worst_line(const Record& r) {
  const Element& e = r.discrepancy().worst;
  const auto [got, want] = got_and_want(r);
  return fmt::format("  worst {}  got {} ({:a})  want {}  error/bound {}  ulp {}", at(r, e.index),
                     got, e.got, want, ratio_text(e.ratio), brief(e.ulp));
}

std::string good_text(const Record& r) {
  const auto& good = r.discrepancy().good_before;
  if (good.empty()) return "  ";
  const std::string last =
      good.size() > 1 ? fmt::format("..{}", at(r, good.back())) : std::string();
  return fmt::format("  good  {}{}   ", at(r, good.front()), last);
}

std::string bad_line(const Record& r) {
  const Discrepancy& d = r.discrepancy();
  std::string text = good_text(r) + "bad";
  for (const Element& e : d.first_bad) text += " " + at(r, e.index);
  if (!d.last_bad.empty()) {
    const bool gap = d.bad > static_cast<std::int64_t>(d.first_bad.size()) + 1;
    text += (gap ? " ... " : " ") + at(r, d.last_bad.back().index);
  }
  return d.pattern.empty() ? text : text + "   " + d.pattern;
}

/// "  columns  32: 9.5, 64 bad   31: 0.9"
std::string column_line(const Record& r) {
  std::string text;
  for (const WorstColumn& c : r.discrepancy().worst_columns) {
    const std::string bad = c.bad > 0 ? fmt::format(", {} bad", c.bad) : "";
    text += fmt::format("   {}: {}{}", c.column, ratio_text(c.max_ratio), bad);
  }
  return text.empty() ? "" : "\n  worst columns" + text;
}

/// The lines about the bad elements, their classes first.
std::string bad_lines(const Record& r) {
  const std::string classes = class_text(r.discrepancy());
  const std::string histogram = histogram_text(r.discrepancy().histogram);
  return (classes.empty() ? "" : "\n  " + classes) + "\n" + worst_line(r) + "\n" + bad_line(r) +
         column_line(r) + (histogram.empty() ? "" : "\n  error/bound  " + histogram);
}

constexpr const char* kReplay = "  replay: ";

bool is_replayed(const Record& r) {
  return r.verdict.outcome != Outcome::passed && r.verdict.outcome != Outcome::skipped;
}

/// The part of an evidence in front of the command that replays it.
std::string message(const Record& r) {
  const bool has_bad = is_replayed(r) && r.discrepancy().bad > 0;
  return headline(r) + (has_bad ? bad_lines(r) : "");
}

}  // namespace

std::pair<std::string, std::string> got_and_want(const Record& r) {
  const DType dtype = r.dtype == "f64" ? DType::f64 : DType::f32;
  const Element& e = r.discrepancy().worst;
  std::string got = exact(e.got, dtype), want = exact(e.want, dtype);
  // The truth is no number of the dtype: when it prints like the kernel's, it gets all its digits.
  if (want == got) want = exact(e.want, DType::f64);
  return {std::move(got), std::move(want)};
}

std::string shown_reason(const std::string& reason) {
  constexpr std::size_t kLongest = 2048;
  if (reason.size() <= kLongest) return reason;
  return fmt::format("{} ({} bytes, all of them in the record)", shortened(reason, kLongest),
                     reason.size());
}

std::string own_reason(const Record& r) {
  const std::string& reason = r.verdict.reason;
  return reason == judge(r.discrepancy()).reason ? "" : shown_reason(reason) + ": ";
}

std::string evidence(const Record& r, const Commands& commands) {
  const std::string text = message(r);
  return is_replayed(r) ? text + "\n" + kReplay + commands.replay(r.case_text) : text;
}

std::string evidence_lines(const Record& r, const Commands& commands, std::size_t width) {
  const std::string text = filled_lines(message(r), width);
  return is_replayed(r) ? text + filled_command({kReplay, 2, width}, commands.replay(r.case_text))
                        : text;
}

}  // namespace gradproof
