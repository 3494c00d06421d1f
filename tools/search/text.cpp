// SPDX-License-Identifier: Apache-2.0
#include "tools/search/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/record/json.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "tools/search/judged.h"

namespace gradproof {
namespace {

/// The ratio in four digits, more if 1.0000 would hide which side of 1 it is on; fewer from 2 on.
std::string four_digits(double ratio) {
  if (ratio >= 2) return brief(ratio);
  const std::string text = fmt::format("{:.4f}", ratio);
  return ratio != 1 && text == "1.0000" ? ratio_text(ratio) : text;
}

std::string ratio_or_none(const Peaks& peaks) {
  const auto worst = worst_of(peaks);
  return worst == peaks.end() ? "-" : four_digits(worst->second.ratio);
}

Json tensors_json(const SearchResult& result) {
  Json tensors = Json::object();
  for (const auto& [name, peak] : result.found) {
    if (!peak.inexact) continue;
    const auto drawn = result.drawn.find(name);
    tensors[name] = {{"draws", number_json(drawn == result.drawn.end() ? 0 : drawn->second.ratio)},
                     {"search", number_json(peak.ratio)},
                     {"at", peak.at},
                     {"case", to_string(*peak.c)}};
  }
  return tensors;
}

std::string row_json(const SearchResult& result) {
  Json json{{"kernel", result.setup.name}, {"dtype", result.setup.dtype}, {"cases", result.cases}};
  const auto drawn = worst_of(result.drawn);
  const auto found = worst_of(result.found);
  json["draws"] = drawn == result.drawn.end() ? Json() : number_json(drawn->second.ratio);
  json["search"] = found == result.found.end() ? Json() : number_json(found->second.ratio);
  json["tensors"] = tensors_json(result);
  return dump(json);
}

std::string trouble_json(const SearchResult& result) {
  const auto& [c, trouble] = *result.trouble;
  Json json{{"case", to_string(c)},
            {"tensor", trouble.tensor},
            {"verdict", name_of(trouble.verdict.outcome)},
            {"reason", trouble.verdict.reason}};
  if (result.simplest) json["shrunk"] = to_string(*result.simplest);
  return dump(Json{{"found", json}});
}

/// The lines that `check` prints about the tensor, and the simplest Case.
std::vector<std::string> trouble_text(const SearchResult& result) {
  const auto& [c, trouble] = *result.trouble;
  const std::string text = to_string(c);
  std::vector<std::string> lines;
  if (trouble.verdict.outcome == Outcome::crashed) return lines;  // the front has shown it
  if (is_wrong(trouble.verdict.outcome)) {
    for (const Record& record : searched_records(*result.setup.kernel, c))
      if (record.tensor == trouble.tensor) lines.push_back(evidence(record));
  } else {
    lines.push_back(fmt::format("{} {}: {}\n  replay: {}", name_of(trouble.verdict.outcome),
                                trouble.tensor, trouble.verdict.reason, Commands().replay(text)));
  }
  if (result.simplest)
    lines.push_back(fmt::format("shrunk: {}   ({})", Commands().replay(to_string(*result.simplest)),
                                trouble.tensor));
  return lines;
}

}  // namespace

SearchText::SearchText(const std::vector<SearchSetup>& setups, bool json)
    : widest_(std::string("kernel").size()), json_(json) {
  for (const SearchSetup& setup : setups) widest_ = std::max(widest_, setup.name.size());
}

std::string SearchText::aligned(const std::vector<std::string>& cells) const {
  return fmt::format("{:<{}}  {:5}  {:>6}  {:>8}  {:>8}  {:>8}  {:>8}  {:16}  {}", cells[0],
                     widest_, cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7],
                     cells[8]);
}

std::vector<std::string> SearchText::heading() const {
  if (json_) return {};
  return {
      "error/bound of all tensors, the largest: of random draws and of the search, of as many "
      "Cases each;",
      "then the mean of the largest of each tensor: of the draws and of the search; then where the "
      "search's is",
      aligned(
          {"kernel", "dtype", "cases", "draws", "search", "draws", "search", "tensor", "case"})};
}

std::vector<std::string> SearchText::row(const SearchResult& result) const {
  std::vector<std::string> lines;
  if (result.trouble) lines = json_ ? std::vector{trouble_json(result)} : trouble_text(result);
  if (json_) {
    lines.push_back(row_json(result));
    return lines;
  }
  const auto worst = worst_of(result.found);
  const bool none = worst == result.found.end();
  lines.push_back(aligned({result.setup.name, result.setup.dtype, std::to_string(result.cases),
                           ratio_or_none(result.drawn), ratio_or_none(result.found),
                           four_digits(mean_of(result.drawn, result.found)),
                           four_digits(mean_of(result.found, result.found)),
                           none ? "-" : worst->first + worst->second.at,
                           none ? "-" : fmt::format("'{}'", to_string(*worst->second.c))}));
  return lines;
}

std::string SearchText::progress(const SearchSetup& setup, const Search& search) const {
  const auto worst = worst_of(search.found());
  const std::string so_far =
      worst == search.found().end()
          ? "nothing"
          : fmt::format("{} {}{} '{}'", four_digits(worst->second.ratio), worst->first,
                        worst->second.at, to_string(*worst->second.c));
  const std::string text =
      fmt::format("{} {}, {} cases, so far: {}", setup.name, setup.dtype, search.cases(), so_far);
  return json_ ? dump(Json{{"progress", text}}) : text;
}

std::vector<std::string> SearchText::end(const std::vector<SearchResult>& results,
                                         double seconds) const {
  const SearchTotals t = totals_of(results);
  std::vector<std::string> lines;
  for (const SearchResult& r : results) {
    if (r.trouble || worst_of(r.found) != r.found.end()) continue;
    const std::string gap = fmt::format("{} {}: nothing was judged", r.setup.name, r.setup.dtype);
    lines.push_back(json_ ? dump(Json{{"incomplete", gap}}) : "incomplete: " + gap);
  }
  if (json_) {
    lines.push_back(dump(Json{{"result",
                               {{"searches", results.size()},
                                {"cases", t.cases},
                                {"tensors", t.tensors},
                                {"failed", t.failed},
                                {"broken", t.broken},
                                {"incomplete", t.incomplete},
                                {"draws", number_json(t.drawn)},
                                {"search", number_json(t.found)},
                                {"mean_draws", number_json(t.mean_drawn)},
                                {"mean_search", number_json(t.mean_found)},
                                {"further", t.further},
                                {"less_far", t.less_far},
                                {"seconds", seconds}}}}));
    return lines;
  }
  lines.push_back(fmt::format(
      "of {} tensors the search came further than as many random draws in {}, less far in {}; mean "
      "of "
      "their largest error/bound: draws {}, search {}",
      t.tensors, t.further, t.less_far, four_digits(t.mean_drawn), four_digits(t.mean_found)));
  lines.push_back(fmt::format(
      "RESULT searches={} cases={} tensors={} failed={} broken={} incomplete={} draws={} search={} "
      "further={} less_far={} seconds={:.1f}",
      results.size(), t.cases, t.tensors, t.failed, t.broken, t.incomplete, four_digits(t.drawn),
      four_digits(t.found), t.further, t.less_far, seconds));
  return lines;
}

}  // namespace gradproof
