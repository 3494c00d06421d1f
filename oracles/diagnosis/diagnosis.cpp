// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/diagnosis.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/compare/bad_set.h"
#include "core/error.h"
#include "core/parallel.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof {
namespace diagnosis {
namespace {

/// The most elements of x that are replayed together: a replay takes some 800 bytes for each.
constexpr std::int64_t kMost = std::int64_t{1} << 21;
/// The wrong entries that are named.
constexpr std::ptrdiff_t kShown = 8;

using HypothesisList = std::vector<Hypothesis>;

/// True if the entry holds the bytes 0xFF that unwritten memory has, or these without the sign bit:
/// arithmetic passes the bits of a NaN on, and a compiler is free to negate the NaN.
bool is_poison(const Tensor& tensor, std::int64_t index) {
  const auto size = size_of(tensor.dtype());
  const std::byte* first = tensor.bytes().data() + at(tensor.position(index)) * size;
  const std::byte* top = first + size - 1;
  return (*top | std::byte{0x80}) == std::byte{0xFF} &&
         std::all_of(first, top, [](std::byte b) { return b == std::byte{0xFF}; });
}

/// Up to kShown wrong entries, the worst first.
Indices worst_of(const JudgedGradient& gradient) {
  Indices worst = gradient.wrong;
  const auto shown = worst.begin() + std::min(kShown, std::ssize(worst));
  const auto rank = [&](std::int64_t i) { return std::pair(-gradient.entry(i).ratio, i); };
  std::partial_sort(worst.begin(), shown, worst.end(),
                    [&](std::int64_t a, std::int64_t b) { return rank(a) < rank(b); });
  worst.erase(shown, worst.end());
  return worst;
}

/// The explanation if all wrong entries are NaN or infinite, in exactly the columns in which a
/// parameter is 0; empty otherwise.
std::string where_zero(const JudgedGradient& gradient) {
  const std::int64_t cols = gradient.claim.cols();
  std::vector<bool> wrong(at(cols));
  for (const std::int64_t index : gradient.wrong) {
    if (gradient.shared || std::isfinite(gradient.got.at(index))) return "";
    wrong[at(gradient.col_of(index))] = true;
  }
  std::vector<std::string> found;
  for (const ParameterSlot& slot : gradient.pipeline.numbers) {
    const Tensor& tensor = get(gradient.inputs, slot.name);
    if (slot.shared || tensor.numel() != cols) continue;
    std::vector<bool> zero(wrong.size());
    for (std::int64_t col = 0; col < cols; ++col) zero[at(col)] = tensor.at(col) == 0;
    if (zero == wrong)
      found.push_back(fmt::format("NaN where {} is 0, and nowhere else: divided by it", slot.name));
  }
  return joined(found);
}

/// True if an explanation that predicted all wrong entries would hold.
bool can_be_explained(const JudgedGradient& gradient) {
  Fit best;
  for (const std::int64_t index : gradient.wrong) {
    const ComparedEntry entry = gradient.entry(index);
    const double rounding = unit_roundoff(gradient.got.dtype()) * std::fabs(entry.got);
    best.take(entry, {entry.got, std::min(rounding, entry.bound)});
  }
  return best.holds(1);
}

Fit fit_of(const Hypothesis& one, const Replay& replay) {
  const Prediction predicted = one.predict(replay);
  Fit fit;
  for (std::size_t i = 0; i < predicted.size(); ++i) fit.take(replay.entries[i], predicted[i]);
  return fit;
}

/// Hypotheses that fit a sample of the gradient, fitted to the whole claim: the sample and the
/// other parts. Each thread holds one of these at a time. `add_families` adds the hypotheses.
HypothesisList survivors(const JudgedGradient& gradient, void (*add_families)(Hypotheses&)) {
  const std::vector<Part> parts = gradient.parts();
  const Replay sample(gradient, parts.front());
  Hypotheses hypotheses{sample};
  add_families(hypotheses);
  HypothesisList& all = hypotheses.list;
  for_each_index(std::ssize(all), [&](std::int64_t k) {
    Hypothesis& one = all[at(k)];
    one.fit = fit_of(one, sample);
  });
  std::erase_if(all, [](const Hypothesis& one) { return !one.fit.explains(); });
  if (all.empty()) return {};
  std::vector<std::vector<Fit>> fits(parts.size());
  for_each_index(std::ssize(parts) - 1, [&](std::int64_t k) {
    const ThreadLimit alone(1);
    const auto other = at(k + 1);
    const Replay replay(gradient, parts[other]);
    for (const Hypothesis& one : all) fits[other].push_back(fit_of(one, replay));
  });
  for (const std::vector<Fit>& of_part : fits)
    for (std::size_t h = 0; h < of_part.size(); ++h) all[h].fit.add(of_part[h]);
  return std::move(all);
}

/// The hypotheses to name. The first one that holds sets the rank. All hypotheses of that rank are
/// named that agree with as many entries (explained wrong ones; if `everywhere`, less the
/// contradicted right ones) as the best one that holds; they need not hold themselves, as chance is
/// ruled out by the best one, except for rounded sums, whose tolerances are their own. One that
/// only narrows the first one down ("..., in the values alone") is left out.
HypothesisList best_of(HypothesisList fitting, bool everywhere, std::int64_t size) {
  const auto holds = [](const Hypothesis& one) { return one.fit.holds(one.tested); };
  const auto agreement = [&](const Hypothesis& one) {
    return one.fit.explained - (everywhere ? one.fit.contradicted : 0);
  };
  std::erase_if(fitting, [&](const Hypothesis& one) {
    const bool contradicted = one.fit.contradicted * kExceptions > size - one.fit.wrong;
    return !one.fit.explains() || (everywhere && contradicted);
  });
  const auto first = std::find_if(fitting.begin(), fitting.end(), holds);
  if (first == fitting.end()) return {};
  const Rank rank = first->rank;
  std::erase_if(fitting, [&](const Hypothesis& one) {
    return one.rank != rank || (rank == Rank::rounded_sum && !holds(one));
  });
  std::int64_t most = 0;
  for (const Hypothesis& one : fitting)
    if (holds(one)) most = std::max(most, agreement(one));
  HypothesisList best;
  for (const Hypothesis& one : fitting)
    if (agreement(one) >= most && (best.empty() || !one.text.starts_with(best.front().text + ",")))
      best.push_back(one);
  return best;
}

std::string summary_text(const HypothesisList& best, bool everywhere) {
  std::vector<Explanation> all;
  for (const Hypothesis& one : best)
    all.push_back({one.text + (everywhere ? "" : ", in the wrong entries alone"), one.fit});
  return fit_text(all);
}

/// The explanation of entries that hold the bytes of unwritten memory: they were never written, or
/// were computed from padding that wrong strides lead to. These strides must then predict the right
/// entries too.
std::string unwritten_text(const JudgedGradient& gradient) {
  const std::string unwritten = "never written, or computed from memory that nobody wrote";
  const auto wrong = std::ssize(gradient.wrong);
  if (wrong == gradient.got.numel()) return unwritten;
  const HypothesisList strides = survivors(gradient, [](Hypotheses& all) {
    if (all.sample.sound) add_changed_layouts(all);
  });
  std::vector<std::string> paddings;
  for (const Hypothesis& one : strides)
    if (one.fit.explained == wrong && one.fit.contradicted == 0)
      paddings.push_back("the padding, if " + one.text);
  return paddings.empty() ? unwritten : unwritten + "; " + joined(paddings);
}

/// The simplest explanations that hold for the whole gradient; empty if none holds, or if more than
/// kMost elements decide an entry.
std::string explanation_text(const JudgedGradient& gradient) {
  const Claim& claim = gradient.claim;
  if (claim.rows() * (gradient.shared ? claim.cols() : claim.block_width()) > kMost) return "";
  const auto is_unwritten = [&](std::int64_t index) { return is_poison(gradient.got, index); };
  if (std::ranges::all_of(gradient.wrong, is_unwritten)) return unwritten_text(gradient);
  if (const std::string text = where_zero(gradient); !text.empty()) return text;
  if (!can_be_explained(gradient)) return "";
  const HypothesisList left = survivors(gradient, [](Hypotheses& all) { all.add_all(); });
  for (const bool everywhere : {true, false})
    if (const auto best = best_of(left, everywhere, gradient.got.numel()); !best.empty())
      return summary_text(best, everywhere);
  return "";
}

}  // namespace
}  // namespace diagnosis

Diagnosis diagnose(const Claim& claim, const Tensors& inputs,
                   const std::optional<GivenStatistics>& given, const std::string& gradient,
                   const Tensor& got, const Answer& truth) {
  const TensorSpec& spec = claim.tensor(gradient);
  if (spec.role != Role::gradient)
    throw InstrumentError(fmt::format("'{}' is no gradient of the claim", gradient));
  if (got.numel() != numel(spec.layout.shape) || got.numel() != truth.size())
    throw InstrumentError(fmt::format("'{}' has {} entries, the claim says {}, the truth {}",
                                      gradient, got.numel(), numel(spec.layout.shape),
                                      truth.size()));
  const diagnosis::JudgedGradient judged{claim, inputs, given, gradient, got, truth};
  if (judged.wrong.empty()) return {};
  const Extents extents = extents_of(got.shape(), claim.groups() > 0 ? claim.block_width() : 0);
  return {static_cast<std::int64_t>(judged.wrong.size()), diagnosis::worst_of(judged),
          pattern_of(judged.wrong, extents), diagnosis::explanation_text(judged)};
}

}  // namespace gradproof
