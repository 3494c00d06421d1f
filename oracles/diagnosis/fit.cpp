// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/fit.h"

#include <algorithm>
#include <cmath>

#include "core/compare/discrepancy.h"

namespace gradproof::diagnosis {
namespace {

/// One wrong entry in 256 may have another reason; of 16 or more wrong entries, always one.
constexpr std::int64_t kExceptions = 256;
constexpr std::int64_t kMany = 16;
/// A chance hit shall have a probability of at most 2^-10.
constexpr double kChanceBits = 10;
constexpr double kClassBits = 2;  ///< of an entry whose class alone agrees (a NaN)
constexpr double kMostBits = 40;  ///< of any one entry

bool is_same_class(double got, LongDouble value) {
  return class_of(static_cast<double>(value)) == class_of(got);
}

double error_of(const ComparedEntry& entry, LongDouble value) {
  const bool finite = is_same_class(entry.got, value) && std::isfinite(entry.got);
  return finite ? static_cast<double>(std::fabs(LongDouble(entry.got) - value)) : 0;
}

}  // namespace

void Fit::take(const ComparedEntries& entries, const Prediction& prediction) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ComparedEntry& entry = entries[i];
    wrong += entry.wrong ? 1 : 0;
    if (prediction.size() != entries.size()) continue;
    const bool same_class = is_same_class(entry.got, prediction[i].value);
    const bool within =
        same_class && (!std::isfinite(entry.got) ||
                       error_of(entry, prediction[i].value) <= prediction[i].tolerance);
    if (!entry.wrong) contradicted += within ? 0 : 1;
    if (entry.wrong && within) take_wrong(entry, prediction[i]);
  }
}

/// Where the truth is NaN or infinite, a finite number may by chance be anywhere within its size.
void Fit::take_wrong(const ComparedEntry& entry, const PredictedEntry& predicted) {
  ++explained;
  const double error = error_of(entry, predicted.value);
  if (error > 0) worst = std::max(worst, error / predicted.tolerance);
  const LongDouble truth = std::isfinite(entry.truth) ? entry.truth : LongDouble(0);
  const double distance = static_cast<double>(std::fabs(LongDouble(entry.got) - truth));
  if (!std::isfinite(entry.got) || !(distance > 0))
    bits += kClassBits;
  else if (predicted.tolerance < distance)
    bits += predicted.tolerance > 0 ? std::min(kMostBits, std::log2(distance / predicted.tolerance))
                                    : kMostBits;
}

void Fit::add(const Fit& other) {
  wrong += other.wrong;
  explained += other.explained;
  contradicted += other.contradicted;
  worst = std::max(worst, other.worst);
  bits += other.bits;
}

bool Fit::explains() const {
  const std::int64_t one = wrong >= kMany ? 1 : 0;
  return wrong > 0 && wrong - explained <= std::max(one, wrong / kExceptions);
}

bool Fit::holds(std::int64_t tested) const { return explains() && bits >= required_bits(tested); }

double required_bits(std::int64_t tested) {
  return kChanceBits + std::log2(static_cast<double>(std::max<std::int64_t>(tested, 1)));
}

double most_bits(const ComparedEntry& entry, DType stored) {
  if (!entry.wrong) return 0;
  if (std::isfinite(entry.got) && !std::isfinite(entry.truth)) return kMostBits;
  if (!is_same_class(entry.got, entry.truth)) return kClassBits;
  const double least = std::min(entry.bound, unit_roundoff(stored) * std::fabs(entry.got));
  return std::clamp(std::log2(entry.ratio * entry.bound / least), 0.0, kMostBits);
}

}  // namespace gradproof::diagnosis
