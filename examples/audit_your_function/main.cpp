// SPDX-License-Identifier: Apache-2.0
// Audits two backward formulas of LayerNorm: the right one, and one that forgets that the mean and
// the standard deviation depend on x. docs/audit_function.md explains what is printed.
#include <cmath>
#include <iostream>

#include "oracles/functions/audit_function.h"
#include "reports/audit/audit_text.h"

/// y = xhat weight + beta, xhat = (x - mean) rstd over each row of x.
struct LayerNorm {
  std::size_t cols;
  bool forgetful;  ///< the wrong one

  template <class T>
  std::vector<T> value(const std::vector<std::vector<T>>& in) const {
    const std::vector<T>&weight = in[1], &beta = in[2];
    std::vector<T> y;
    for (std::size_t first = 0; first < in[0].size(); first += cols) {
      const auto [xhat, rstd] = standardized(&in[0][first]);
      for (std::size_t j = 0; j < cols; ++j) y.push_back(xhat[j] * weight[j] + beta[j]);
    }
    return y;
  }

  /// The backward formula on trial. g = dy weight: dx = rstd (g - mean(g) - xhat mean(g xhat)).
  template <class T>
  std::vector<std::vector<T>> gradient(const std::vector<std::vector<T>>& in,
                                       const std::vector<T>& dy) const {
    const std::vector<T>& weight = in[1];
    std::vector<T> dx, dweight(cols), dbeta(cols);
    for (std::size_t first = 0; first < dy.size(); first += cols) {
      const auto [xhat, rstd] = standardized(&in[0][first]);
      T mean_g = 0, mean_g_xhat = 0;
      for (std::size_t j = 0; j < cols; ++j) {
        const T& g = dy[first + j];
        dweight[j] += g * xhat[j];
        dbeta[j] += g;
        if (forgetful) continue;
        mean_g += g * weight[j] / cols;
        mean_g_xhat += g * weight[j] * xhat[j] / cols;
      }
      for (std::size_t j = 0; j < cols; ++j)
        dx.push_back(rstd * (dy[first + j] * weight[j] - mean_g - xhat[j] * mean_g_xhat));
    }
    return {dx, dweight, dbeta};
  }

 private:
  template <class T>
  std::pair<std::vector<T>, T> standardized(const T* x) const {
    T mean = 0, variance = 0;
    for (std::size_t j = 0; j < cols; ++j) mean += x[j] / cols;
    for (std::size_t j = 0; j < cols; ++j) variance += pow(x[j] - mean, 2) / cols;
    const T rstd = 1 / sqrt(variance + 1e-5);
    std::vector<T> xhat;
    for (std::size_t j = 0; j < cols; ++j) xhat.push_back((x[j] - mean) * rstd);
    return {xhat, rstd};
  }
};

int main() {
  std::vector<double> x, weight, beta;
  for (int i = 0; i < 4 * 8; ++i) x.push_back(std::sin(1.7 * i) + 0.5);
  for (int j = 0; j < 8; ++j) weight.push_back(1 + 0.1 * j), beta.push_back(0.3 - 0.2 * j);
  const std::vector<gradproof::FunctionInput> inputs{
      {"x", {4, 8}, x}, {"weight", {8}, weight}, {"beta", {8}, beta}};
  const auto right = gradproof::audit_function(LayerNorm{8, false}, inputs);
  const auto wrong = gradproof::audit_function(LayerNorm{8, true}, inputs);
  std::cout << "the full formula\n" << gradproof::audit_table(right);
  std::cout << "without the terms of the statistics\n" << gradproof::audit_table(wrong);
  bool expected = wrong[0].verdict == gradproof::Outcome::wrong;
  for (const gradproof::AuditRow& row : right)
    expected = expected && row.verdict == gradproof::Outcome::certified;
  return expected ? 0 : 1;
}
