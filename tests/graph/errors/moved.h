// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracles/graph/judge_graph.h"

namespace gradproof {

inline constexpr double kCoarse =
    1e-3;  ///< of a number whose error is more of it the curvature counts

using Found = std::map<std::string, GraphTruths, std::less<>>;

/// A number of a tensor that may be off by `error`.
struct Uncertain {
  std::string tensor;
  std::int64_t place = 0;
  double number = 0;
  double error = 0;
};

/// The inexact numbers of these truths; nothing if one is unknown, or is off by too much of itself.
inline std::optional<std::vector<Uncertain>> uncertain_numbers(const std::string& tensor,
                                                               const Truths& truths) {
  std::vector<Uncertain> all;
  for (std::size_t i = 0; i < truths.hi.size(); ++i) {
    const Uncertain one{tensor, static_cast<std::int64_t>(i), truths.hi[i], truths.bound[i]};
    if (!std::isfinite(one.number) || !(one.error <= kCoarse * std::abs(one.number)))
      return std::nullopt;
    if (one.error > 0) all.push_back(one);
  }
  return all;
}

/// The movement of an element: the sum over the numbers, each to the side that moves it one way.
struct Moved {
  double by = 0;
  bool is_bent = false;  ///< some number moves it differently to its two sides
};

/// The movements by target and element.
using Movements = std::map<std::string, std::vector<Moved>, std::less<>>;

inline double distance(const Truths& from, const Truths& to, std::size_t i) {
  return (to.hi[i] - from.hi[i]) + (to.lo[i] - from.lo[i]);
}

/// The movements from one set of truths to another.
inline Movements moved(const Found& from, const Found& to) {
  Movements all;
  for (const auto& [name, of] : from) {
    const Truths& now = to.at(name).truths;
    for (std::size_t i = 0; i < now.hi.size(); ++i)
      all[name].push_back({std::abs(distance(of.truths, now, i))});
  }
  return all;
}

/// The sums over `numbers`, where `truths` gives the truths with another number in one place.
inline Movements moved(const std::vector<Uncertain>& numbers, const Found& base,
                       const std::function<Found(const Uncertain&, double)>& truths) {
  Movements all;
  for (const auto& [name, of] : base) all[name].resize(of.truths.hi.size());
  for (const Uncertain& number : numbers) {
    const Found up = truths(number, number.number + number.error);
    const Found down = truths(number, number.number - number.error);
    for (auto& [name, elements] : all) {
      const Truths& from = base.at(name).truths;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const double more = distance(from, up.at(name).truths, i);
        const double less = distance(from, down.at(name).truths, i);
        const double by = (std::abs(more) + std::abs(less)) / 2;
        elements[i].by += by;
        if (!(std::abs(more + less) <= 0.05 * by))
          elements[i].is_bent = elements[i].is_bent || by > 0;
      }
    }
  }
  return all;
}

/// A trial counts what many graphs came to.
struct Trial {
  int graphs = 0;
  std::int64_t elements = 0;
  std::int64_t over_half = 0;  ///< that come to more than half of their bound
  double worst = 0;            ///< movement over bound
  std::string worst_line;

  void add(const Movements& all, const Found& judged, const std::string& line) {
    for (const auto& [name, elements_of] : all) {
      const Truths& truths = judged.at(name).truths;
      for (std::size_t i = 0; i < elements_of.size(); ++i) {
        const Moved& one = elements_of[i];
        if (one.is_bent || one.by == 0 || !std::isfinite(truths.bound[i])) continue;
        ++elements;
        const double ratio = one.by / truths.bound[i];
        over_half += ratio > 0.5 ? 1 : 0;
        if (ratio > worst) worst_line = line + " " + name + " " + std::to_string(i);
        worst = std::max(worst, ratio);
      }
    }
  }
};

}  // namespace gradproof
