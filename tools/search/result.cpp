// SPDX-License-Identifier: Apache-2.0
#include "tools/search/result.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr const char* kNote = "# error/bound: ";

double ratio_in(const Peaks& peaks, const std::string& tensor) {
  const auto found = peaks.find(tensor);
  return found == peaks.end() ? 0 : found->second.ratio;
}

}  // namespace

Peaks::const_iterator worst_of(const Peaks& peaks) {
  auto worst = peaks.end();
  for (auto it = peaks.begin(); it != peaks.end(); ++it)
    if (it->second.inexact && (worst == peaks.end() || it->second.ratio > worst->second.ratio))
      worst = it;
  return worst;
}

double mean_of(const Peaks& peaks, const Peaks& of) {
  double sum = 0;
  std::int64_t count = 0;
  for (const auto& [tensor, peak] : of) {
    if (!peak.inexact) continue;
    sum += ratio_in(peaks, tensor);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

SearchTotals totals_of(const std::vector<SearchResult>& results) {
  SearchTotals t;
  for (const SearchResult& r : results) {
    t.cases += r.cases;
    if (r.trouble) ++(is_wrong(r.trouble->trouble.verdict.outcome) ? t.failed : t.broken);
    t.incomplete += !r.trouble && worst_of(r.found) == r.found.end();
    for (const auto& [tensor, peak] : r.found) {
      if (!peak.inexact) continue;
      const double drawn = ratio_in(r.drawn, tensor);
      ++t.tensors;
      t.further += peak.ratio > drawn;
      t.less_far += peak.ratio < drawn;
      t.found = std::max(t.found, peak.ratio);
      t.drawn = std::max(t.drawn, drawn);
      t.mean_found += peak.ratio;
      t.mean_drawn += drawn;
    }
  }
  if (t.tensors == 0) return t;
  t.mean_found /= static_cast<double>(t.tensors);
  t.mean_drawn /= static_cast<double>(t.tensors);
  return t;
}

int exit_code(const SearchTotals& totals) {
  if (totals.broken > 0) return 3;
  if (totals.failed > 0) return 1;
  return totals.incomplete > 0 || totals.tensors == 0 ? 4 : 0;
}

std::vector<std::string> kept_lines(const SearchResult& result) {
  if (result.trouble) return {};
  std::map<std::string, std::string> notes;  // of each Case's text
  for (const auto& [tensor, peak] : result.found) {
    if (!peak.inexact || peak.ratio == 0) continue;
    std::string& note = notes[to_string(*peak.c)];
    note +=
        fmt::format("{}{} {:.5g} at {}", note.empty() ? kNote : "; ", tensor, peak.ratio, peak.at);
  }
  std::vector<std::string> lines;
  for (const auto& [text, note] : notes) {
    lines.push_back(note);
    lines.push_back(text);
  }
  return lines;
}

std::vector<std::pair<std::string, double>> noted_ratios(const std::string& line) {
  std::vector<std::pair<std::string, double>> noted;
  if (!line.starts_with(kNote)) return noted;
  std::istringstream notes(line.substr(std::string(kNote).size()));
  for (std::string note; std::getline(notes, note, ';');) {
    std::istringstream words(note);
    std::string tensor;
    double ratio = 0;
    if (words >> tensor >> ratio) noted.emplace_back(tensor, ratio);
  }
  return noted;
}

}  // namespace gradproof
