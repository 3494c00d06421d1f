// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kernel_group_reference.h"

#include <cmath>
#include <functional>

namespace gradproof {
namespace {

double sigmoid(double t) { return 1 / (1 + std::exp(-t)); }
double swish(double t) { return t * sigmoid(t); }
double swish_slope(double t) { return sigmoid(t) * (1 + t * sigmoid(-t)); }

class Reference {
 public:
  Reference(const Case& c, const Claim& claim, const Tensors& inputs, Fault fault)
      : claim_(claim), inputs_(inputs), fault_(fault), word_(c.word()), eps_(c.real("eps")) {}

  std::map<std::string, Expected> all() {
    for (const TensorSpec& spec : claim_.tensors) {
      const auto count = static_cast<std::size_t>(numel(spec.layout.shape));
      out_[spec.name] = {std::vector<double>(count), std::vector<double>(count)};
    }
    for (std::int64_t row = 0; row < claim_.rows(); ++row)
      for (std::int64_t group = 0; group < claim_.groups(); ++group) unit(row, group);
    return std::move(out_);
  }

 private:
  double input(const std::string& name, std::int64_t index, double absent) const {
    const auto found = inputs_.find(name);
    if (found == inputs_.end()) return absent;
    return found->second.at(found->second.numel() == 1 ? 0 : index);
  }
  void add(const std::string& name, std::int64_t index, double value, double size) {
    const auto found = out_.find(name);
    if (found == out_.end()) return;
    const auto i = static_cast<std::size_t>(found->second.value.size() == 1 ? 0 : index);
    found->second.value[i] += value;
    found->second.size[i] += size;
  }

  double before(double x, std::int64_t col) const {
    return word_ == "swish_bias_groupnorm" ? swish(x) + input("bias", col, 0) : x;
  }
  double after(double z, std::int64_t col) const {
    if (word_ != "groupnorm_swish_multiply_swish") return z;
    return swish(swish(z) * input("multiply", col, 1));
  }
  /// The cotangent of z, and the gradient of multiply on the way.
  double pull_after(double z, double dy, std::int64_t col) {
    if (word_ != "groupnorm_swish_multiply_swish") return dy;
    const double multiply = input("multiply", col, 1);
    const double inner = dy * swish_slope(swish(z) * multiply);
    add("d_multiply", col, inner * swish(z), std::abs(inner * swish(z)) + std::abs(dy));
    return inner * multiply * swish_slope(z);
  }

  void unit(std::int64_t row, std::int64_t group) {
    const std::int64_t width = claim_.cols() / claim_.groups();
    const std::int64_t first = group * width;
    const auto n = static_cast<double>(width);
    const std::int64_t seen = fault_ == Fault::last_channel_dropped ? width - 1 : width;
    const auto x_of = [&](std::int64_t i) {
      return input("x", row * claim_.cols() + first + i, 0);
    };
    double mean = 0, mean_size = 0, variance = 0;
    for (std::int64_t i = 0; i < seen; ++i) mean += before(x_of(i), first + i) / n;
    for (std::int64_t i = 0; i < seen; ++i) mean_size += std::abs(before(x_of(i), first + i)) / n;
    for (std::int64_t i = 0; i < seen; ++i)
      variance += std::pow(before(x_of(i), first + i) - mean, 2);
    variance /= fault_ == Fault::unbiased_variance ? n - 1 : n;
    const double rstd = fault_ == Fault::eps_outside_root ? 1 / (std::sqrt(variance) + eps_)
                                                          : 1 / std::sqrt(variance + eps_);
    // rounded inputs shift the mean, and so every difference, by u mean_size
    const double shift = (mean_size + std::abs(mean)) * rstd;
    add("mean", row * claim_.groups() + group, mean, mean_size);
    add("rstd", row * claim_.groups() + group, rstd, rstd * (1 + shift * shift));
    outputs(row, first, mean, rstd, shift);
    gradients(row, first, mean, rstd, shift);
  }

  void outputs(std::int64_t row, std::int64_t first, double mean, double rstd, double shift) {
    for (std::int64_t i = 0; i < claim_.cols() / claim_.groups(); ++i) {
      const std::int64_t col = first + i;
      const std::int64_t at = row * claim_.cols() + col;
      const double xhat = (before(input("x", at, 0), col) - mean) * rstd;
      const double weight = input("weight", col, 1), beta = input("beta", col, 0);
      const double size = std::abs(weight) * (std::abs(xhat) + shift) + std::abs(beta);
      add("y", at, after(weight * xhat + beta, col),
          size * 1.25 * (1 + std::abs(input("multiply", col, 1))));
    }
  }

  void gradients(std::int64_t row, std::int64_t first, double mean, double rstd, double shift) {
    if (!inputs_.contains("dy")) return;
    const std::int64_t width = claim_.cols() / claim_.groups();
    const auto n = static_cast<double>(width);
    const auto count = static_cast<std::size_t>(width);
    std::vector<double> xhat(count), h(count), h_size(count);
    double s1 = 0, s2 = 0, s1_size = 0, s2_size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t col = first + static_cast<std::int64_t>(i);
      const std::int64_t at = row * claim_.cols() + col;
      const double weight = input("weight", col, 1), dy = input("dy", at, 0);
      xhat[i] = (before(input("x", at, 0), col) - mean) * rstd;
      const double z = weight * xhat[i] + input("beta", col, 0);
      const double g = pull_after(z, dy, col);
      const double multiply = std::abs(input("multiply", col, 1));
      const double g_size =
          std::abs(dy) * (1 + multiply) * (1 + multiply) *
          (1 + std::abs(weight) * (std::abs(xhat[i]) + shift) + std::abs(input("beta", col, 0)));
      const double reach = std::abs(xhat[i]) + shift;
      add("d_weight", col, g * xhat[i], g_size * reach);
      add("d_beta", col, g, g_size);
      h[i] = weight * g;
      h_size[i] = std::abs(weight) * g_size;
      const double in_sum = fault_ == Fault::weight_outside_sums ? g : h[i];
      s1 += in_sum, s1_size += h_size[i];
      s2 += in_sum * xhat[i], s2_size += h_size[i] * reach;
    }
    if (fault_ == Fault::no_mean_term) s1 = 0;
    if (fault_ == Fault::no_xhat_term) s2 = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t col = first + static_cast<std::int64_t>(i);
      const std::int64_t at = row * claim_.cols() + col;
      const double d_v = rstd * (h[i] - s1 / n - xhat[i] * (s2 / n));
      const double size =
          rstd * (h_size[i] + s1_size / n + (std::abs(xhat[i]) + shift) * (s2_size / n));
      const bool activated = word_ == "swish_bias_groupnorm";
      add("d_bias", col, d_v, size);
      add("d_x", at, activated ? d_v * swish_slope(input("x", at, 0)) : d_v, 1.25 * size);
    }
  }

  const Claim& claim_;
  const Tensors& inputs_;
  Fault fault_;
  std::string word_;
  double eps_;
  std::map<std::string, Expected> out_;
};

}  // namespace

std::map<std::string, Expected> reference_of(const Case& c, const Claim& claim,
                                             const Tensors& inputs, Fault fault) {
  return Reference(c, claim, inputs, fault).all();
}

}  // namespace gradproof
