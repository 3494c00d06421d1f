// SPDX-License-Identifier: Apache-2.0
// This file runs one launch (limits, workers, findings) and defines the functions kernels call.
#include <algorithm>
#include <memory>
#include <utility>

#include <sched.h>

#include "simt/alternation.h"
#include "simt/counted.h"
#include "simt/executor/alarm.h"
#include "simt/executor/block.h"
#include "simt/executor/fault.h"
#include "simt/executor/limits.h"
#include "simt/executor/races.h"
#include "simt/executor/worker_pool.h"
#include "simt/memory/guard_check.h"
#include "simt/progress.h"

namespace simt {
namespace {

thread_local std::int32_t last_chain = 0;

}  // namespace

std::int32_t max_addition_chain() { return last_chain; }

namespace executor {
namespace {

/// The Block of this OS thread, kept between launches with its stacks.
Block& own_block() {
  thread_local const auto block = std::make_unique<Block>();
  return *block;
}

/// The number of cores that the operating system leaves to this process.
int cores() {
  static const int count = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? std::max(1, CPU_COUNT(&allowed))
                                                               : 1;
  }();
  return count;
}

/// Waking a helper costs a few microseconds, so only launches with enough work get helpers.
int helpers_for(const Grid& grid) {
  constexpr std::uint64_t kThreadsWorthAHelper = 4096;
  const int workers = grid.options().workers > 0 ? grid.options().workers : cores();
  const std::uint64_t worth = grid.blocks() * grid.threads_per_block() / kThreadsWorthAHelper;
  const std::uint64_t most = std::min(grid.blocks() - 1, worth);
  return static_cast<int>(std::min<std::uint64_t>(most, static_cast<unsigned>(workers - 1)));
}

/// Kernels of this OS thread find their Block through `running` as long as this object lives.
class Schedules {
 public:
  explicit Schedules(Block& block) { running.scheduler = &block; }
  ~Schedules() { running.scheduler = nullptr; }
  Schedules(const Schedules&) = delete;
  Schedules& operator=(const Schedules&) = delete;
};

/// Runs on every worker of the launch. It never throws, since most workers have no caller who could
/// catch.
/// `races` is null if nobody looks for races.
void run_blocks(Grid& grid, Races* races) try {
  Block& machine = own_block();
  install_fault_handler();
  const Schedules schedules(machine);
  machine.begin_launch(grid);
  if (races) running.adversarial = true;  // so that each atomic operation is reported to the grid
  const Alarm alarm(std::chrono::duration<double>(grid.options().watchdog_seconds));
  while (const auto block = grid.take_block()) {
    const std::uint64_t waits = machine.waits();
    if (!machine.run(*block)) grid.stop();
    grid.block_finished();
    if (races) races->block_finished(*block);
    note_progress(grid.launch_number(), grid.threads_per_block() + machine.waits() - waits);
  }
  grid.note_chain(running.longest_chain);
} catch (...) {
  grid.note_exception(std::current_exception());
  grid.stop();
}

}  // namespace

void execute(const Request& request) {
  if (running.scheduler) throw std::logic_error("a kernel cannot launch a kernel in the executor");
  const AlternatingLaunch turn;
  const Options& options = current_options();
  if (auto findings = check_launch(request, options); !findings.empty()) {
    throw ExecutionError(std::move(findings));
  }
  Grid grid(request, options, next_launch_number());
  if (looks_for_races(grid)) {
    Races races(grid);
    run_blocks(grid, &races);
    races.report();
  } else if (const int helpers = helpers_for(grid); helpers > 0) {
    WorkerPool::instance().run(helpers, [&] { run_blocks(grid, nullptr); });
  } else {
    run_blocks(grid, nullptr);
  }
  last_chain = grid.longest_chain();
  std::vector<Finding> findings = grid.findings().take();
  for (Finding& finding : check_guard_bands()) findings.push_back(std::move(finding));
  if (!findings.empty()) throw ExecutionError(std::move(findings));
  if (grid.thrown()) std::rethrow_exception(grid.thrown());
}

int barrier(Op op, int predicate, Where where) {
  return running.scheduler->barrier(op, predicate, where);
}
Exchange exchange(Op op, unsigned mask, const void* value, unsigned bytes, Where where) {
  return running.scheduler->exchange(op, mask, value, bytes, where);
}
Exchange vote(Op op, unsigned mask, bool predicate, Where where) {
  return running.scheduler->vote(op, mask, predicate, where);
}
void give_way(Op op, bool changed, Where where) { running.scheduler->give_way(op, changed, where); }
bool next_thread() { return running.scheduler->next_thread(); }
unsigned active_mask() { return running.scheduler->active_mask(); }
void* shared_memory(SharedSite& site) { return running.scheduler->shared_memory(site); }
void* dynamic_shared_memory() { return running.scheduler->dynamic_shared_memory(); }

void report_inactive_lane(Op op, unsigned lane, unsigned source, Where where) {
  running.scheduler->report("inactive-lane", where,
                            "lane " + std::to_string(lane) + " reads lane " +
                                std::to_string(source) + ", which takes no part in " + name_of(op) +
                                " at " + place(where));
}

}  // namespace executor
}  // namespace simt

extern "C" float __expf(float x) noexcept { return std::exp(x); }
extern "C" float __logf(float x) noexcept { return std::log(x); }
