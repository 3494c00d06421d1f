// SPDX-License-Identifier: Apache-2.0
// Statistics that another formula gives, or another unit has; and pipelines of other steps.
#include <cmath>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"
#include "oracles/pipeline/gather.h"

namespace gradproof::diagnosis {
namespace {

using Real = LongDouble;

/// rstd is another formula of the same variance v = 1/rstd^2 - eps: 1/root(v, eps, n).
struct OtherRoot {
  const char* text;
  Real (*root)(Real v, Real eps, Real n);
};

const std::vector<OtherRoot> kRoots = {
    {"eps stands outside the root", [](Real v, Real eps, Real) { return std::sqrt(v) + eps; }},
    {"eps is left out", [](Real v, Real, Real) { return std::sqrt(v); }},
    {"eps is taken as 1e-5", [](Real v, Real, Real) { return std::sqrt(v + Real(1e-5F)); }},
    {"the variance is divided by N-1 (N = {})",
     [](Real v, Real eps, Real n) { return std::sqrt(v * (n / std::max(n - 1, Real(1))) + eps); }},
};

/// change(statistics, unit) of each unit.
template <class Change>
void add_statistics(Hypotheses& all, const std::string& text, const Change& change) {
  const auto numbers = [change](UnitNumbers& from, const ReplayedUnit& unit) {
    from.given = unit.statistics;
    change(*from.given, unit);
  };
  all.add(text, Edit{.numbers = numbers});
}

/// The norm computes its statistics, from the batch or not, although others may be given. For a
/// unit without some of its columns it tests nothing.
void add_own_statistics(Hypotheses& all, const std::string& text, bool of_batch) {
  CompiledPipeline other = all.pipeline;
  other.batch_statistics = of_batch;
  const auto forget = [](UnitNumbers& from, const ReplayedUnit&) { from.given.reset(); };
  all.add(text, Edit{.values = other, .numbers = forget});
}

/// 0 is taken for an xhat that is NaN: the norm's input is the mean there, and its value beta.
void add_nan_as_zero(Hypotheses& all) {
  const std::size_t norm = all.pipeline.norm;
  const int beta = all.gradient.norm().numbers[1];
  const auto replace = [norm, beta](Numbers& value, std::size_t node, const ReplayedUnit& unit) {
    for (std::size_t i = 0; i < value.size() && (node == norm || node == norm + 1); ++i) {
      const Real d = unit.values[norm][i].value - unit.statistics->mean.value;
      if (!std::isnan(d * unit.statistics->rstd.value)) continue;
      value[i] = node == norm                    ? unit.statistics->mean
                 : beta == CompiledStep::kAbsent ? exact(0)
                                                 : number_at(unit.from.numbers[at(beta)], i);
    }
  };
  all.add("0 is taken for an xhat that is NaN", Edit{.value = replace});
}

using Lines = std::vector<CompiledStep>;

/// Both passes are those of a changed pipeline, or the forward pass alone is.
template <class Change>
void add_change(Hypotheses& all, const std::string& both, const std::string& alone,
                const Change& change) {
  CompiledPipeline changed = all.pipeline;
  change(changed.lines);
  all.add(both, Edit{.values = changed, .cotangents = changed});
  all.add(alone, Edit{.values = changed});
}

/// Steps whose value is rounded to the storage type, and the exponential of a float32.
void add_narrow_steps(Hypotheses& all) {
  const DType narrow = all.claim.contract.storage;
  if (narrow == DType::f64) all.add("exp is that of a float32", Edit{.exp = Exp::as_float});
  if (narrow == all.claim.contract.accumulation) return;
  for (std::size_t rounded = 1; rounded < all.pipeline.lines.size(); ++rounded) {
    const auto round = [narrow, rounded](Numbers& value, std::size_t node, const ReplayedUnit&) {
      for (std::size_t i = 0; node == rounded && i < value.size(); ++i)
        value[i].value = round_to(narrow, static_cast<double>(value[i].value));
    };
    all.add(fmt::format("{} is rounded to {}", all.value_text(rounded), name_of(narrow)),
            Edit{.value = round});
  }
}

}  // namespace

void add_changed_statistics(Hypotheses& all) {
  if (!all.pipeline.has_norm() || all.sample.units.empty()) return;
  const JudgedGradient& gradient = all.gradient;
  const std::int64_t size = gradient.geometry.unit_size();
  for (const OtherRoot& other : kRoots)
    add_statistics(all, fmt::format(fmt::runtime(other.text), size),
                   [other, size, eps = Real(gradient.eps())](UnitStatistics& s, const auto&) {
                     const Real variance = 1 / (s.rstd.value * s.rstd.value) - eps;
                     s.rstd =
                         rounded(1 / other.root(std::max(Real(0), variance), eps, Real(size)), 0);
                   });
  const bool batch = gradient.is_grouped() || all.pipeline.batch_statistics;
  if (gradient.has_given())
    add_own_statistics(all, "the statistics are not those that forward saved", batch);
  if (!gradient.is_grouped() && gradient.norm().numbers[2] != CompiledStep::kAbsent)
    add_own_statistics(all,
                       batch ? "the running statistics stand for the batch's"
                             : "the batch's statistics stand for the running ones",
                       !batch);
  add_statistics(all, "the mean is taken as 0",
                 [](UnitStatistics& s, const auto&) { s.mean = exact(0); });
  const std::int64_t groups = gradient.has_given() ? all.claim.groups() : 0;
  for (std::int64_t chunk = 2; groups > 0 && chunk < 2 * all.claim.rows(); chunk *= 2)
    add_statistics(
        all,
        chunk >= all.claim.rows()
            ? "the statistics of row 0 are taken for all rows"
            : fmt::format("the statistics of the first of each {} rows are taken for all of them",
                          chunk),
        [chunk, groups, &gradient](UnitStatistics& s, const ReplayedUnit& unit) {
          const std::int64_t row = unit.number / groups / chunk * chunk;
          s = *given_for<TrackedReal>(gradient.given, row * groups + unit.number % groups);
        });
  add_nan_as_zero(all);
}

void add_changed_pipelines(Hypotheses& all) {
  const Lines& steps = all.pipeline.lines;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].formula != StageFormula::divide) continue;
    const double d = steps[k].scalars[0];
    const std::string text = fmt::format("multiplied by d where it is divided (d = {})", d);
    add_change(all, text + ", in value and gradient", text + ", in the value alone",
               [&](Lines& lines) { lines[k].scalars[0] = 1 / d; });
  }
  for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
    if (steps[k].row->is_norm() || steps[k + 1].row->is_norm()) continue;
    const std::string text = fmt::format("{} stands in front of {}, not behind it",
                                         all.step_text(k + 1), all.step_text(k));
    add_change(all, text, text + ", in the values alone", [&](Lines& lines) {
      std::swap(lines[k], lines[k + 1]);
      std::swap(lines[k].input, lines[k + 1].input);
    });
  }
  // A step that is left out becomes a division by 1. For a step with a parameter,
  // add_changed_numbers() takes the parameter as 0 or 1, which is the same.
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].formula != StageFormula::swish && steps[k].formula != StageFormula::divide)
      continue;
    const std::string text = all.step_text(k) + " is left out";
    add_change(all, text, text + " of the values", [&](Lines& lines) {
      lines[k].formula = StageFormula::divide;
      lines[k].scalars[0] = 1;
    });
  }
  add_narrow_steps(all);
}

}  // namespace gradproof::diagnosis
