// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/plan/convolution.h"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/axes/convolution.h"
#include "core/graph/stages.h"
#include "oracles/graph/plan/shapes.h"

namespace gradproof {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Numbers with extents in row-major order; a place is the sum of index times stride.
class RowMajor {
 public:
  explicit RowMajor(Sizes extents) : extents_(std::move(extents)), strides_(extents_.size(), 1) {
    for (std::size_t k = extents_.size(); k-- > 1;) strides_[k - 1] = strides_[k] * extents_[k];
  }
  const Sizes& extents() const { return extents_; }
  std::int64_t place(const std::vector<std::int64_t>& index) const {
    std::int64_t at = 0;
    for (std::size_t k = 0; k < index.size(); ++k) at += index[k] * strides_[k];
    return at;
  }

 private:
  Sizes extents_;
  Sizes strides_;
};

/// The extents with those of the axes of windows behind them.
template <class Slid, class Extent>
Sizes with_slid(Sizes extents, const std::vector<Slid>& slid, const Extent& extent) {
  for (const Slid& axis : slid) extents.push_back(extent(axis));
  return extents;
}

/// A map of all numbers of those extents.
template <class Place>
IndexMap map_of(const Sizes& extents, const Place& place) {
  IndexMap map(static_cast<std::size_t>(product_of(extents)));
  each_index(extents, [&](std::int64_t i, const std::vector<std::int64_t>& index) {
    map[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(place(index));
  });
  return map;
}

/// The place in a value of each number of a layout; -1 where it is one of the zeros beside it.
/// `along(k, at)` is the value's index along the k-th axis of windows, or -1.
template <class Along>
IndexMap laid_out(const RowMajor& layout, const RowMajor& value, const Along& along) {
  return map_of(layout.extents(), [&](std::vector<std::int64_t> index) -> std::int64_t {
    for (std::size_t k = 2; k < index.size(); ++k) {
      index[k] = along(k - 2, index[k]);
      if (index[k] < 0) return -1;
    }
    return value.place(index);
  });
}

}  // namespace

Convolution::Convolution(const GraphStep& step, const PlanValue& first, const PlanValue& second,
                         const PlanValue& value)
    : widens_(graph_stage(step.stage).widens),
      samples_(first.extents[0]),
      groups_(channel_groups(step)),
      weight_rows_(second.extents[0]),
      weight_columns_(second.extents[1]) {
  const PlanValue& wide = widens_ ? value : first;
  const PlanValue& narrow = widens_ ? first : value;
  if (narrow.extents[1] % groups_ != 0 || wide.extents[1] != groups_ * weight_columns_)
    throw UsageError(fmt::format("groups={} of {} do not fit {} channels, and '{}' of {} x {}",
                                 groups_, step.stage, first.extents[1], second.name, weight_rows_,
                                 weight_columns_));
  of_narrow_ = narrow.extents[1] / groups_;
  of_wide_ = weight_columns_;
  for (std::size_t k = 2; k < first.extents.size(); ++k)
    slid_.push_back({wide.extents[k], narrow.extents[k], second.extents[k],
                     step.number_along(kStride, k - 2), step.number_along(kPadding, k - 2),
                     step.number_along(kDilation, k - 2)});
}

std::int64_t Convolution::taps_of_number() const {
  std::int64_t taps = 1;
  for (const Slid& s : slid_) {
    const std::int64_t apart = s.stride / std::gcd(s.stride, s.dilation);
    taps *= (s.taps + apart - 1) / apart;
  }
  return taps;
}

SumsOfProducts Convolution::of_narrow() const {
  const auto padded = [](const Slid& s) {
    // A window may end before the last number, and begin before the first.
    return std::max(s.wide + 2 * s.padding,
                    (s.narrow - 1) * s.stride + (s.taps - 1) * s.dilation + 1);
  };
  const RowMajor wide(
      with_slid({samples_, groups_ * of_wide_}, slid_, [](auto& s) { return s.wide; }));
  const RowMajor laid(with_slid({samples_, groups_ * of_wide_}, slid_, padded));
  const RowMajor weight(
      with_slid({weight_rows_, weight_columns_}, slid_, [](auto& s) { return s.taps; }));
  const Sizes result =
      with_slid({samples_, groups_ * of_narrow_}, slid_, [](auto& s) { return s.narrow; });
  const Sizes terms = with_slid({of_wide_}, slid_, [](auto& s) { return s.taps; });
  SumsOfProducts sums;
  sums.left_of = map_of(result, [&](std::vector<std::int64_t> at) {
    at[1] = at[1] / of_narrow_ * of_wide_;
    for (std::size_t k = 0; k < slid_.size(); ++k) at[k + 2] *= slid_[k].stride;
    return laid.place(at);
  });
  sums.left_term = map_of(terms, [&](const std::vector<std::int64_t>& term) {
    std::vector<std::int64_t> at{0, term[0]};
    for (std::size_t k = 0; k < slid_.size(); ++k) at.push_back(term[k + 1] * slid_[k].dilation);
    return laid.place(at);
  });
  sums.right_of =
      map_of(result, [&](const std::vector<std::int64_t>& at) { return weight.place({at[1]}); });
  sums.right_term = map_of(terms, [&](std::vector<std::int64_t> term) {
    term.insert(term.begin(), 0);
    return weight.place(term);
  });
  sums.left_from = laid_out(laid, wide, [&](std::size_t k, std::int64_t at) {
    const std::int64_t own = at - slid_[k].padding;
    return own < slid_[k].wide ? own : -1;
  });
  sums.length = std::ssize(sums.left_term);
  return sums;
}

SumsOfProducts Convolution::of_wide() const {
  const RowMajor narrow(
      with_slid({samples_, groups_ * of_narrow_}, slid_, [](auto& s) { return s.narrow; }));
  const RowMajor laid(with_slid({samples_, groups_ * of_narrow_}, slid_,
                                [](auto& s) { return s.wide + (s.taps - 1) * s.dilation; }));
  const RowMajor weight(
      with_slid({weight_rows_, weight_columns_}, slid_, [](auto& s) { return s.taps; }));
  const Sizes result =
      with_slid({samples_, groups_ * of_wide_}, slid_, [](auto& s) { return s.wide; });
  const Sizes terms = with_slid({of_narrow_}, slid_, [](auto& s) { return s.taps; });
  SumsOfProducts sums;
  sums.left_of = map_of(result, [&](std::vector<std::int64_t> at) {
    at[1] = at[1] / of_wide_ * of_narrow_;
    return laid.place(at);
  });
  sums.left_term = map_of(terms, [&](const std::vector<std::int64_t>& term) {
    std::vector<std::int64_t> at{0, term[0]};
    for (std::size_t k = 0; k < slid_.size(); ++k)
      at.push_back((slid_[k].taps - 1 - term[k + 1]) * slid_[k].dilation);
    return laid.place(at);
  });
  sums.right_of = map_of(result, [&](const std::vector<std::int64_t>& at) {
    return weight.place({at[1] / of_wide_ * of_narrow_, at[1] % of_wide_});
  });
  sums.right_term = map_of(terms, [&](std::vector<std::int64_t> term) {
    term.insert(term.begin() + 1, 0);
    return weight.place(term);
  });
  // Place q of the layout has the number i with i stride = q - (taps - 1) dilation + padding.
  sums.left_from = laid_out(laid, narrow, [&](std::size_t k, std::int64_t at) -> std::int64_t {
    const Slid& s = slid_[k];
    const std::int64_t from = at - (s.taps - 1) * s.dilation + s.padding;
    if (from < 0 || from % s.stride != 0 || from / s.stride >= s.narrow) return -1;
    return from / s.stride;
  });
  sums.stored_sums = taps_of_number();
  sums.length = of_narrow_ * sums.stored_sums;
  return sums;
}

SumsOfProducts Convolution::of_weight() const {
  const SumsOfProducts forward = of_narrow();
  const RowMajor narrow(
      with_slid({samples_, groups_ * of_narrow_}, slid_, [](auto& s) { return s.narrow; }));
  const Sizes result =
      with_slid({weight_rows_, weight_columns_}, slid_, [](auto& s) { return s.taps; });
  const Sizes terms = with_slid({samples_}, slid_, [](auto& s) { return s.narrow; });
  const std::int64_t of_row = product_of(result) / std::max<std::int64_t>(1, weight_rows_);
  std::int64_t windows = 1;
  for (const Slid& s : slid_) windows *= s.narrow;
  const auto forward_of = [&](std::int64_t at) {
    return forward.left_of.empty() ? 0 : forward.left_of[static_cast<std::size_t>(at)];
  };
  // The wide number of result [o,c,t] and term [n,i] is that of value [n,o,i] and its term [c,t].
  SumsOfProducts sums;
  for (std::int64_t i = 0; i < product_of(result); ++i) {
    sums.left_of.push_back(static_cast<std::int32_t>(narrow.place({0, i / of_row})));
    sums.right_of.push_back(forward_of(i / of_row * windows) +
                            forward.left_term[static_cast<std::size_t>(i % of_row)]);
  }
  sums.left_term = map_of(terms, [&](std::vector<std::int64_t> term) {
    term.insert(term.begin() + 1, 0);
    return narrow.place(term);
  });
  for (std::int64_t k = 0; k < product_of(terms); ++k) {
    const std::int64_t of_samples = k / windows * groups_ * of_narrow_ * windows;
    sums.right_term.push_back(forward_of(of_samples + k % windows) - forward_of(0));
  }
  sums.right_from = forward.left_from;
  sums.length = std::ssize(sums.left_term);
  return sums;
}

std::vector<SumsOfProducts> Convolution::sums() const {
  std::vector<SumsOfProducts> all{of_narrow(), of_wide(), of_weight()};
  if (!widens_) return all;
  // The cotangent is wide, and x is narrow: the cotangent's numbers stand on the left.
  std::swap(all[0], all[1]);
  std::swap(all[2].left_of, all[2].right_of);
  std::swap(all[2].left_term, all[2].right_term);
  std::swap(all[2].left_from, all[2].right_from);
  return all;
}

}  // namespace gradproof
