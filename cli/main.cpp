// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "cli/options.h"
#include "cli/verbs.h"
#include "core/error.h"

namespace {

using namespace gradproof;

int run(int count, char** arguments) {
  const std::map<std::string, std::function<int(const Options&)>> verbs{
      {"list", run_list},
      {"check", run_check},
      {"replay", run_replay},
      {"doctor", run_doctor},
      {"audit", run_audit},
      {"bench", run_bench},
      {"explain", run_explain},
      {"trial", run_trial},
      {"exhaustive", run_exhaustive},
      {"report", run_report},
      {"baseline update", run_baseline_update}};
  const Options options = parse_options(count, arguments);
  return verbs.at(options.verb)(options);
}

int complain(const std::exception& error, int code) {
  fmt::print(stderr, "gradproof: {}\n", error.what());
  return code;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const HelpRequest& help) {
    fmt::print("{}", help.text);
    return 0;
  } catch (const UsageError& error) {
    return complain(error, 2);
  } catch (const std::exception& error) {
    return complain(error, 3);
  }
}
