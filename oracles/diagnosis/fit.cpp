// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/compare/discrepancy.h"
#include "oracles/diagnosis/observation.h"

namespace gradproof::diagnosis {
namespace {

/// One wrong entry in 256 may have another reason; of 16 or more wrong entries, always one.
constexpr std::int64_t kExceptions = 256;
constexpr std::int64_t kMany = 16;
/// A chance hit shall have a probability of at most 2^-10.
constexpr double kChanceBits = 10;
constexpr double kClassBits = 2;  ///< of an entry whose class alone agrees (a NaN)
constexpr double kMostBits = 40;  ///< of any one entry

}  // namespace

void Fit::take(const Observation& e, const Prediction& p) {
  if (p.value.size() != e.got.size()) {
    for (const unsigned char is_wrong : e.wrong) wrong += is_wrong;
    return;
  }
  for (std::size_t i = 0; i < e.got.size(); ++i) {
    const double got = e.got[i];
    const bool same_class = class_of(static_cast<double>(p.value[i])) == class_of(got);
    const bool finite = same_class && std::isfinite(got);
    const double error = finite ? static_cast<double>(std::fabs(LongDouble(got) - p.value[i])) : 0;
    const bool within = same_class && (!finite || error <= p.tolerance[i]);
    if (e.wrong[i] == 0) {
      contradicted += within ? 0 : 1;
      continue;
    }
    ++wrong;
    if (!within) continue;
    ++explained;
    if (error > 0) worst = std::max(worst, error / p.tolerance[i]);
    // Where the truth is NaN or infinite, a finite number may by chance be anywhere within its
    // size.
    const LongDouble truth = std::isfinite(e.truth[i]) ? e.truth[i] : LongDouble(0);
    const double distance = static_cast<double>(std::fabs(LongDouble(got) - truth));
    if (!finite || !(distance > 0))
      bits += kClassBits;
    else if (p.tolerance[i] < distance)
      bits += p.tolerance[i] > 0 ? std::min(kMostBits, std::log2(distance / p.tolerance[i]))
                                 : kMostBits;
  }
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

double most_bits(const Observation& e) {
  double bits = 0;
  const double unit = unit_roundoff(e.replayed.question->got.dtype());
  for (std::size_t i = 0; i < e.got.size(); ++i) {
    if (e.wrong[i] == 0) continue;
    const double least = std::min(e.bound[i], unit * std::fabs(e.got[i]));
    if (std::isfinite(e.got[i]) && !std::isfinite(e.truth[i]))
      bits += kMostBits;
    else if (class_of(e.got[i]) != class_of(static_cast<double>(e.truth[i])))
      bits += kClassBits;
    else
      bits += std::clamp(std::log2(e.ratio[i] * e.bound[i] / least), 0.0, kMostBits);
  }
  return bits;
}

}  // namespace gradproof::diagnosis
