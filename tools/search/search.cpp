// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <mutex>

#include "core/parallel.h"
#include "tools/search/kept.h"
#include "tools/search/one_search.h"
#include "tools/search/result_json.h"
#include "tools/search/text.h"
#include "tools/verbs.h"

namespace gradproof {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// All searches of one request, one for each kernel and combination of types. Rows are sent in the
/// order of the setups, each as soon as the rows before it are known.
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
    judged_ = request.cases * static_cast<std::int64_t>(known_before_);
    if (sent_ > 0) kept_.keep(known());
  }

  /// Runs the searches and returns the exit code.
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
    auto last_report = Clock::now();
    return searched(setup, request_, budget, [&](const Search& search) {
      ++judged_;
      report_reached();
      constexpr double kSilence = 10;  // what Ctrl-C leaves on the screen is at most so old
      if (seconds_since(last_report) < kSilence) return;
      last_report = Clock::now();
      channel_.line(text_.progress(setup, search));
    });
  }

  void report_reached() {
    if (request_.cases > 0)
      channel_.progress("cases", judged_, request_.cases * std::ssize(setups_));
    else
      channel_.progress("seconds", static_cast<std::int64_t>(seconds_since(start_)),
                        static_cast<std::int64_t>(request_.seconds));
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
  std::atomic<std::int64_t> judged_ = 0;  ///< Cases, without those drawn beside them
  std::mutex mutex_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

int answer_search(const Systems& systems, const SearchRequest& request, WorkerChannel& channel) {
  return SearchRun(systems.catalog, request, channel).run();
}

}  // namespace gradproof
