// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "properties/calibration/sizes/programs/arithmetic.h"

namespace gradproof::programs {

/// The places of a norm's numbers. Units are what is standardised together: rows of [rows, cols] of
/// a layer norm, columns of a batch norm, groups of channels of [n, channels, s]. A channel's
/// parameter is shared by `shared` numbers.
struct UnitPlaces {
  std::int64_t units = 1, length = 1, channels = 1, shared = 1;
  std::int64_t unit_stride = 1, member_stride = 1;
  std::int64_t groups = 1;        ///< units of one sample
  std::int64_t channel_size = 1;  ///< neighbours within a unit that have one channel
  bool by_unit = false;           ///< all of a unit have the channel of its number

  static UnitPlaces rows(std::int64_t rows, std::int64_t cols) {
    return {.units = rows, .length = cols, .channels = cols, .shared = rows, .unit_stride = cols};
  }
  static UnitPlaces columns(std::int64_t rows, std::int64_t cols) {
    return {.units = cols,
            .length = rows,
            .channels = cols,
            .shared = rows,
            .member_stride = cols,
            .by_unit = true};
  }
  static UnitPlaces grouped(const Shape& shape, std::int64_t groups) {
    const std::int64_t length = shape[1] / groups * shape[2];
    return {.units = shape[0] * groups,
            .length = length,
            .channels = shape[1],
            .shared = shape[0] * shape[2],
            .unit_stride = length,
            .groups = groups,
            .channel_size = shape[2]};
  }

  std::int64_t at(std::int64_t unit, std::int64_t member) const {
    return unit * unit_stride + member * member_stride;
  }
  std::int64_t channel(std::int64_t unit, std::int64_t member) const {
    if (by_unit) return unit;
    return unit % groups * (channels / groups) + member / channel_size;
  }
  /// The k-th number that has the channel.
  std::pair<std::int64_t, std::int64_t> sharer(std::int64_t channel, std::int64_t k) const {
    if (by_unit) return {channel, k};
    const std::int64_t of_unit = channels / groups;
    return {k / channel_size * groups + channel / of_unit,
            channel % of_unit * channel_size + k % channel_size};
  }
};

/// Value and gradients of a norm. Without `centred` it is an RMSNorm.
template <class T>
class Norm {
 public:
  Norm(const Arithmetic<T>& a, const Tensors& in, const UnitPlaces& places, bool centred)
      : a_(a),
        in_(in),
        at_(places),
        centred_(centred),
        x_(numbers_of<T>(get(in, "x"))),
        dy_(numbers_of<T>(get(in, "dy"))),
        weight_(numbers_of<T>(get(in, "weight"))),
        beta_(centred ? numbers_of<T>(get(in, "beta")) : std::vector<T>(weight_.size(), T(0))) {
    for (std::int64_t u = 0; u < at_.units; ++u) moments_.push_back(moments(u));
    for (std::int64_t u = 0; u < at_.units; ++u) add_unit(u);
  }

  Tensors tensors() const {
    const Shape& shape = get(in_, "x").shape();
    const Shape channels{at_.channels};
    const auto of = [](const std::vector<T>& v) { return [&v](std::int64_t i) { return v[i]; }; };
    Tensors all{{"y", stored(a_.storage(), shape, of(y_))},
                {"d_x", stored(a_.storage(), shape, of(dx_))},
                {"d_weight", stored(a_.storage(), channels, [&](std::int64_t c) {
                   return parameter_sum(c, [&](std::int64_t i) { return dy_[i] * xhat_[i]; });
                 })}};
    if (centred_)
      all.emplace("d_beta", stored(a_.storage(), channels, [&](std::int64_t c) {
                    return parameter_sum(c, [&](std::int64_t i) { return dy_[i]; });
                  }));
    return all;
  }

 private:
  struct Moments {
    T mean = T(0);
    T rstd = T(0);
  };

  T x(std::int64_t unit, std::int64_t member) const { return x_[at_.at(unit, member)]; }

  Moments moments(std::int64_t u) const {
    const std::int64_t n = at_.length;
    const auto mean_of = [&](const auto& term) { return a_.long_sum(n, term) / a_.divisor(n); };
    const auto square = [&](std::int64_t i) { return x(u, i) * x(u, i); };
    if (!centred_) return {T(0), a_.inverse_root(mean_of(square))};
    if (a_.form() == Form::welford) return welford(u);
    const T mean = a_.long_sum(n, [&](std::int64_t i) { return x(u, i); }) / static_cast<T>(n);
    if (a_.form() == Form::one_pass)
      return {mean, a_.inverse_root(std::max(mean_of(square) - mean * mean, T(0)))};
    return {mean, a_.inverse_root(mean_of(
                      [&](std::int64_t i) { return (x(u, i) - mean) * (x(u, i) - mean); }))};
  }

  struct Running {
    T count = T(0), mean = T(0), m2 = T(0);
  };

  /// Welford, Technometrics 4 (1962), in 32 lanes that are merged as Chan et al. (1979) do.
  Moments welford(std::int64_t u) const {
    std::vector<Running> lanes(static_cast<std::size_t>(std::min<std::int64_t>(at_.length, 32)));
    for (std::int64_t i = 0; i < at_.length; ++i) {
      Running& lane = lanes[static_cast<std::size_t>(i) % lanes.size()];
      lane.count += T(1);
      const T off = x(u, i) - lane.mean;
      lane.mean += off / lane.count;
      lane.m2 += off * (x(u, i) - lane.mean);
    }
    for (std::size_t size = lanes.size(); size > 1; size /= 2)
      for (std::size_t i = 0; i < size / 2; ++i) lanes[i] = merged(lanes[i], lanes[i + size / 2]);
    return {lanes[0].mean, a_.inverse_root(lanes[0].m2 / a_.divisor(at_.length))};
  }
  static Running merged(const Running& a, const Running& b) {
    const T count = a.count + b.count, off = b.mean - a.mean;
    return {count, a.mean + off * (b.count / count),
            a.m2 + b.m2 + off * off * (a.count * b.count / count)};
  }

  /// dx = rstd (g - mean(g) - xhat mean(g xhat)), g = weight dy
  void add_unit(std::int64_t u) {
    const Moments m = moments_[a_.statistics_of(u, at_.units)];
    for (std::int64_t i = 0; i < at_.length; ++i) {
      const std::int64_t at = at_.at(u, i), channel = at_.channel(u, i);
      xhat_[at] = (x_[at] - m.mean) * m.rstd;
      y_[at] = xhat_[at] * weight_[channel] + beta_[channel];
    }
    const auto g = [&](std::int64_t i) {
      return weight_[a_.broadcast(at_.channel(u, i))] * dy_[at_.at(u, i)];
    };
    const auto n = static_cast<T>(at_.length);
    const T mean = centred_ && !a_.has(Fault::mean_term) ? a_.sum(at_.length, g) / n : T(0);
    const auto along = [&](std::int64_t i) { return g(i) * xhat_[at_.at(u, i)]; };
    const T slope = a_.has(Fault::projection_term) ? T(0) : a_.sum(at_.length, along) / n;
    for (std::int64_t i = 0; i < at_.length; ++i) {
      const std::int64_t at = at_.at(u, i);
      dx_[at] = m.rstd * (g(i) - mean - xhat_[at] * slope);
    }
  }

  template <class Term>
  T parameter_sum(std::int64_t channel, const Term& term) const {
    return a_.parameter_sum(at_.shared, [&](std::int64_t k) {
      const auto [unit, member] = at_.sharer(channel, k);
      return term(at_.at(unit, member));
    });
  }

  const Arithmetic<T>& a_;
  const Tensors& in_;
  const UnitPlaces at_;
  const bool centred_;
  const std::vector<T> x_, dy_, weight_, beta_;
  std::vector<Moments> moments_;
  std::vector<T> xhat_ = std::vector<T>(x_.size()), y_ = xhat_, dx_ = xhat_;
};

template <class T>
Tensors rms_norm(const Arithmetic<T>& a, const Tensors& in) {
  const Shape& shape = get(in, "x").shape();
  return Norm<T>(a, in, UnitPlaces::rows(shape[0], shape[1]), false).tensors();
}
template <class T>
Tensors layer_norm(const Arithmetic<T>& a, const Tensors& in) {
  const Shape& shape = get(in, "x").shape();
  return Norm<T>(a, in, UnitPlaces::rows(shape[0], shape[1]), true).tensors();
}
template <class T>
Tensors batch_norm(const Arithmetic<T>& a, const Tensors& in) {
  const Shape& shape = get(in, "x").shape();
  return Norm<T>(a, in, UnitPlaces::columns(shape[0], shape[1]), true).tensors();
}
template <class T>
Tensors group_norm(const Arithmetic<T>& a, const Tensors& in) {
  return Norm<T>(a, in, UnitPlaces::grouped(get(in, "x").shape(), 2), true).tensors();
}

}  // namespace gradproof::programs
