// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets.h"

namespace gradproof {

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<FuzzTarget> targets{
      {"case", fuzz_case},       {"case_file", fuzz_case_file}, {"element", fuzz_element},
      {"inputs", fuzz_inputs},   {"record", fuzz_record},       {"run", fuzz_run},
      {"plan", fuzz_plan},       {"baseline", fuzz_baseline},   {"message", fuzz_message},
      {"request", fuzz_request}, {"schema", fuzz_schema},       {"graph", fuzz_graph},
      {"tensors", fuzz_tensors}, {"line", fuzz_line},
  };
  return targets;
}

}  // namespace gradproof
