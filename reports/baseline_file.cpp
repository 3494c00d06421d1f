// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "core/case/schema.h"
#include "core/error.h"
#include "core/text_file.h"
#include "reports/runs/sealed_line.h"

namespace gradproof {
namespace {

constexpr std::string_view kTitle = "gradproof baseline 1";

/// Bytes; a million tensors take half of it.
constexpr std::size_t kLongestBaseline = std::size_t{1} << 29;

/// A Case has no blank beside a bar, so " | " separates.
std::string entry_line(const BaselineEntry& e) {
  return fmt::format("{} | {} | max {} | p99 {} | rms {} | worst {} | bits {}\n", e.case_text,
                     e.tensor, e.max_ratio, e.p99_ratio, e.rms_ratio, e.worst, e.digest);
}

std::string without_checksum(const Baseline& b) {
  std::string text =
      fmt::format("{}\nbackend {}\ndevice {}\ntoolkit {}\nversion {}\n", kTitle, b.context.backend,
                  b.context.device, b.context.toolkit, b.context.version);
  for (const Reason& r : b.reasons) text += fmt::format("reason {} {}\n", r.date, r.text);
  for (const BaselineEntry& e : b.entries) text += entry_line(e);
  return text;
}

/// The text after a word and a blank; throws UsageError where the line starts otherwise.
std::string after(const std::string& word, const std::string& line) {
  if (!line.starts_with(word + " ")) throw UsageError(fmt::format("'{} ...' expected", word));
  return line.substr(word.size() + 1);
}

double number_after(const std::string& word, const std::string& line) {
  double value = 0;
  // NaN would not equal itself, and text and value are inverse.
  if (!parse_double(after(word, line), value) || std::isnan(value))
    throw UsageError(fmt::format("'{}' is no number", after(word, line)));
  return value;
}

BaselineEntry parse_entry(std::string line) {
  std::array<std::string, 7> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t bar = line.find(" | ");
    if ((bar == std::string::npos) != (i + 1 == fields.size()))
      throw UsageError(fmt::format("{} fields between bars expected", fields.size()));
    fields[i] = line.substr(0, bar);
    line.erase(0, bar == std::string::npos ? line.size() : bar + 3);
  }
  return {fields[0],
          fields[1],
          number_after("max", fields[2]),
          number_after("p99", fields[3]),
          number_after("rms", fields[4]),
          after("worst", fields[5]),
          after("bits", fields[6])};
}

void parse_line(Baseline& b, int number, const std::string& line) {
  if (number == 1 && line != kTitle) throw UsageError(fmt::format("'{}' expected", kTitle));
  if (number == 2) b.context.backend = after("backend", line);
  if (number == 3) b.context.device = after("device", line);
  if (number == 4) b.context.toolkit = after("toolkit", line);
  if (number == 5) b.context.version = after("version", line);
  if (number <= 5) return;
  if (!line.starts_with("reason ")) return b.entries.push_back(parse_entry(line));
  const std::string rest = after("reason", line);
  const std::size_t blank = std::min(rest.find(' '), rest.size());
  b.reasons.push_back({rest.substr(0, blank), rest.substr(std::min(blank + 1, rest.size()))});
}

/// Guards against accidents and hand edits, not against an attacker.
std::string checksum_line(const std::string& text) { return "checksum " + content_id(text); }

}  // namespace

std::string to_text(const Baseline& baseline) {
  const std::string text = without_checksum(baseline);
  return text + checksum_line(text) + "\n";
}

Baseline parse_baseline(const std::string& text, const std::string& file) {
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
    throw UsageError(fmt::format(
        "{}: the checksum does not fit; edited by hand? only 'baseline update' writes it", file));
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
  // Where the file is a link, what it points to is replaced.
  const std::string whole = std::filesystem::weakly_canonical(file);
  const std::string begun = fmt::format("{}.{}", whole, getpid());
  errno = 0;
  std::ofstream stream(begun, std::ios::binary);
  stream << to_text(baseline) << std::flush;
  stream.close();
  if (stream && std::rename(begun.c_str(), whole.c_str()) == 0) return;
  const int error = errno;
  std::remove(begun.c_str());
  throw UsageError(fmt::format("cannot write '{}': {}", file, std::strerror(error)));
}

}  // namespace gradproof
