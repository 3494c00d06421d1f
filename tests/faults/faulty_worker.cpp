// SPDX-License-Identifier: Apache-2.0
// A whole worker, verbs of the lab included, with kernels that misbehave. FAULT=NAME gives
// swish_bias itself the fault, in calls of FAULT_ROWS rows where that is given;
// FAULT_AT_START=abort ends the program before its main, abort_again where the file FAULT_ONCE is
// there.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/worker/serve.h"
#include "tests/faults/faulty_kernels.h"
#include "tools/verbs.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

const bool kStarted = [] {
  const std::string when = variable("FAULT_AT_START");
  const std::string once = variable("FAULT_ONCE");
  const bool again = !once.empty() && std::filesystem::exists(once);
  if (when == "abort" || (when == "abort_again" && again)) std::abort();
  if (when == "abort_again") std::ofstream(once).close();
  return true;
}();

}  // namespace

int main(int count, char** arguments) {
  using namespace gradproof;
  static_cast<void>(kStarted);
  const std::string fault = variable("FAULT");
  const std::string rows = variable("FAULT_ROWS");
  const Catalog faulty =
      fault.empty() ? catalog(faulty_kernels())
                    : with_fault(catalog(), fault, rows.empty() ? kFaultyRows : std::stoll(rows));
  return serve({faulty}, count, arguments, lab_verbs());
}
