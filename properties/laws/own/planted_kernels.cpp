// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/own/planted_kernels.h"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

OwnKernel softmax(const std::string& fault) {
  OwnKernel own;
  own.word = "own_softmax";
  own.pipeline = "y = softmax(x[rows,cols], cols)";
  own.forward = [=](const Call& c) {
    const std::int64_t rows = c.extent("rows"), cols = c.extent("cols");
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* x = numbers(c, "x") + row * cols;
      const float most = fault == "largest_of_all" ? *std::max_element(x, x + (rows - row) * cols)
                                                   : *std::max_element(x, x + cols);
      float sum = 0;
      const std::int64_t terms = fault == "last_term_left_out" && cols > 1 ? cols - 1 : cols;
      const bool backwards = fault == "other_order_in_small_batches" && rows < 4;
      for (std::int64_t k = 0; k < terms; ++k)
        sum += std::exp(x[backwards ? terms - 1 - k : k] - most);
      if (fault == "sum_not_divided_by") sum = 1;
      for (std::int64_t k = 0; k < cols; ++k)
        numbers(c, "y")[row * cols + k] = std::exp(x[k] - most) / sum;
    }
  };
  own.backward = [=](const Call& c) {
    const std::int64_t rows = c.extent("rows"), cols = c.extent("cols");
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t of = fault == "next_rows_sum" ? (row + 1) % rows : row;
      float along = 0;
      for (std::int64_t k = 0; k < cols; ++k)
        along += numbers(c, "y")[of * cols + k] * numbers(c, "dy")[of * cols + k];
      if (fault == "sum_forgotten") along = 0;
      for (std::int64_t k = 0; k < cols; ++k) {
        const std::int64_t i = row * cols + k;
        numbers(c, "d_x")[i] = numbers(c, "y")[i] * (numbers(c, "dy")[i] - along);
      }
    }
  };
  return own;
}

/// The places of numbers in x[n,c,h].
struct GroupOf {
  std::int64_t channels, height, width;

  GroupOf(const Call& c) : channels(c.extent("c")), height(c.extent("h")), width(channels / 2) {}
  std::int64_t at(std::int64_t n, std::int64_t channel, std::int64_t h) const {
    return (n * channels + channel) * height + h;
  }
};

/// Calls `f` for each number of the group.
template <class F>
void for_group(const GroupOf& all, std::int64_t n, std::int64_t group, const std::string& fault,
               const F& f) {
  for (std::int64_t channel = 0; channel < all.channels; ++channel) {
    const std::int64_t own = fault == "groups_interleaved" ? channel % 2 : channel / all.width;
    if (own != group && fault != "groups_ignored") continue;
    for (std::int64_t h = 0; h < all.height; ++h) f(all.at(n, channel, h), channel);
  }
}

struct GroupMoments {
  float mean = 0, rstd = 0, count = 0;
};

GroupMoments moments_of_group(const Call& c, const GroupOf& all, std::int64_t n, std::int64_t group,
                              const std::string& fault) {
  GroupMoments m;
  for_group(all, n, group, fault, [&](std::int64_t i, std::int64_t) {
    m.mean += numbers(c, "x")[i];
    ++m.count;
  });
  m.mean /= m.count;
  float squares = 0;
  for_group(all, n, group, fault, [&](std::int64_t i, std::int64_t) {
    squares += (numbers(c, "x")[i] - m.mean) * (numbers(c, "x")[i] - m.mean);
  });
  m.rstd = 1 / std::sqrt(squares / m.count + 1e-5F);
  return m;
}

void group_norm_forward(const Call& c, const std::string& fault) {
  const GroupOf all(c);
  for (std::int64_t n = 0; n < c.extent("n"); ++n)
    for (std::int64_t group = 0; group < 2; ++group) {
      const GroupMoments m = moments_of_group(c, all, n, group, fault);
      for_group(all, n, group, fault, [&](std::int64_t i, std::int64_t channel) {
        const std::int64_t p = fault == "parameter_of_the_group" ? group : channel;
        numbers(c, "y")[i] = (numbers(c, "x")[i] - m.mean) * m.rstd * numbers(c, "weight")[p] +
                             numbers(c, "beta")[p];
      });
    }
}

void group_norm_backward(const Call& c, const std::string& fault) {
  const GroupOf all(c);
  for (const char* name : {"d_weight", "d_beta"})
    for (std::int64_t k = 0; k < all.channels; ++k) numbers(c, name)[k] = 0;
  for (std::int64_t n = 0; n < c.extent("n"); ++n)
    for (std::int64_t group = 0; group < 2; ++group) {
      const GroupMoments m = moments_of_group(c, all, n, group, fault);
      const auto xhat = [&](std::int64_t i) { return (numbers(c, "x")[i] - m.mean) * m.rstd; };
      float mean = 0, along = 0;
      for_group(all, n, group, fault, [&](std::int64_t i, std::int64_t channel) {
        const float g = numbers(c, "weight")[channel] * numbers(c, "dy")[i];
        mean += g / m.count;
        along += g * xhat(i) / m.count;
      });
      if (fault == "mean_not_taken_off") mean = 0;
      for_group(all, n, group, fault, [&](std::int64_t i, std::int64_t channel) {
        const float dy = numbers(c, "dy")[i];
        numbers(c, "d_x")[i] =
            m.rstd * (numbers(c, "weight")[channel] * dy - mean - xhat(i) * along);
        if (fault == "first_sample_alone" && n > 0) return;
        numbers(c, "d_weight")[channel] += dy * xhat(i);
        numbers(c, "d_beta")[channel] += dy;
      });
    }
}

OwnKernel group_norm(const std::string& fault) {
  OwnKernel own;
  own.word = "own_group_norm";
  own.pipeline = "y = group_norm(x[n,c,h], weight, beta, groups=2)";
  own.forward = [=](const Call& c) { group_norm_forward(c, fault); };
  own.backward = [=](const Call& c) { group_norm_backward(c, fault); };
  return own;
}

OwnKernel swiglu(const std::string& fault) {
  OwnKernel own;
  own.word = "own_swiglu";
  own.pipeline = "y = swiglu(gate[rows,cols], up)";
  const auto sigmoid = [](float x) { return 1 / (1 + std::exp(-x)); };
  own.forward = [=](const Call& c) {
    const std::int64_t all = c.extent("rows") * c.extent("cols");
    const std::int64_t written = fault == "tail_left_out" ? all / 4 * 4 : all;
    for (std::int64_t i = 0; i < written; ++i) {
      float gate = numbers(c, "gate")[i];
      if (fault == "not_a_number_lost") gate = std::fmax(gate, -80.0F);
      const float up = numbers(c, "up")[fault == "off_by_one_in_up" && i > 0 ? i - 1 : i];
      numbers(c, "y")[i] = gate * sigmoid(gate) * up;
    }
  };
  own.backward = [=](const Call& c) {
    const std::int64_t all = c.extent("rows") * c.extent("cols");
    for (std::int64_t i = 0; i < all; ++i) {
      const float gate = numbers(c, "gate")[i], up = numbers(c, "up")[i], dy = numbers(c, "dy")[i];
      const float s = sigmoid(gate);
      const float slope = fault == "slope_of_sigmoid" ? s * (1 - s) : s * (1 + gate * (1 - s));
      const bool exchanged = fault == "gradients_exchanged";
      numbers(c, exchanged ? "d_up" : "d_gate")[i] = dy * up * slope;
      numbers(c, exchanged ? "d_gate" : "d_up")[i] = dy * gate * s;
    }
  };
  return own;
}

OwnKernel linear(const std::string& fault) {
  OwnKernel own;
  own.word = "own_linear";
  own.pipeline = "y = linear(x[rows,in], weight[out,in], bias)";
  own.forward = [=](const Call& c) {
    const std::int64_t in = c.extent("in"), out = c.extent("out");
    for (std::int64_t row = 0; row < c.extent("rows"); ++row)
      for (std::int64_t o = 0; o < out; ++o) {
        float sum = numbers(c, "bias")[fault == "first_bias_for_all" ? 0 : o];
        for (std::int64_t k = fault == "first_term_left_out" ? 1 : 0; k < in; ++k)
          sum += numbers(c, "x")[row * in + k] * numbers(c, "weight")[o * in + k];
        numbers(c, "y")[row * out + o] = sum;
      }
  };
  own.backward = [=](const Call& c) {
    const std::int64_t rows = c.extent("rows"), in = c.extent("in"), out = c.extent("out");
    const auto dy = [&](std::int64_t row, std::int64_t o) {
      return numbers(c, "dy")[fault == "cotangent_turned" ? o * rows + row : row * out + o];
    };
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t k = 0; k < in; ++k) {
        float sum = 0;
        for (std::int64_t o = 0; o < out; ++o) sum += dy(row, o) * numbers(c, "weight")[o * in + k];
        numbers(c, "d_x")[row * in + k] = sum;
      }
    for (std::int64_t o = 0; o < out; ++o) {
      float of_bias = 0;
      for (std::int64_t row = 0; row < rows; ++row) of_bias += dy(row, o);
      numbers(c, "d_bias")[o] = of_bias;
      for (std::int64_t k = 0; k < in; ++k) {
        float sum = 0;
        for (std::int64_t row = fault == "first_row_left_out" ? 1 : 0; row < rows; ++row)
          sum += dy(row, o) * numbers(c, "x")[row * in + k];
        numbers(c, "d_weight")[o * in + k] = sum;
      }
    }
  };
  return own;
}

}  // namespace

PlantedKernel planted_softmax() {
  return {"own_softmax",
          {"largest_of_all", "last_term_left_out", "sum_not_divided_by", "next_rows_sum",
           "sum_forgotten"},
          softmax};
}

PlantedKernel planted_group_norm() {
  return {"own_group_norm",
          {"groups_ignored", "groups_interleaved", "parameter_of_the_group", "mean_not_taken_off",
           "first_sample_alone"},
          group_norm};
}

PlantedKernel planted_swiglu() {
  return {"own_swiglu",
          {"not_a_number_lost", "tail_left_out", "off_by_one_in_up", "slope_of_sigmoid",
           "gradients_exchanged"},
          swiglu};
}

PlantedKernel planted_linear() {
  return {"own_linear",
          {"first_bias_for_all", "first_term_left_out", "cotangent_turned", "first_row_left_out"},
          linear};
}

}  // namespace gradproof
