// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace gradproof {

using Numbers = std::vector<float>;

struct Kind {
  const char* name;
  bool is_random;  ///< the likely error is to be much smaller than the certain one
  std::function<float(std::mt19937_64&, std::size_t, std::size_t)> number;
};

inline float normal(std::mt19937_64& draw) { return std::normal_distribution<float>()(draw); }
inline float uniform(std::mt19937_64& draw) {
  return std::uniform_real_distribution<float>()(draw);
}

inline const std::vector<Kind>& kinds() {
  using Draw = std::mt19937_64;
  static const std::vector<Kind> all{
      {"normal", true, [](Draw& d, std::size_t, std::size_t) { return normal(d); }},
      {"uniform", true, [](Draw& d, std::size_t, std::size_t) { return uniform(d); }},
      {"squares", true,
       [](Draw& d, std::size_t, std::size_t) {
         const float x = normal(d);
         return x * x;
       }},
      {"exponentials", true, [](Draw& d, std::size_t, std::size_t) { return std::exp(normal(d)); }},
      {"relu", true, [](Draw& d, std::size_t, std::size_t) { return std::max(normal(d), 0.0F); }},
      {"constant", false, [](Draw&, std::size_t, std::size_t) { return 0.1F; }},
      {"two values", false,
       [](Draw& d, std::size_t, std::size_t) { return uniform(d) < 0.5F ? 0.1F : 0.3F; }},
      {"constant and last places", false,
       [](Draw& d, std::size_t, std::size_t) {
         return 0.1F * (1 + std::floor(4 * uniform(d)) * 0x1p-23F);
       }},
      {"ramp", false,
       [](Draw&, std::size_t k, std::size_t n) {
         return 0.3F + static_cast<float>(k) / static_cast<float>(n);
       }},
      {"alternating", false,
       [](Draw& d, std::size_t k, std::size_t) {
         return (k % 2 == 0 ? 1.0F : -1.0F) * (100 + uniform(d));
       }},
      {"signs by blocks of 64", false,
       [](Draw& d, std::size_t k, std::size_t) {
         return (k / 64 % 2 == 0 ? 1.0F : -1.0F) * (100 + uniform(d));
       }},
      {"an outlier at the end", false,
       [](Draw& d, std::size_t k, std::size_t n) { return k + 1 == n ? 1e8F : uniform(d); }},
      {"tiny ones first", false,
       [](Draw& d, std::size_t k, std::size_t n) {
         return (2 * k < n ? 1e-4F : 1.0F) * uniform(d);
       }},
      {"heavy tails", false,
       [](Draw& d, std::size_t, std::size_t) { return std::exp(5 * normal(d)); }},
      {"integers", false,
       [](Draw& d, std::size_t, std::size_t) { return std::floor(17 * uniform(d)) - 8; }},
      {"period of 64", false, [](Draw&, std::size_t k, std::size_t) {
         Draw of_place(k % 64 + 1);
         return normal(of_place);
       }}};
  return all;
}

inline float chain(const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0F); }

/// The numbers of each of so many lanes, one lane after the other.
inline Numbers strided(const Numbers& x, std::size_t lanes) {
  Numbers all;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (std::size_t k = lane; k < x.size(); k += lanes) all.push_back(x[k]);
  return all;
}

inline float tree(Numbers x) {
  while (x.size() > 1) {
    const std::size_t half = (x.size() + 1) / 2;
    for (std::size_t k = 0; k + half < x.size(); ++k) x[k] += x[k + half];
    x.resize(half);
  }
  return x.front();
}

inline float in_lanes(const Numbers& x, std::size_t lanes) {
  Numbers sums(lanes);
  for (std::size_t k = 0; k < x.size(); ++k) sums[k % lanes] += x[k];
  return tree(std::move(sums));
}

inline float in_blocks(const Numbers& x, std::size_t length) {
  float sum = 0;
  for (std::size_t first = 0; first < x.size(); first += length) {
    float block = 0;
    for (std::size_t k = first; k < std::min(x.size(), first + length); ++k) block += x[k];
    sum += block;
  }
  return sum;
}

inline std::vector<float> legal_sums(const Numbers& x) {
  Numbers shuffled = x;
  std::mt19937_64 draw(7);
  std::shuffle(shuffled.begin(), shuffled.end(), draw);
  std::vector<float> sums{chain(x), chain(Numbers(x.rbegin(), x.rend())), chain(shuffled), tree(x)};
  for (const std::size_t lanes : {2, 3, 16, 32, 64, 128}) {
    sums.push_back(chain(strided(x, lanes)));
    sums.push_back(in_lanes(x, lanes));
  }
  for (const std::size_t length : {100, 128, 1024}) sums.push_back(in_blocks(x, length));
  return sums;
}

inline double exact(const Numbers& x) {
  long double sum = 0;
  for (const float v : x) sum += v;
  return static_cast<double>(sum);
}

inline Numbers drawn(const Kind& kind, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  Numbers x(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = kind.number(draw, k, n);
  return x;
}

}  // namespace gradproof
