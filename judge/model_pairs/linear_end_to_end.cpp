// SPDX-License-Identifier: Apache-2.0
#include "judge/model_pairs/linear_end_to_end.h"

#include <algorithm>

#include <fmt/format.h>

#include "judge/agreement.h"
#include "judge/cross_check.h"
#include "judge/model_pairs/linear_system.h"
#include "oracles/linear/linear.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

/// The most elements and multiplications that a second pass may take; it then takes seconds.
constexpr double kElements = 0x1p20;
constexpr double kMultiplications = 0x1p34;

/// All blocks, or as many as are affordable: the Case's seed draws them.
std::vector<std::int64_t> blocks_of(const Case& c, const Claim& claim) {
  const double most = std::min(kElements, kMultiplications / static_cast<double>(c.integer("in")));
  return sampled_blocks(claim, static_cast<std::int64_t>(most), seed_of(c));
}

std::vector<std::int64_t> columns_of(const Claim& claim, const std::vector<std::int64_t>& blocks) {
  std::vector<std::int64_t> columns;
  for (const std::int64_t block : blocks)
    for (std::int64_t i = 0; i < claim.block_width(); ++i)
      columns.push_back(block * claim.block_width() + i);
  return columns;
}

/// A sum over all columns cannot be computed from some.
bool needs_all_columns(const Claim& claim, const TensorSpec& spec) {
  return spec.role == Role::gradient && !claim.is_matrix(spec) &&
         (spec.layout.shape.empty() || spec.layout.shape.back() != claim.cols());
}

bool is_judged(const Claim& claim, const TensorSpec& spec) {
  if (spec.role == Role::gradient) return claim.backward;
  // In a run of the backward pass the outputs of forward are no more than its saved statistics.
  if (spec.role == Role::output) return claim.forward || spec.name != "y";
  return spec.role == Role::buffer && spec.dtype != DType::i64;  // a counter knows nothing of z
}

/// The places of the sample's elements in the whole tensor: a part of its last axis was kept.
class SampledElements {
 public:
  SampledElements(const Shape& whole, const std::vector<std::int64_t>& kept)
      : width_(whole.back()), kept_(kept) {}

  std::int64_t column(std::int64_t of_sample) const {
    return kept_[static_cast<std::size_t>(of_sample)];
  }
  std::int64_t index(std::int64_t of_sample) const {
    const auto count = static_cast<std::int64_t>(kept_.size());
    return of_sample / count * width_ + column(of_sample % count);
  }

  Discrepancy moved(Discrepancy d) const {
    if (d.elements > 0) d.worst.index = index(d.worst.index);
    for (auto* bad : {&d.first_bad, &d.last_bad})
      for (Element& e : *bad) e.index = index(e.index);
    for (std::int64_t& good : d.good_before) good = index(good);
    for (WorstColumn& worst : d.worst_columns) worst.column = column(worst.column);
    d.pattern.clear();  // in words of the sample's columns
    return d;
  }

 private:
  std::int64_t width_;
  const std::vector<std::int64_t>& kept_;
};

/// Some blocks of the claim, in which x is replaced by the exact product.
struct Start {
  const Claim& whole_claim;
  std::vector<std::int64_t> blocks, columns;
  Sample sample;
  Tensors got;
  InexactInputs inexact;
  std::string witness = "double-double from the float64 product";

  Start(const Case& c, const LinearRun& run)
      : whole_claim(run.epilogue),
        blocks(blocks_of(c, run.epilogue)),
        columns(columns_of(run.epilogue, blocks)) {
    Claim claim = run.epilogue;
    claim.forward = true;
    const bool whole = static_cast<std::int64_t>(blocks.size()) == claim.blocks();
    std::erase_if(claim.tensors, [&](const TensorSpec& spec) {
      return !whole && needs_all_columns(run.epilogue, spec);
    });
    sample = sample_of(claim, run.inputs, blocks);
    got = sample_of(claim, run.run.tensors, blocks).inputs;
    LinearTruth z = truth_of_z(run.linear_tensors(), columns);
    sample.inputs.insert_or_assign("x", std::move(z.value));
    inexact.emplace("x", Inexact{std::move(z.radius), std::move(z.error)});
    if (!whole)
      witness += fmt::format(", {} of {} {}", blocks.size(), claim.blocks(),
                             claim.groups() > 0 ? "groups" : "columns");
  }

  bool is_known() const {
    const Inexact& z = inexact.at("x");
    return is_finite(z.error) && is_finite(z.radius);
  }

  /// Indices are the whole tensors'.
  std::map<std::string, Judged, std::less<>> judged() const {
    auto all = compare_with_truth(sample.claim, sample.inputs, {}, got, inexact);
    for (auto& [name, one] : all) {
      const Shape& shape = whole_claim.tensor(name).layout.shape;
      if (shape.empty() || shape == sample.claim.tensor(name).layout.shape) continue;
      const auto& kept = shape.back() == whole_claim.cols() ? columns : blocks;
      one.discrepancy = SampledElements(shape, kept).moved(std::move(one.discrepancy));
    }
    return all;
  }
};

Record record_of(const Record& blank, const Judged& judged) {
  Record record = blank;
  record.figures = judged.discrepancy;
  record.escalated = judged.escalated;
  record.certified = judged.discrepancy.elements - record.escalated;
  record.why = judged.why + ", z off by its own bound";
  record.verdict = judge(judged.discrepancy);
  return record;
}

}  // namespace

EndToEnd end_to_end(const Case& c, const LinearRun& run, const Record& of_case) {
  const Start start(c, run);
  const bool known = start.is_known();
  const auto all = known ? start.judged() : std::map<std::string, Judged, std::less<>>();
  Record blank = of_case;
  blank.witness = start.witness;
  EndToEnd found;
  for (const Role role : {Role::output, Role::buffer, Role::gradient})
    for (const TensorSpec& spec : start.sample.claim.tensors) {
      if (spec.role != role || !is_judged(run.epilogue, spec)) continue;
      const std::string name = record_name(c, spec.name);
      blank.tensor = name + " end to end";
      blank.shape = run.epilogue.tensor(spec.name).layout.shape;
      if (!known) {
        found.silent.emplace(name, "the bound of z is vacuous somewhere");
        continue;
      }
      Record record = record_of(blank, all.at(spec.name));
      if (record.verdict.outcome == Outcome::mistrusted)
        found.silent.emplace(name, record.verdict.reason);
      else
        found.records.push_back(std::move(record));
    }
  return found;
}

}  // namespace gradproof
