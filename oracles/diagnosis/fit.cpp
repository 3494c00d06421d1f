// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/fit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compare/discrepancy.h"

namespace gradproof::diagnosis {
namespace {

/// One wrong entry in so many may have another reason; among 16 or more one always may.
constexpr std::int64_t kOtherReasons = 256;
constexpr std::int64_t kMany = 16;
constexpr double kChanceBits = 10;
constexpr double kClassBits = 2;  ///< of an entry whose class alone agrees (a NaN)
constexpr double kMostBits = 40;  ///< of any one entry
/// So many of the explanations that fit equally well are named; the others are counted.
constexpr std::size_t kNamed = 3;

}  // namespace

double Fit::take(const ComparedEntry& entry, const PredictedEntry& predicted) {
  const bool same = class_of(static_cast<double>(predicted.value)) == class_of(entry.got);
  const bool finite_got = std::isfinite(entry.got);
  const double error =
      finite_got ? static_cast<double>(std::fabs(LongDouble(entry.got) - predicted.value)) : 0;
  const bool within = same && (!finite_got || error <= predicted.tolerance);
  wrong += entry.wrong ? 1 : 0;
  contradicted += entry.wrong || within ? 0 : 1;
  const bool still = std::fabs(predicted.value - entry.truth) <= LongDouble(predicted.tolerance);
  moved += entry.wrong && !still ? 1 : 0;
  if (!entry.wrong || !within) return 0;
  ++explained;
  finite += finite_got ? 1 : 0;
  if (error > 0) worst = std::max(worst, error / predicted.tolerance);
  // If the truth is NaN or infinite, a finite number may by chance be anywhere within its size.
  const LongDouble truth = std::isfinite(entry.truth) ? entry.truth : LongDouble(0);
  const double distance = static_cast<double>(std::fabs(LongDouble(entry.got) - truth));
  if (!finite_got || !(distance > 0)) return kClassBits;
  if (predicted.tolerance >= distance) return 0;
  if (predicted.tolerance == 0) return kMostBits;
  return std::min(kMostBits, std::log2(distance / predicted.tolerance));
}

bool Fit::explains() const {
  const std::int64_t one = wrong >= kMany ? 1 : 0;
  return wrong > 0 && wrong - explained <= std::max(one, wrong / kOtherReasons);
}

bool Fit::holds(std::int64_t tested) const {
  return explains() && bits >= kChanceBits + std::log2(static_cast<double>(tested));
}

std::string joined(const std::vector<std::string>& all) {
  const auto named = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kNamed));
  const std::string text = fmt::format("{}", fmt::join(all.begin(), named, "; or: "));
  return all.size() > kNamed ? fmt::format("{}; or {} more", text, all.size() - kNamed) : text;
}

std::string fit_text(const std::vector<Explanation>& best) {
  const Fit& fit = best.front().fit;
  std::vector<std::string> all;
  double worst = 0;
  for (const Explanation& one : best) {
    all.push_back(one.text);
    if (all.size() <= kNamed) worst = std::max(worst, one.fit.worst);
  }
  const std::string count = fit.explained == fit.wrong
                                ? fmt::format("all {}", fit.wrong)
                                : fmt::format("{} of {}", fit.explained, fit.wrong);
  const std::string entries =
      fit.wrong == 1 ? "the wrong entry" : fmt::format("{} wrong entries", count);
  return fmt::format("{}; {} {} to {:.2g} of {} bound", joined(all),
                     best.size() == 1 ? "explains" : "each explains", entries, worst,
                     fit.wrong == 1 ? "its" : "their");
}

}  // namespace gradproof::diagnosis
