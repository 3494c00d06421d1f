// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "oracles/graph/audit/packed/norm_surface.h"
#include "oracles/graph/step_context.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// For each of some groups a function of two small numbers, 0 at (0, 0), interpolated on a box of
/// its own. T is a pack of wide numbers, whose lanes are as many nodes.
template <class T>
class GroupSurfaces {
 public:
  /// values(v, w), for v and w of each group, gives the groups' functions there. The widest boxes
  /// are taken whose highest terms are a rounding of `sizes`. Where `by_v` or `by_w` is false, the
  /// functions do not depend on that number.
  template <class Values>
  void fit(const std::vector<T>& sizes, bool by_v, bool by_w, const Values& values) {
    by_v_ = by_v;
    by_w_ = by_w;
    surfaces_.assign(sizes.size(), {});
    log2_box_.assign(sizes.size(), kFirstBox);
    table_.assign(sizes.size() * kNodes, T(0));
    for (int tried = 0; tried < kMostFits; ++tried) {
      fill_table(values);
      bool fits = true;
      for (std::size_t g = 0; g < sizes.size(); ++g)
        fits = fit_group(g, sizes[g] * rounding() * T(64)) && fits;
      if (fits) return;
    }
  }

  /// The function of a group; NaN outside of its box, and where no box fits.
  T at(std::size_t group, const T& v, const T& w) const {
    const T none(std::numeric_limits<double>::quiet_NaN());
    if (log2_box_[group] < kLastBox) return none;
    const Surface<T>& surface = surfaces_[group];
    return select(surface.covers(v, w), surface(v, w), none);
  }

 private:
  static constexpr int kFirstBox = -12;
  static constexpr int kLastBox = -44;
  static constexpr int kMostFits = 8;
  /// The degree at which the terms of a box of 2^-12 of the distance to a singularity fall below
  /// the rounding, 2^-104 or 2^-156, roughly.
  static constexpr int kDegree = sizeof(T) == 2 * sizeof(Pack) ? 8 : 13;
  static constexpr std::size_t kNodes = (kDegree + 1) * (kDegree + 1);

  static const T& rounding() {
    static const T worst = observed_rounding<T>();
    return worst;
  }

  /// The nodes (a, b) that are evaluated: those on one axis where one number stays 0.
  struct Nodes {
    std::size_t count = 0;
    std::size_t at[kNodes] = {};
  };
  Nodes nodes() const {
    Nodes all;
    for (int a = 0; a <= (by_v_ ? kDegree : 0); ++a)
      for (int b = 0; b <= (by_w_ ? kDegree - a : 0); ++b)
        if (a + b > 0) all.at[all.count++] = node(a, b);
    return all;
  }
  static std::size_t node(int a, int b) {
    return static_cast<std::size_t>(a) * (kDegree + 1) + static_cast<std::size_t>(b);
  }

  /// Evaluates the nodes of each group's box, as many at once as a pack has lanes.
  template <class Values>
  void fill_table(const Values& values) {
    const Nodes all = nodes();
    constexpr std::size_t kWidth = static_cast<std::size_t>(kLanesOf<T>);
    for (std::size_t first = 0; first < all.count; first += kWidth) {
      double by_a[kWidth] = {}, by_b[kWidth] = {};
      const std::size_t count = std::min(kWidth, all.count - first);
      for (std::size_t k = 0; k < count; ++k) {
        by_a[k] = kLeja.at[all.at[first + k] / (kDegree + 1)];
        by_b[k] = kLeja.at[all.at[first + k] % (kDegree + 1)];
      }
      std::vector<T> v, w;
      for (const int log2_box : log2_box_) {
        const T box(std::ldexp(1, log2_box));
        v.push_back(T(gradproof::load<Pack>(by_a)) * box);
        w.push_back(T(gradproof::load<Pack>(by_b)) * box);
      }
      const std::vector<T> found = values(v, w);
      for (std::size_t g = 0; g < found.size(); ++g)
        for (std::size_t k = 0; k < count; ++k)
          table_[g * kNodes + all.at[first + k]] = equal_lanes(found[g], static_cast<int>(k));
    }
  }
  static DoubledOf<Pack> equal_lanes(const DoubledOf<Pack>& number, int k) {
    return {Pack(lane(number.hi, k)), Pack(lane(number.lo, k))};
  }
  static TripledOf<Pack> equal_lanes(const TripledOf<Pack>& number, int k) {
    return {Pack(lane(number.hi, k)), Pack(lane(number.mid, k)), Pack(lane(number.lo, k))};
  }

  /// Interpolates the group's table. False if its box is to be narrower, which it is then.
  bool fit_group(std::size_t g, const T& allowed) {
    int& log2_box = log2_box_[g];
    if (log2_box < kLastBox) return true;  // no box fits
    const double box = std::ldexp(1, log2_box);
    const auto index = [&](double number) {
      int k = 0;
      while (box * kLeja.at[k] != number) ++k;
      return k;
    };
    surfaces_[g].fit(kDegree, box, [&](double v, double w) {
      return table_[g * kNodes + node(by_v_ ? index(v) : 0, by_w_ ? index(w) : 0)];
    });
    T above = surfaces_[g].highest_terms();
    if (!any(!(above >= T(0))) && !any(allowed < above)) return true;
    const int before = log2_box;
    for (; any(allowed < above) && log2_box >= kLastBox; --log2_box)
      above = above * T(std::ldexp(1, -kDegree));
    if (log2_box == before) log2_box = kLastBox - 1;
    return false;
  }

  bool by_v_ = true;
  bool by_w_ = true;
  std::vector<Surface<T>> surfaces_;
  FieldNumbers<int> log2_box_;
  std::vector<T> table_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
