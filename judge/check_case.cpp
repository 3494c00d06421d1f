// SPDX-License-Identifier: Apache-2.0
#include "judge/check_case.h"

#include <chrono>

#include "judge/model_pairs/linear_records.h"
#include "judge/model_pairs/linear_system.h"
#include "judge/records.h"
#include "judge/run_case.h"
#include "judge/tensor_records.h"
#include "simt/device.h"

namespace gradproof {
namespace {

std::vector<Record> kernel_records(const Case& c) {
  const CaseRun run = run_case(c);
  if (!run.findings().empty()) return {findings_record(c, run.findings())};
  return truth_records(c, run);
}

std::vector<Record> records_of(const Case& c) {
  try {
    if (c.schema().has("law") && !c.is("law", "none")) return law_records(c);
    return is_linear_system(c) ? linear_records(c) : kernel_records(c);
  } catch (const simt::NoDevice& error) {
    return {skipped_record(c, error.what())};
  } catch (const simt::NoRoom& error) {
    return {skipped_record(c, error.what())};
  } catch (const simt::ExecutionError& error) {  // where no harness stood between
    return {findings_record(c, error.findings())};
  }
}

}  // namespace

std::vector<SchemaPtr> all_schemas() {
  std::vector<SchemaPtr> all = schemas();
  for (const SchemaPtr& schema : linear_schemas()) all.push_back(schema);
  return all;
}

Context context_of(const Case& c) {
  const bool cuda = c.is("device", "cuda");
  Context context{cuda ? "cuda" : "cpu", "executor sm_90", GRADPROOF_TOOLKIT, GRADPROOF_VERSION};
  if (const auto device = cuda ? simt::device_info() : std::nullopt) context.device = device->name;
  return context;
}

std::vector<Record> check_case(const Case& c) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Record> records = records_of(c);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (Record& record : records) record.seconds = seconds.count();
  return records;
}

}  // namespace gradproof
