// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/explain_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "core/compare/discrepancy.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

std::string digits(const ElementFacts& facts, double value) {
  return exact(value, facts.record.dtype.empty() ? DType::f64 : parse_dtype(facts.record.dtype));
}

std::string number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value);
}

std::string where(const ElementFacts& facts, std::int64_t index) {
  return index_text(facts.record.shape, index);
}

/// Lines as they are written, two blanks before what belongs to a heading.
class Page {
 public:
  void line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    lines_.push_back(std::move(text));
  }
  void lines(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(text.find('\n') + 1))
      line(std::string(text.substr(0, text.find('\n'))));
  }
  void heading(const std::string& text) {
    line("");
    line(text);
  }
  void field(const std::string& name, const std::string& text) {
    line(fmt::format("  {:<12}{}", name, text));
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

TextFrame frame_of(const std::string& name) { return {fmt::format("  {:<12}", name), 14}; }

void write_wrapped(Page& page, const std::string& name, const std::string& text) {
  page.lines(filled(frame_of(name), text));
}

void write_case(Page& page, const ElementFacts& facts, const std::string& replay) {
  page.line(to_string(facts.c));
  // A pair's formula names its Linear first.
  const bool named = facts.formula.find('=') != std::string::npos;
  write_wrapped(page, "computes", named ? facts.formula : "y = " + facts.formula);
  if (!facts.pipeline.empty()) write_wrapped(page, "pipeline", facts.pipeline);
  write_wrapped(page, "contract", facts.record.why);
  page.lines(filled_command(frame_of("replay"), replay));
}

std::string tier_text(const Explanation& e) {
  if (!e.fifty_digits) return fmt::format("double-double, within {}", brief(e.radius));
  const std::string fast = !e.fast_decided ? "double-double could not decide"
                           : e.fast_agrees ? "double-double agrees"
                                           : "double-double DISAGREES";
  return fmt::format("50 digits, within {}; {}", brief(e.radius), fast);
}

/// "0.000216   likely; 0.0414 is certain"
std::string bound_text(double bound, double certain) {
  if (std::isinf(bound)) return "none: the contract's arithmetic says nothing here";
  if (certain <= bound) return number(bound);
  return fmt::format("{}   likely; {} is certain", number(bound), number(certain));
}

std::string verdict_text(const Record& record) {
  const Discrepancy& d = record.discrepancy();
  const std::string& reason = record.verdict.reason;
  std::string text = fmt::format("{} {}", record.tensor, name_of(record.verdict.outcome));
  text +=
      reason.empty() ? fmt::format(": {} elements within their bounds", d.elements) : ": " + reason;
  const bool quoted = d.pattern.empty() || reason.find(d.pattern) != std::string::npos;
  return quoted ? text : text + ", " + d.pattern;
}

void write_element(Page& page, const ElementFacts& facts) {
  const Explanation& e = facts.explanation;
  const Comparand& at = facts.element;
  page.heading(fmt::format("{}{}", facts.record.tensor, where(facts, at.index)));
  write_wrapped(page, "verdict", verdict_text(facts.record));
  page.field("truth", fmt::format("{}   {}", e.truth, tier_text(e)));
  page.field("got", fmt::format("{}   {:a}", digits(facts, at.got), at.got));
  page.field("error", number(at.error()));
  page.field("bound", bound_text(at.truth.bound, facts.certain));
  const double ulp = ulp_error(at.error(), at.truth.hi, parse_dtype(facts.record.dtype));
  page.field("error/bound", fmt::format("{}   {} ulp", ratio_text(at.ratio()), brief(ulp)));
}

std::string error_text(double error) {
  return std::isinf(error) ? "no bound" : fmt::format("{:.2e}", error);
}

/// The factor by which more, or less, error is permitted than one line above.
std::string growth_text(double before, double now) {
  if (!(before > 0) || std::isinf(before) || std::isinf(now)) return "";
  return fmt::format("x {:.2g}", now / before);
}

/// The widths of the columns for names, formulas and values of steps, which may have any length.
struct StepColumns {
  std::size_t name = 10;
  std::size_t formula = 30;
  std::size_t value = 20;

  explicit StepColumns(const Explanation& e) {
    for (const auto* passages : {&e.forward, &e.backward, &e.statistics, &e.numbers})
      for (const Passage& p : *passages) {
        name = std::max(name, p.name.size());
        formula = std::max(formula, p.formula.size());
        value = std::max(value, p.value.size());
      }
  }
  std::string line(const Passage& p, const std::string& error, const std::string& growth) const {
    return fmt::format("  {:<{}} {:<{}} {:>{}}  {:>8}  {:>7}", p.name, name, p.formula, formula,
                       p.value, value, error, growth);
  }
};

void write_passages(Page& page, const StepColumns& columns, const std::vector<Passage>& passages,
                    bool grows = true) {
  double before = 0;
  for (const Passage& p : passages) {
    page.line(columns.line(p, error_text(p.error), growth_text(before, p.error)));
    before = grows ? p.error : 0;
  }
}

void write_steps(Page& page, const ElementFacts& facts) {
  const Explanation& e = facts.explanation;
  if (e.forward.empty()) {
    page.heading("steps");
    page.line(e.fifty_digits
                  ? "  none: a sum without terms"
                  : "  not shown: more than 2^21 numbers of the graph decide the element");
    return;
  }
  const std::string of =
      e.units > 1 ? fmt::format("the largest looked at of {} summands, ", e.units) : std::string();
  page.heading(fmt::format("steps, {}{}", of, e.unit));
  const StepColumns columns(e);
  Passage head;
  head.name = "value", head.formula = "computed as", head.value = "truth";
  page.line(columns.line(head, "permitted", "growth"));
  write_passages(page, columns, e.forward);
  write_passages(page, columns, e.backward);
  write_passages(page, columns, e.statistics, false);
  for (const Passage& p : e.numbers) page.line(columns.line(p, "", ""));
}

void write_terms(Page& page, const ElementFacts& facts) {
  page.heading("the bound by source");
  if (facts.explanation.terms.empty()) page.line("  nothing: the number is exact, or has no bound");
  for (const Term& term : facts.explanation.terms) {
    if (term.share < 0.001) continue;
    page.line(fmt::format("  {:>5.1f}%  {}{}", 100 * term.share, term.words,
                          term.detail.empty() ? "" : fmt::format("   ({})", term.detail)));
  }
  if (facts.explanation.terms_over_bound > 0)
    page.line(fmt::format("  together {:.4f} of the bound, as each was evaluated alone",
                          facts.explanation.terms_over_bound));
}

/// Writes what the bound of a graph would be if its contract declared more.
void write_tighter(Page& page, const ElementFacts& facts) {
  std::vector<ContractBound> tighter = facts.explanation.tighter;
  const double now = facts.element.truth.bound;
  std::erase_if(tighter,
                [&](const ContractBound& t) { return error_text(t.bound) == error_text(now); });
  if (tighter.empty()) return;
  page.heading("what a declaration would make of the bound");
  std::size_t width = std::string_view("all together").size();
  for (const ContractBound& t : tighter) width = std::max(width, t.text.size());
  for (const ContractBound& t : tighter) {
    page.line(fmt::format("  {:<{}}  {} -> {}{}", t.text.empty() ? "all together" : t.text, width,
                          error_text(now), error_text(t.bound),
                          std::isinf(now) ? "" : fmt::format("   ({:.2g} times)", now / t.bound)));
  }
}

void write_witnesses(Page& page, const ElementFacts& facts) {
  page.heading("witnesses");
  write_wrapped(page, "oracle", facts.record.witness);
  const LibTorchAnswer& l = facts.libtorch;
  page.field("LibTorch",
             !l.silence.empty()
                 ? l.silence
                 : fmt::format("{:.17g} in float64, end to end: {}, {} off, {} permitted", l.value,
                               l.agrees() ? "agrees" : "DISAGREES", brief(l.off), brief(l.bound)));
  write_wrapped(page, "schedule", facts.schedule);
  for (const SavedStatistic& s : facts.saved)
    page.field("saved " + s.name,
               fmt::format("{}   truth {}   error/bound {}", number(s.comparand.got),
                           number(s.comparand.truth.hi), ratio_text(s.comparand.ratio())));
}

void write_neighbours(Page& page, const ElementFacts& facts) {
  page.heading(fmt::format("around it in {}: {} of {} over the bound", facts.where, facts.unit_bad,
                           facts.unit_size));
  for (const Comparand& n : facts.neighbours)
    page.line(fmt::format("{} {:<12} got {:>15}  truth {:>15}  off {:>12.5g}  error/bound {}",
                          n.index == facts.element.index ? ">" : " ", where(facts, n.index),
                          number(n.got), number(n.truth.hi), n.got - n.truth.hi,
                          ratio_text(n.ratio())));
}

}  // namespace

std::vector<std::string> explain_lines(const ElementFacts& facts, const std::string& replay) {
  Page page;
  write_case(page, facts, replay);
  write_element(page, facts);
  write_steps(page, facts);
  write_terms(page, facts);
  write_tighter(page, facts);
  write_witnesses(page, facts);
  write_neighbours(page, facts);
  return page.take();
}

}  // namespace gradproof
