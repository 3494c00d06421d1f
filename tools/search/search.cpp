// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <fstream>
#include <mutex>

#include <fmt/format.h>

#include "core/case/inputs.h"
#include "core/error.h"
#include "core/parallel.h"
#include "properties/search/draw_fill.h"
#include "tools/search/judged.h"
#include "tools/search/result_json.h"
#include "tools/search/text.h"
#include "tools/verbs.h"

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The file that the worst Cases go to. It is written anew as each search ends, so that one that is
/// interrupted leaves those behind that had ended.
class KeptCases {
 public:
  /// `path` empty: nowhere. Throws UsageError where it cannot be written.
  KeptCases(std::string path, std::string how) : path_(std::move(path)), how_(std::move(how)) {
    if (!path_.empty() && !write({}))
      throw UsageError(fmt::format("--keep '{}' cannot be written", path_));
  }

  void keep(const std::vector<SearchResult>& results) const {
    if (!path_.empty() && !write(results))
      throw InstrumentError(fmt::format("cannot write {}", path_));
  }

 private:
  bool write(const std::vector<SearchResult>& results) const {
    std::ofstream file(path_);
    file << "# The Cases with the largest error/bound that a search found, for each kernel, its "
            "types and "
            "each tensor (docs/search.md).\n"
         << "# Written by: " << how_ << "\n";
    for (const SearchResult& result : results) {
      const std::vector<std::string> lines = kept_lines(result);
      if (lines.empty()) continue;
      file << fmt::format("\n# {} {}\n", result.setup.name, result.setup.dtype);
      for (const std::string& line : lines) file << line << "\n";
    }
    file.flush();
    return file.good();
  }

  std::string path_;
  std::string how_;
};

std::string command_of(const SearchRequest& request) {
  std::string text = "gradproof search";
  for (const std::string& kernel : request.kernels) text += " " + kernel;
  if (!request.dtype.empty()) text += " --dtype " + request.dtype;
  text += request.cases > 0 ? fmt::format(" --cases {}", request.cases)
                            : fmt::format(" --seconds {}", request.seconds);
  return text + fmt::format(" --seed {} --keep {}", request.seed, request.keep);
}

/// All that one request asks for, one search for each kernel and combination of types. Rows are
/// sent in the order of the setups, each as soon as those before it are known.
class SearchRun {
 public:
  SearchRun(const Catalog& catalog, const SearchRequest& request, WorkerChannel& channel)
      : request_(request),
        channel_(channel),
        setups_(setups_of(catalog, request)),
        text_(setups_, request.json),
        kept_(request.keep, command_of(request)),
        results_(setups_.size()) {
    for (const std::string& state : request.parts)
      if (!state.empty()) results_.at(known_before_++) = result_from(state, setups_);
    sent_ = known_before_;
    if (sent_ > 0) kept_.keep(known());
  }

  /// The exit code.
  int run() {
    if (request_.parts.empty()) channel_.part("", text_.heading());
    const SearchBudget budget = budget_of(request_, setups_.size(), thread_limit());
    for_each_index(static_cast<std::int64_t>(setups_.size()), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      if (k < known_before_) return;
      take(k, result_of(setups_[k], budget));
    });
    const std::vector<SearchResult> all = known();
    for (const std::string& line : text_.end(all, seconds_since(start_))) channel_.line(line);
    return exit_code(totals_of(all));
  }

 private:
  SearchResult result_of(const SearchSetup& setup, const SearchBudget& budget) {
    const Kernel& kernel = *setup.kernel;
    Search search({kernel.schema, setup.pinned, [&](const Case& c) { return evaluated(kernel, c); },
                   [&](const Case& c) { return make_inputs(c, kernel.claim(c)); }},
                  random_bits(static_cast<std::uint64_t>(request_.seed),
                              fmt::format("search {} {}", setup.name, setup.dtype)));
    auto last_report = Clock::now();
    spend(search, budget, [&] {
      constexpr double kSilence = 10;  // what Ctrl-C leaves on the screen is at most so old
      if (seconds_since(last_report) < kSilence) return;
      last_report = Clock::now();
      channel_.line(text_.progress(setup, search));
    });
    SearchResult result{setup, search.drawn(), search.found(), search.cases(), search.trouble()};
    // Each simpler Case might take this process down too.
    const bool crashes =
        result.trouble && result.trouble->trouble.verdict.outcome == Outcome::crashed;
    if (result.trouble && !crashes) result.simplest = shrunk(kernel, *result.trouble);
    return result;
  }

  void take(std::size_t k, SearchResult result) {
    const std::lock_guard lock(mutex_);
    results_[k] = std::move(result);
    kept_.keep(known());
    for (; sent_ < results_.size() && results_[sent_]; ++sent_)
      channel_.part(state_of(*results_[sent_]), text_.row(*results_[sent_]));
  }

  std::vector<SearchResult> known() const {
    std::vector<SearchResult> all;
    for (const auto& result : results_)
      if (result) all.push_back(*result);
    return all;
  }

  const SearchRequest& request_;
  WorkerChannel& channel_;
  std::vector<SearchSetup> setups_;
  SearchText text_;
  KeptCases kept_;
  std::vector<std::optional<SearchResult>> results_;
  std::size_t known_before_ = 0;  ///< the first ones, which an earlier worker found
  std::size_t sent_ = 0;
  std::mutex mutex_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

int answer_search(const Systems& systems, const SearchRequest& request, WorkerChannel& channel) {
  return SearchRun(systems.catalog, request, channel).run();
}

}  // namespace gradproof
