// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "properties/laws/own/planted_kernels.h"

namespace gradproof {
namespace {

/// The statistics that a row is normalised with.
struct RowStatistics {
  float mean = 0;
  float rstd = 0;
};

float rms_statistic(const Call& c, std::int64_t row, const std::string& fault) {
  const std::int64_t cols = c.extent("cols");
  const float* x = numbers(c, "x") + row * cols;
  const float* residual = numbers(c, "residual") + row * cols;
  float sum = 0;
  for (std::int64_t k = 0; k < cols; ++k) sum += (x[k] + residual[k]) * (x[k] + residual[k]);
  const auto count = static_cast<float>(fault == "count_less_one" ? cols - 1 : cols);
  const float eps = fault == "other_eps" ? 1e-2F : 1e-6F;
  return 1 / std::sqrt(sum / count + eps);
}

/// `kept`: what a kernel with a static cache keeps between calls.
void rms_norm_forward(const Call& c, const std::string& fault, std::vector<float>& kept) {
  const std::int64_t rows = c.extent("rows"), cols = c.extent("cols");
  kept.clear();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t of = fault == "neighbours_statistic" ? (row + 1) % rows : row;
    const float r = rms_statistic(c, of, fault);
    kept.push_back(r);
    for (std::int64_t k = 0; k < cols; ++k) {
      if (fault == "odd_tail_unwritten" && k == cols - 1 && cols % 4 != 0) continue;
      const std::int64_t i = row * cols + k;
      const float h = numbers(c, "x")[i] + numbers(c, "residual")[i];
      numbers(c, "y")[i] = numbers(c, "weight")[fault == "weight_by_row" ? row % cols : k] * h * r;
    }
  }
}

void rms_norm_backward(const Call& c, const std::string& fault, const std::vector<float>& kept) {
  const std::int64_t rows = c.extent("rows"), cols = c.extent("cols");
  for (std::int64_t k = 0; k < cols; ++k) numbers(c, "d_weight")[k] = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float r = fault == "kept_between_calls" && row < std::ssize(kept)
                        ? kept[static_cast<std::size_t>(row)]
                        : rms_statistic(c, row, fault);
    float along = 0;
    for (std::int64_t k = 0; k < cols; ++k) {
      const std::int64_t i = row * cols + k;
      const float h = numbers(c, "x")[i] + numbers(c, "residual")[i];
      along += numbers(c, "weight")[k] * numbers(c, "dy")[i] * h * r;
    }
    along /= static_cast<float>(cols);
    if (fault == "second_term_missing") along = 0;
    for (std::int64_t k = 0; k < cols; ++k) {
      const std::int64_t i = row * cols + k;
      const float residual = fault == "residual_forgotten" ? 0 : numbers(c, "residual")[i];
      const float h = numbers(c, "x")[i] + residual;
      float dy = numbers(c, "dy")[i];
      if (fault == "cotangent_of_ones") dy = 1;
      if (fault == "size_of_cotangent") dy = std::abs(dy);
      const float d = r * (numbers(c, "weight")[k] * dy - h * r * along);
      numbers(c, "d_x")[i] = d;
      numbers(c, "d_residual")[i] = fault == "residual_twice" ? 2 * d : d;
      if (fault == "last_row_left_out" && row == rows - 1) continue;
      numbers(c, "d_weight")[k] += (fault == "cotangent_twice" ? dy * dy : dy) * h * r;
    }
  }
}

OwnKernel rms_norm(const std::string& fault) {
  const auto kept = std::make_shared<std::vector<float>>();
  OwnKernel own;
  own.word = "own_rms_norm";
  own.pipeline = "y = rms_norm(add(x[rows,cols], residual), weight, eps=1e-6)";
  own.forward = [=](const Call& c) { rms_norm_forward(c, fault, *kept); };
  own.backward = [=](const Call& c) { rms_norm_backward(c, fault, *kept); };
  return own;
}

RowStatistics layer_statistics(const Call& c, std::int64_t row, const std::string& fault) {
  const std::int64_t cols = c.extent("cols");
  const float* x = numbers(c, "x") + row * cols;
  RowStatistics s;
  for (std::int64_t k = 0; k < cols; ++k) s.mean += x[k];
  s.mean /= static_cast<float>(cols);
  float squares = 0;
  for (std::int64_t k = 0; k < cols; ++k) squares += (x[k] - s.mean) * (x[k] - s.mean);
  s.rstd = 1 / std::sqrt(squares / static_cast<float>(cols) + 1e-5F);
  if (fault == "statistics_of_zeros") s = {0, 1 / std::sqrt(1 + 1e-5F)};
  return s;
}

void layer_norm_forward(const Call& c, const std::string& fault, int& calls) {
  const std::int64_t rows = c.extent("rows"), cols = c.extent("cols");
  for (std::int64_t row = 0; row < rows; ++row) {
    const RowStatistics s = layer_statistics(c, row, fault);
    for (std::int64_t k = 0; k < cols; ++k) {
      const std::int64_t i = row * cols + k;
      const std::int64_t p = fault == "first_parameter_for_all" ? 0 : k;
      const float xhat = (numbers(c, "x")[i] - s.mean) * s.rstd;
      float y = xhat * numbers(c, "weight")[p] + numbers(c, "beta")[p];
      if (fault == "beta_in_front") y = (xhat + numbers(c, "beta")[p]) * numbers(c, "weight")[p];
      if (fault == "first_row_kept" && row == 0 && rows > 1) y = numbers(c, "beta")[p];
      if (fault == "other_bits_each_call") y += static_cast<float>(++calls % 2) * 1e-6F;
      numbers(c, "y")[i] = y;
    }
  }
  if (fault == "input_written") numbers(c, "x")[0] += 1;
}

void layer_norm_backward(const Call& c, const std::string& fault) {
  const std::int64_t rows = c.extent("rows"), cols = c.extent("cols");
  for (const char* name : {"d_weight", "d_beta"})
    for (std::int64_t k = 0; k < cols; ++k) numbers(c, name)[k] = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const RowStatistics s = layer_statistics(c, row, fault);
    const auto xhat = [&](std::int64_t k) {
      return (numbers(c, "x")[row * cols + k] - s.mean) * s.rstd;
    };
    float mean = 0, along = 0;
    for (std::int64_t k = 0; k < cols; ++k) {
      const float g = numbers(c, "weight")[k] * numbers(c, "dy")[row * cols + k];
      mean += g / static_cast<float>(cols);
      along += g * xhat(k) / static_cast<float>(cols);
    }
    if (fault == "mean_not_taken_off") mean = 0;
    if (fault == "deviation_not_taken_off") along = 0;
    for (std::int64_t k = 0; k < cols; ++k) {
      const std::int64_t i = row * cols + k;
      const float dy = numbers(c, "dy")[i];
      numbers(c, "d_x")[i] = s.rstd * (numbers(c, "weight")[k] * dy - mean - xhat(k) * along);
      const bool exchanged = fault == "weight_and_beta_exchanged";
      const float centred = fault == "weight_of_plain_x" ? numbers(c, "x")[i] : xhat(k);
      numbers(c, exchanged ? "d_beta" : "d_weight")[k] += dy * centred;
      numbers(c, exchanged ? "d_weight" : "d_beta")[k] += dy;
    }
  }
  if (fault == "beta_of_mean")
    for (std::int64_t k = 0; k < cols; ++k) numbers(c, "d_beta")[k] /= static_cast<float>(rows);
}

OwnKernel layer_norm(const std::string& fault) {
  const auto calls = std::make_shared<int>(0);
  OwnKernel own;
  own.word = "own_layer_norm";
  own.pipeline = "y = layer_norm(x[rows,cols], weight, beta)";
  own.forward = [=](const Call& c) { layer_norm_forward(c, fault, *calls); };
  own.backward = [=](const Call& c) { layer_norm_backward(c, fault); };
  return own;
}

}  // namespace

PlantedKernel planted_rms_norm() {
  return {
      "own_rms_norm",
      {"count_less_one", "other_eps", "neighbours_statistic", "odd_tail_unwritten", "weight_by_row",
       "kept_between_calls", "second_term_missing", "residual_forgotten", "cotangent_of_ones",
       "size_of_cotangent", "residual_twice", "last_row_left_out", "cotangent_twice"},
      rms_norm};
}

PlantedKernel planted_layer_norm() {
  return {"own_layer_norm",
          {"statistics_of_zeros", "first_parameter_for_all", "beta_in_front", "first_row_kept",
           "other_bits_each_call", "input_written", "mean_not_taken_off", "deviation_not_taken_off",
           "weight_and_beta_exchanged", "weight_of_plain_x", "beta_of_mean"},
          layer_norm};
}

}  // namespace gradproof
