// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "judge/check_case.h"
#include "simt/device.h"
#include "tools/bench/kernels.h"
#include "tools/bench/oracle.h"
#include "tools/verbs.h"

namespace gradproof {
namespace {

std::string line(const std::string& name, double value, const std::string& unit,
                 const std::string& note = "") {
  constexpr int kLongestName = 64;  // rows come one by one, so no width can be measured
  return fmt::format("{:<{}}  {:>10.4g} {}{}", name, kLongestName, value, unit,
                     note.empty() ? "" : "   " + note);
}

/// Sends rows; it knows the names of those that an earlier worker sent before a kernel ended it.
class Rows {
 public:
  Rows(const BenchRequest& request, WorkerChannel& channel)
      : known_(request.parts.begin(), request.parts.end()), channel_(channel) {}

  bool has_some() const { return !known_.empty(); }
  bool lacks(const std::string& name) const { return !known_.contains(name); }
  void say(const std::string& name, double value, const std::string& unit,
           const std::string& note = "") {
    channel_.part(name, {line(name, value, unit, note)});
  }

 private:
  std::set<std::string> known_;
  WorkerChannel& channel_;
};

void executor_rows(const Catalog& catalog, Rows& rows) {
  const auto on_row = [&](const simt::BenchRow& row) { rows.say(row.name, row.ns, row.unit); };
  if (!rows.has_some()) simt::bench_executor(on_row);
  bench_executor_kernels(
      catalog, [&](const std::string& name) { return rows.lacks(name); }, on_row);
}

void device_rows(const Catalog& catalog, Rows& rows) {
  bench_device(catalog, [&](const DeviceBenchRow& row) {
    const std::string name = fmt::format("{} {} x {}", row.name, row.rows, row.cols);
    if (rows.lacks(name))
      rows.say(name, row.rate, "GB/s",
               fmt::format("{:.4f} ms, {:.0f}% of the copy rate {:.0f} GB/s", row.milliseconds,
                           100 * row.rate / row.copy_rate, row.copy_rate));
  });
}

void oracle_rows(WorkerChannel& channel) {
  bench_oracle([&](const OracleBenchRow& row) {
    channel.line(
        line(row.name, row.melems, "Melem/s", fmt::format("{:.3g} of float64", row.ratio)));
  });
}

}  // namespace

int answer_bench(const Systems& systems, const BenchRequest& request, WorkerChannel& channel) {
  const std::string& what = request.name;
  Rows rows(request, channel);
  if (what == "executor")
    executor_rows(systems.catalog, rows);
  else if (what == "kernels")
    device_rows(systems.catalog, rows);
  else if (what == "oracle")
    oracle_rows(channel);
  else
    throw UsageError(fmt::format("unknown benchmark '{}'; known: executor kernels oracle", what));
  const auto gpu = what == "kernels" ? simt::device_info() : std::nullopt;
  channel.line(fmt::format("on {}, {}", gpu ? gpu->name : "the CPU", GRADPROOF_TOOLKIT));
  return 0;
}

}  // namespace gradproof
