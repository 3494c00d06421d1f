// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/rate.h"

#include <algorithm>
#include <ctime>
#include <vector>

namespace gradproof {
namespace {

constexpr int kRepetitions = 5;
constexpr double kLongEnough = 0.03;  ///< seconds of one repetition

/// The processor time of all threads, which is the same on a busy machine as on a quiet one.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double rate_of(const std::function<void()>& work, double elements) {
  work();  // buffers grow, caches fill
  std::vector<double> rates;
  for (int k = 0; k < kRepetitions; ++k) {
    const double start = cpu_seconds();
    double seconds = 0;
    double done = 0;
    do {
      work();
      done += elements;
      seconds = cpu_seconds() - start;
    } while (seconds < kLongEnough);
    rates.push_back(done / seconds * 1e-6);
  }
  std::nth_element(rates.begin(), rates.begin() + kRepetitions / 2, rates.end());
  return rates[kRepetitions / 2];
}

}  // namespace gradproof
