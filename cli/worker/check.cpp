// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/worker/verbs.h"
#include "core/error.h"
#include "core/parallel.h"
#include "core/tensor/element_text.h"
#include "judge/check_case.h"

namespace gradproof {
namespace {

constexpr std::string_view kThreads = "threads=";
constexpr std::int64_t kMostThreads = 1024;

int threads_of(const std::string& argument) {
  const auto number = whole_number(std::string_view(argument).substr(kThreads.size()));
  if (!number || *number < 1 || *number > kMostThreads)
    throw UsageError(
        fmt::format("'{}' is no whole number of threads from 1 to {}", argument, kMostThreads));
  return static_cast<int>(*number);
}

}  // namespace

int answer_check(const Systems& systems, const Request& request, WorkerChannel& channel) {
  Detail detail = Detail::of_all;
  int threads = thread_limit();
  for (const std::string& argument : request.arguments) {
    if (argument == "largest=failures")
      detail = Detail::of_failures;
    else if (argument.starts_with(kThreads))
      threads = threads_of(argument);
    else
      throw UsageError("unknown argument '" + argument + "'; known: largest=failures threads");
  }
  const ThreadLimit limit(threads);
  const Case c = parse_case(request.text, systems.schemas());
  for (const Record& record : check_case(systems, c, detail)) channel.record(record);
  return 0;
}

}  // namespace gradproof
