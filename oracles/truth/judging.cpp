// SPDX-License-Identifier: Apache-2.0
#include "oracles/truth/judging.h"

#include <algorithm>
#include <mutex>

#include "core/error.h"
#include "core/parallel.h"
#include "oracles/bounds/bounding.h"
#include "oracles/truth/block_evaluator.h"

namespace gradproof {
namespace {

/// Some batches that one thread evaluates. Each part of the rows has its own ColumnSums; the parts
/// do not depend on the number of threads, so the result is the same on every machine.
struct WorkItem {
  std::int64_t first = 0;  ///< the first column; in a claim with groups, the group
  std::int64_t row = 0;
  std::int64_t units = 0;
  std::size_t part = 0;  ///< which part of the rows
};

constexpr std::int64_t kCachedElements = std::int64_t{1} << 18;
constexpr std::int64_t kAdjacent = 16;   ///< float32 columns in one cache line
constexpr std::int64_t kWorkItems = 16;  ///< at least so many, to keep all cores busy

std::vector<WorkItem> column_work_items(const Claim& claim) {
  const std::int64_t most = std::clamp<std::int64_t>(claim.cols() / kWorkItems, 1, kAdjacent);
  const std::int64_t width =
      std::clamp<std::int64_t>(kCachedElements / std::max<std::int64_t>(claim.rows(), 1), 1, most);
  std::vector<WorkItem> items;
  for (std::int64_t first = 0; first < claim.cols(); first += width)
    items.push_back({first, 0, std::min(width, claim.cols() - first), 0});
  return items;
}

/// One item for each group; where there are few groups, several items that share out its rows.
std::vector<WorkItem> group_work_items(const Claim& claim) {
  const std::int64_t parts = (kWorkItems + claim.groups() - 1) / claim.groups();
  const std::int64_t rows = std::max<std::int64_t>(64, (claim.rows() + parts - 1) / parts);
  std::vector<WorkItem> items;
  for (std::int64_t group = 0; group < claim.groups(); ++group)
    for (std::int64_t row = 0; row < claim.rows(); row += rows)
      items.push_back(
          {group, row, std::min(rows, claim.rows() - row), static_cast<std::size_t>(row / rows)});
  return items;
}

/// Evaluates the item in batches that fit into a cache.
template <class F>
void judge_item(BlockEvaluator<F>& judge, const Claim& claim, const WorkItem& item) {
  const std::int64_t width = claim.block_width();
  const std::int64_t step =
      claim.groups() > 0 ? std::max<std::int64_t>(1, kCachedElements / 16 / width) : item.units;
  for (std::int64_t k = 0; k < item.units; k += step)
    judge.judge({item.first, item.row + k, std::min(step, item.units - k)});
  judge.close();
}

template <class F>
ColumnSums<F> sums_for(const Plan& plan) {
  ColumnSums<F> sums;
  for (const Output& output : plan.outputs)
    sums.emplace_back(output.summed ? static_cast<std::size_t>(plan.claim.cols()) : 0);
  return sums;
}

Truths only(const Truth& truth) {
  Truths truths;
  truths.resize(1);
  truths.hi[0] = truth.hi;
  truths.lo[0] = truth.lo;
  truths.radius[0] = truth.radius;
  truths.bound[0] = truth.bound;
  truths.any_nonfinite[0] = truth.any_nonfinite;
  return truths;
}

/// Writes the gradients that are sums over units, when all units are added.
template <class F>
class Finisher {
 public:
  Finisher(const Plan& plan, std::vector<ColumnSums<F>> parts)
      : plan_(plan), bounding_(plan.claim), parts_(std::move(parts)) {}

  void put(TruthSink::SinkWriter& writer) {
    for (std::size_t s = 0; s < plan_.outputs.size(); ++s) {
      if (!plan_.outputs[s].summed) continue;
      const TensorSpec& spec = plan_.claim.tensors[plan_.tensors[s]];
      const bool shared = numel(spec.layout.shape) == 1 && plan_.claim.cols() > 1;
      ColumnSum<F> total;
      for (std::int64_t column = 0; column < plan_.claim.cols(); ++column) {
        const ColumnSum<F> sum = column_sum(s, static_cast<std::size_t>(column), shared);
        if (shared) {
          total.truth.add(sum.truth);
          total.bound.add(sum.bound.sum(0));
        } else {
          put_one(writer, s, column, sum.truth, sum.bound.sum(0));
        }
      }
      if (shared) put_one(writer, s, 0, total.truth, bounding_.sum_over_columns(total.bound));
    }
  }

 private:
  /// The sum over all rows of one column: truth, and a bound that covers these additions.
  ColumnSum<F> column_sum(std::size_t s, std::size_t column, bool shared) const {
    ColumnSum<F> sum;
    for (const ColumnSums<F>& part : parts_) {
      sum.truth.add(part[s][column].truth);
      sum.bound.add(part[s][column].bound);
    }
    if (!plan_.geometry.is_grouped()) return sum;
    ColumnSum<F> result{{}, std::move(sum.truth)};
    result.bound.add(bounding_.sum_over_rows(sum.bound, shared));
    return result;
  }

  void put_one(TruthSink::SinkWriter& writer, std::size_t s, std::int64_t index,
               const TruthSum& truth, const ErrorScalar<F>& bound) const {
    const Permitted permitted{bound.total(), bound.vacuous, bound.overflow};
    writer.put({plan_.tensors[s], index, 1, -1, truth.escalated()},
               only(truth.ruled(plan_.roundings[s], permitted)));
  }

  const Plan& plan_;
  Bounding<F> bounding_;
  std::vector<ColumnSums<F>> parts_;
};

/// The count of batches: an integer, so the bound is 0.
void put_batches(const Claim& claim, const Tensors& inputs, TruthSink::SinkWriter& writer) {
  const bool counted = claim.update_running() && claim.batch_statistics();
  for (std::size_t k = 0; k < claim.tensors.size(); ++k) {
    const TensorSpec& spec = claim.tensors[k];
    if (!is_judged(claim, spec) || spec.dtype != DType::i64) continue;
    const double before = get(inputs, spec.name).at(0);
    writer.put({k, 0, 1, -1, false}, only({before + (counted ? 1 : 0), 0, 0, 0, false}));
  }
}

/// One WorkerState for each thread, made when it is needed.
class WorkerStates {
 public:
  WorkerStates(const Plan& plan, TruthSink& sink) : plan_(plan), sink_(sink) {}

  std::unique_ptr<WorkerState> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<WorkerState>(plan_, sink_);
    std::unique_ptr<WorkerState> worker = std::move(free_.back());
    free_.pop_back();
    return worker;
  }

  void give_back(std::unique_ptr<WorkerState> worker) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(worker));
  }

  void close() {
    for (const auto& worker : free_) worker->writer->close();
  }

 private:
  const Plan& plan_;
  TruthSink& sink_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<WorkerState>> free_;
};

template <class F>
void judge_in(const Plan& plan, TruthSink& sink) {
  const Claim& claim = plan.claim;
  const std::vector<WorkItem> items =
      claim.groups() > 0 ? group_work_items(claim) : column_work_items(claim);
  std::size_t parts = 1;
  for (const WorkItem& item : items) parts = std::max(parts, item.part + 1);
  WorkerStates workers(plan, sink);
  std::vector<ColumnSums<F>> sums;
  for (std::size_t k = 0; k < parts; ++k) sums.push_back(sums_for<F>(plan));
  for_each_index(
      static_cast<std::int64_t>(items.size()),
      [&](std::int64_t k) {
        const WorkItem& item = items[static_cast<std::size_t>(k)];
        auto worker = workers.take();
        BlockEvaluator<F> judge(plan, sums[item.part], *worker);
        judge_item(judge, claim, item);
        workers.give_back(std::move(worker));
      },
      [] { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); });
  workers.close();
  const std::unique_ptr<TruthSink::SinkWriter> writer = sink.writer();
  Finisher<F>(plan, std::move(sums)).put(*writer);
  put_batches(claim, plan.inputs, *writer);
  writer->close();
}

}  // namespace

void judge_claim(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const InexactInputs& inexact,
                 TruthSink& sink) {
  const Plan plan = plan_of(claim, inputs, given, inexact);
  if (claim.contract.accumulation == DType::f64)
    judge_in<Binary64>(plan, sink);
  else if (claim.contract.flush_to_zero)
    judge_in<Binary32Flushed>(plan, sink);
  else
    judge_in<Binary32>(plan, sink);
}

}  // namespace gradproof
