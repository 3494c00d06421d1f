// SPDX-License-Identifier: Apache-2.0
#include "cli/linear_end_to_end.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/line_records.h"
#include "core/philox.h"
#include "fixtures/linear/linear_system.h"
#include "oracles/linear.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

/// Elements and multiplications that a second pass may take: seconds.
constexpr double kElements = 0x1p22;
constexpr double kMultiplications = 0x1p35;

/// All blocks, or as many as are affordable: the Case's seed draws them.
std::vector<std::int64_t> blocks_of(const Case& c, const Claim& claim) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(claim.blocks()));
  std::iota(all.begin(), all.end(), 0);
  const double each = static_cast<double>(claim.rows) * static_cast<double>(claim.block_width());
  const double most =
      std::min(kElements, kMultiplications / static_cast<double>(c.integer("in"))) / each;
  if (most >= static_cast<double>(all.size())) return all;
  const Stream stream(static_cast<std::uint64_t>(c.integer("seed")), "blocks end to end");
  const auto chosen = static_cast<std::size_t>(std::max(most, 1.0));
  for (std::size_t i = 0; i < chosen; ++i)
    std::swap(all[i], all[i + stream.bits(i) % (all.size() - i)]);
  all.resize(chosen);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::int64_t> columns_of(const Claim& claim, const std::vector<std::int64_t>& blocks) {
  std::vector<std::int64_t> columns;
  for (const std::int64_t block : blocks)
    for (std::int64_t i = 0; i < claim.block_width(); ++i)
      columns.push_back(block * claim.block_width() + i);
  return columns;
}

/// A sum over all columns cannot be told from some.
bool needs_all_columns(const Claim& claim, const TensorSpec& spec) {
  return spec.role == Role::gradient && !claim.is_matrix(spec) &&
         (spec.layout.shape.empty() || spec.layout.shape.back() != claim.cols);
}

bool is_finite(const Tensor& tensor) {
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    if (!std::isfinite(tensor.at(i))) return false;
  return true;
}

/// What is judged: some blocks of the claim, x replaced by the exact product.
struct EndToEnd {
  Sample sample;
  Tensors got;
  InexactInputs inexact;
  std::string witness;

  EndToEnd(const Case& c, const LinearRun& run) {
    Claim claim = run.epilogue;
    claim.forward = true;
    const std::vector<std::int64_t> blocks = blocks_of(c, claim);
    const bool whole = static_cast<std::int64_t>(blocks.size()) == claim.blocks();
    std::erase_if(claim.tensors, [&](const TensorSpec& spec) {
      return !whole && needs_all_columns(run.epilogue, spec);
    });
    sample = sample_of(claim, run.inputs, blocks);
    got = sample_of(claim, run.run.tensors, blocks).inputs;
    LinearTruth z = truth_of_z(run.linear_tensors(), columns_of(claim, blocks));
    sample.inputs.insert_or_assign("x", std::move(z.value));
    inexact.emplace("x", Inexact{std::move(z.radius), std::move(z.error)});
    witness = "double-double from the exact product";
    if (!whole)
      witness += fmt::format(", {} of {} {}", blocks.size(), claim.blocks(),
                             claim.groups > 0 ? "groups" : "columns");
  }
};

}  // namespace

std::vector<Record> end_to_end_records(const Case& c, const LinearRun& run) {
  const EndToEnd e(c, run);
  Record blank = blank_record(c);
  blank.witness = e.witness;
  const Inexact& z = e.inexact.at("x");
  if (!is_finite(z.error) || !is_finite(z.radius)) {
    blank.tensor = "end to end";
    blank.verdict = {Outcome::mistrusted, "z may be anything: its bound is vacuous"};
    return {blank};
  }
  std::vector<Record> records;
  const auto all = compare_with_truth(e.sample.claim, e.sample.inputs, {}, e.got, e.inexact);
  for (const Role role : {Role::output, Role::buffer, Role::gradient})
    for (const TensorSpec& spec : e.sample.claim.tensors) {
      const auto judged = all.find(spec.name);
      if (spec.role != role || spec.dtype == DType::i64 || judged == all.end()) continue;
      Record record = blank;
      record.tensor = record_name(c, spec.name) + " end to end";
      record.shape = spec.layout.shape;
      record.discrepancy = judged->second.discrepancy;
      record.why = judged->second.why + ", z within its own bound";
      record.verdict = judge(record.discrepancy);
      records.push_back(std::move(record));
    }
  return records;
}

}  // namespace gradproof
