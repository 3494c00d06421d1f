// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/baseline_file.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/contract/error_bound_name.h"
#include "core/tensor/element_text.h"
#include "core/text_file.h"
#include "core/whole_file.h"
#include "reports/baseline/ceilings.h"
#include "reports/baseline/damage.h"
#include "reports/baseline/fields_of_line.h"
#include "reports/runs/sealed_line.h"

namespace gradproof {
namespace {

constexpr std::string_view kTitle = "gradproof baseline 2";

/// Bytes; a million tensors take half of it.
constexpr std::size_t kLongestBaseline = std::size_t{1} << 29;

std::string noise_field(const MeasuredNoise& noise) {
  if (noise.runs == 0) return "";
  return fmt::format(" | noise {} | noise max {} | noise rms {}", noise.runs, noise.max, noise.rms);
}

std::string bound_field(std::optional<ErrorBound> bound) {
  return bound ? fmt::format(" | bound {}", name_of(*bound)) : "";
}

std::string rung_field(std::optional<Rung> rung) {
  return rung ? fmt::format(" | rung {}", name_of(*rung)) : "";
}

std::string chain_field(std::optional<std::int64_t> chain) {
  return chain ? fmt::format(" | chain {}", *chain) : "";
}

std::string entry_line(const BaselineEntry& e) {
  return fmt::format("{} | {} | {} | max {} | p99 {} | rms {} | worst {} | bits {}{}{}{}{}\n",
                     e.case_text, e.dtype, e.tensor, e.max_ratio, e.p99_ratio, e.rms_ratio, e.worst,
                     e.digest, noise_field(e.noise), bound_field(e.bound), rung_field(e.rung),
                     chain_field(e.chain));
}

std::string without_checksum(const Baseline& b) {
  std::string text =
      fmt::format("{}\nbackend {}\ndevice {}\ntoolkit {}\nversion {}\n", kTitle, b.context.backend,
                  b.context.device, b.context.toolkit, b.context.version);
  for (const Reason& r : b.reasons) text += fmt::format("reason {} {}\n", r.date, r.text);
  for (const Ceiling& c : b.ceilings) text += "ceiling " + ceiling_text(c) + "\n";
  for (const BaselineEntry& e : b.entries) text += entry_line(e);
  return text;
}

MeasuredNoise parse_noise(const std::vector<std::string>& fields) {
  const double runs = number_after("noise", fields[8]);
  if (!(runs >= 2 && runs <= 1e6 && runs == std::floor(runs)))
    throw UsageError(fmt::format("'{}' is no number of runs", fields[8]));
  return {static_cast<std::int64_t>(runs), number_after("noise max", fields[9]),
          number_after("noise rms", fields[10])};
}

/// The text behind the word, taken from the end of the fields, where it stands if it is there.
std::optional<std::string> take(const std::string& word, std::vector<std::string>& fields) {
  if (!fields.back().starts_with(word + " ")) return std::nullopt;
  const std::string text = text_after(word, fields.back());
  fields.pop_back();
  return text;
}

std::optional<ErrorBound> take_bound(std::vector<std::string>& fields) {
  const auto name = take("bound", fields);
  if (!name) return std::nullopt;
  for (const ErrorBound bound : {ErrorBound::certain, ErrorBound::likely})
    if (name_of(bound) == *name) return bound;
  throw UsageError(fmt::format("'{}' is no bound; known: certain likely", *name));
}

std::optional<Rung> take_rung(std::vector<std::string>& fields) {
  const auto name = take("rung", fields);
  if (!name) return std::nullopt;
  const auto rung = rung_named(*name);
  if (!rung) throw UsageError(fmt::format("'{}' is no rung", *name));
  return rung;
}

std::optional<std::int64_t> take_chain(std::vector<std::string>& fields) {
  const auto text = take("chain", fields);
  if (!text) return std::nullopt;
  const auto additions = whole_number(*text);
  if (!additions || *additions < 1)
    throw UsageError(fmt::format("'{}' is no number of additions", *text));
  return additions;
}

BaselineEntry parse_entry(const std::string& line) {
  std::vector<std::string> fields = split_fields(line);
  const std::optional<std::int64_t> chain = take_chain(fields);
  const std::optional<Rung> rung = take_rung(fields);
  const std::optional<ErrorBound> bound = take_bound(fields);
  if (fields.size() != 8 && fields.size() != 11)
    throw UsageError("8 fields between bars expected, or 11 with what is measured of noise");
  return {fields[0],
          fields[1],
          fields[2],
          number_after("max", fields[3]),
          number_after("p99", fields[4]),
          number_after("rms", fields[5]),
          text_after("worst", fields[6]),
          text_after("bits", fields[7]),
          fields.size() == 11 ? parse_noise(fields) : MeasuredNoise(),
          bound,
          rung,
          chain};
}

Ceiling parse_ceiling(const std::string& line) {
  const std::vector<std::string> fields = split_fields(line);
  if (fields.size() != 4) throw UsageError("4 fields between bars expected");
  return {fields[0], fields[1], fields[2], number_after("max", fields[3])};
}

Reason parse_reason(const std::string& rest) {
  const std::size_t blank = std::min(rest.find(' '), rest.size());
  return {rest.substr(0, blank), rest.substr(std::min(blank + 1, rest.size()))};
}

void require_title(const std::string& line) {
  if (line == kTitle) return;
  const bool other = line.starts_with("gradproof baseline ");
  throw UsageError(fmt::format("'{}' expected{}", kTitle,
                               other ? ", this file is of another version: remove it, and "
                                       "`gradproof baseline update` writes it anew"
                                     : ""));
}

void parse_line(Baseline& b, int number, const std::string& line) {
  if (number == 1) return require_title(line);
  if (number == 2) b.context.backend = text_after("backend", line);
  if (number == 3) b.context.device = text_after("device", line);
  if (number == 4) b.context.toolkit = text_after("toolkit", line);
  if (number == 5) b.context.version = text_after("version", line);
  if (number <= 5) return;
  if (line.starts_with("reason "))
    b.reasons.push_back(parse_reason(text_after("reason", line)));
  else if (line.starts_with("ceiling "))
    b.ceilings.push_back(parse_ceiling(text_after("ceiling", line)));
  else
    b.entries.push_back(parse_entry(line));
}

/// Guards against accidents and hand edits, not against an attacker.
std::string checksum_line(const std::string& text) { return "checksum " + content_id(text); }

}  // namespace

std::string to_text(const Baseline& baseline) {
  const std::string text = without_checksum(baseline);
  return text + checksum_line(text) + "\n";
}

Baseline parse_baseline(const std::string& text, const std::string& file) {
  if (const std::string damage = damage_of(text, file); !damage.empty()) throw UsageError(damage);
  Baseline baseline;
  std::istringstream lines(text);
  std::string before;
  std::string seal;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!seal.empty())
      throw UsageError(fmt::format("{}:{}: text after the checksum", file, number));
    if (line.starts_with("checksum ")) {
      seal = line;
      continue;
    }
    before += line + "\n";
    try {
      parse_line(baseline, number, line);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  if (number < 6) throw UsageError(fmt::format("{}: no baseline; it ends too early", file));
  if (seal != checksum_line(before))
    throw UsageError(
        fmt::format("{0}: the checksum does not fit; edited by hand? only `gradproof baseline "
                    "update` writes the "
                    "file, and `git checkout -- {0}` brings the last one back",
                    file));
  return baseline;
}

Baseline read_baseline(const std::string& file) {
  TextFile stream(file);
  std::string text;
  while (const auto line = stream.next()) {
    text += *line;
    if (!stream.torn()) text += "\n";
    if (text.size() > kLongestBaseline)
      throw UsageError(fmt::format("{}: no baseline; over {} MiB", file, kLongestBaseline >> 20));
  }
  return parse_baseline(text, file);
}

void write_baseline(const Baseline& baseline, const std::string& file) {
  write_whole_file(file, [&](std::ostream& stream) { stream << to_text(baseline); });
}

}  // namespace gradproof
