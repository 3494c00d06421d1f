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

/// Some batches that one thread takes. ColumnSums are kept by part, and parts do not depend on the
/// number of threads: the result is the same on every machine.
struct WorkItem {
  std::int64_t first = 0;  ///< the first column; or the group
  std::int64_t row = 0;
  std::int64_t units = 0;
  std::size_t part = 0;  ///< of the rows
};

constexpr std::int64_t kCachedElements = std::int64_t{1} << 18;
constexpr std::int64_t kAdjacent = 16;  ///< columns of one line of a cache in float32
constexpr std::int64_t kPortions = 16;  ///< that keep all cores busy

std::vector<WorkItem> column_portions(const Claim& claim) {
  const std::int64_t most = std::clamp<std::int64_t>(claim.cols / kPortions, 1, kAdjacent);
  const std::int64_t width =
      std::clamp<std::int64_t>(kCachedElements / std::max<std::int64_t>(claim.rows, 1), 1, most);
  std::vector<WorkItem> portions;
  for (std::int64_t first = 0; first < claim.cols; first += width)
    portions.push_back({first, 0, std::min(width, claim.cols - first), 0});
  return portions;
}

/// A group over all rows; where there are few groups, over some of the rows.
std::vector<WorkItem> group_portions(const Claim& claim) {
  const std::int64_t parts = (kPortions + claim.groups - 1) / claim.groups;
  const std::int64_t rows = std::max<std::int64_t>(64, (claim.rows + parts - 1) / parts);
  std::vector<WorkItem> portions;
  for (std::int64_t group = 0; group < claim.groups; ++group)
    for (std::int64_t row = 0; row < claim.rows; row += rows)
      portions.push_back(
          {group, row, std::min(rows, claim.rows - row), static_cast<std::size_t>(row / rows)});
  return portions;
}

/// The portion in pieces whose numbers stay in a cache.
template <class F>
void judge_portion(BlockEvaluator<F>& judge, const Claim& claim, const WorkItem& portion) {
  const std::int64_t width = claim.block_width();
  const std::int64_t step =
      claim.groups > 0 ? std::max<std::int64_t>(1, kCachedElements / 16 / width) : portion.units;
  for (std::int64_t k = 0; k < portion.units; k += step)
    judge.judge({portion.first, portion.row + k, std::min(step, portion.units - k)});
  judge.close();
}

template <class F>
ColumnSums<F> sums_for(const Plan& plan) {
  ColumnSums<F> sums;
  for (const Output& asked : plan.asked)
    sums.emplace_back(asked.summed ? static_cast<std::size_t>(plan.claim.cols) : 0);
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

/// Finishes the gradients that are sums over units.
template <class F>
class Finisher {
 public:
  Finisher(const Plan& plan, std::vector<ColumnSums<F>> parts)
      : plan_(plan), bounding_(plan.claim), parts_(std::move(parts)) {}

  void put(TruthSink::SinkWriter& page) {
    for (std::size_t s = 0; s < plan_.asked.size(); ++s) {
      if (!plan_.asked[s].summed) continue;
      const TensorSpec& spec = plan_.claim.tensors[plan_.tensors[s]];
      const bool shared = numel(spec.layout.shape) == 1 && plan_.claim.cols > 1;
      ColumnSum<F> total;
      for (std::int64_t column = 0; column < plan_.claim.cols; ++column) {
        const ColumnSum<F> sum = column_sum(s, static_cast<std::size_t>(column), shared);
        if (shared) {
          total.truth.add(sum.truth);
          total.bound.add(sum.bound.sum(0));
        } else {
          put_one(page, s, column, sum.truth, sum.bound.sum(0));
        }
      }
      if (shared) put_one(page, s, 0, total.truth, bounding_.sum_over_columns(total.bound));
    }
  }

 private:
  /// Over the rows: truth, and a bound that needs no more additions.
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

  void put_one(TruthSink::SinkWriter& page, std::size_t s, std::int64_t index,
               const TruthSum& truth, const ErrorScalar<F>& bound) const {
    const Permitted permitted{bound.total(), bound.vacuous, bound.overflow};
    page.put({plan_.tensors[s], index, 1, -1, truth.escalated()},
             only(truth.ruled(plan_.roundings[s], permitted)));
  }

  const Plan& plan_;
  Bounding<F> bounding_;
  std::vector<ColumnSums<F>> parts_;
};

/// A number that every correct kernel hits.
void put_batches(const Claim& claim, const Tensors& inputs, TruthSink::SinkWriter& page) {
  const bool counted = claim.pipeline.update_running && claim.pipeline.batch_statistics;
  for (std::size_t k = 0; k < claim.tensors.size(); ++k) {
    const TensorSpec& spec = claim.tensors[k];
    if (!is_judged(claim, spec) || spec.dtype != DType::i64) continue;
    const double before = get(inputs, spec.name).at(0);
    page.put({k, 0, 1, -1, false}, only({before + (counted ? 1 : 0), 0, 0, 0, false}));
  }
}

/// One bench for each thread, made when it is needed.
class Benches {
 public:
  Benches(const Plan& plan, TruthSink& ledger) : plan_(plan), ledger_(ledger) {}

  std::unique_ptr<WorkerState> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<WorkerState>(plan_, ledger_);
    std::unique_ptr<WorkerState> bench = std::move(free_.back());
    free_.pop_back();
    return bench;
  }

  void give_back(std::unique_ptr<WorkerState> bench) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(bench));
  }

  void close() {
    for (const auto& bench : free_) bench->page->close();
  }

 private:
  const Plan& plan_;
  TruthSink& ledger_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<WorkerState>> free_;
};

template <class F>
void judge_in(const Plan& plan, TruthSink& ledger) {
  const Claim& claim = plan.claim;
  const std::vector<WorkItem> portions =
      claim.groups > 0 ? group_portions(claim) : column_portions(claim);
  std::size_t parts = 1;
  for (const WorkItem& portion : portions) parts = std::max(parts, portion.part + 1);
  Benches benches(plan, ledger);
  std::vector<ColumnSums<F>> sums;
  for (std::size_t k = 0; k < parts; ++k) sums.push_back(sums_for<F>(plan));
  for_each_index(
      static_cast<std::int64_t>(portions.size()),
      [&](std::int64_t k) {
        const WorkItem& portion = portions[static_cast<std::size_t>(k)];
        auto bench = benches.take();
        BlockEvaluator<F> judge(plan, sums[portion.part], *bench);
        judge_portion(judge, claim, portion);
        benches.give_back(std::move(bench));
      },
      [] { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); });
  benches.close();
  const std::unique_ptr<TruthSink::SinkWriter> page = ledger.page();
  Finisher<F>(plan, std::move(sums)).put(*page);
  put_batches(claim, plan.inputs, *page);
  page->close();
}

}  // namespace

void judge_claim(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const InexactInputs& inexact,
                 TruthSink& ledger) {
  const Plan plan = plan_of(claim, inputs, given, inexact);
  if (claim.contract.accumulation == DType::f64)
    judge_in<Binary64>(plan, ledger);
  else if (claim.contract.flush_to_zero)
    judge_in<Binary32Flushed>(plan, ledger);
  else
    judge_in<Binary32>(plan, ledger);
}

}  // namespace gradproof
