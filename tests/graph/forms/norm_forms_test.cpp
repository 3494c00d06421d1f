// SPDX-License-Identifier: Apache-2.0
// Each form of a norm, simulated in float32, under the contract that declares it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

using R = float;
using Forms = std::map<FormPart, int>;

constexpr std::size_t kNormRows = 16;
constexpr std::size_t kNormCols = 64;

const Forms& first_forms() {
  static const Forms all{{FormPart::variance, 0},
                         {FormPart::xhat, 0},
                         {FormPart::affine, 0},
                         {FormPart::adjoint, 0},
                         {FormPart::weight_gradient, 0}};
  return all;
}

struct Moments {
  R mean = 0;
  R variance = 0;
};

Moments moments(const R* x, int form) {
  constexpr R n = kNormCols;
  Moments m;
  R squares = 0;
  if (form == 1) {
    for (std::size_t k = 0; k < kNormCols; ++k) {
      const R delta = x[k] - m.mean;
      m.mean += delta / static_cast<R>(k + 1);
      squares += delta * (x[k] - m.mean);
    }
    return {m.mean, squares / n};
  }
  for (std::size_t k = 0; k < kNormCols; ++k) m.mean += x[k];
  m.mean /= n;
  for (std::size_t k = 0; k < kNormCols; ++k) {
    const R apart = form == 0 ? x[k] - m.mean : x[k];
    squares += apart * apart;
  }
  m.variance = form == 0 ? squares / n : std::max(R(0), squares / n - m.mean * m.mean);
  return m;
}

/// LayerNorm forward and backward, row by row.
class LayerNorm {
 public:
  LayerNorm(const Simulated<R>& s, Forms forms)
      : forms_(std::move(forms)),
        x_(s.numbers("x")),
        weight_(s.numbers("weight")),
        beta_(s.numbers("beta")),
        dy_(s.numbers("dy")) {
    computed_ = {{"y", Numbers<R>(x_.size())},
                 {"d_x", Numbers<R>(x_.size())},
                 {"d_weight", Numbers<R>(kNormCols)}};
    for (std::size_t row = 0; row < kNormRows; ++row) {
      const Moments m = moments(&x_[row * kNormCols], forms_.at(FormPart::variance));
      mean_ = m.mean;
      rstd_ = R(1) / std::sqrt(m.variance + R(1e-5F));
      for (std::size_t k = 0; k < kNormCols; ++k) value(row * kNormCols + k, k);
      adjoint(row * kNormCols);
    }
  }
  const std::map<std::string, Numbers<R>>& computed() const { return computed_; }

 private:
  int form(FormPart part) const { return forms_.at(part); }
  R xhat(std::size_t i) const {
    return form(FormPart::xhat) == 0 ? (x_[i] - mean_) * rstd_ : x_[i] * rstd_ - mean_ * rstd_;
  }

  void value(std::size_t i, std::size_t k) {
    const R alpha = weight_[k] * rstd_;
    computed_["y"][i] = form(FormPart::affine) == 0 ? xhat(i) * weight_[k] + beta_[k]
                                                    : x_[i] * alpha + (beta_[k] - mean_ * alpha);
    R term = dy_[i] * xhat(i);
    if (form(FormPart::weight_gradient) == 1) term = (dy_[i] * (x_[i] - mean_)) * rstd_;
    if (form(FormPart::weight_gradient) == 2) term = (dy_[i] * x_[i] - dy_[i] * mean_) * rstd_;
    computed_["d_weight"][k] += term;
  }

  void adjoint(std::size_t first) {
    constexpr R n = kNormCols;
    R s1 = 0, s2 = 0, apart = 0, s2x = 0;
    for (std::size_t k = 0; k < kNormCols; ++k) {
      const std::size_t i = first + k;
      const R g = dy_[i] * weight_[k];
      s1 += g;
      s2 += g * xhat(i);
      apart += g * (x_[i] - mean_);
      s2x += g * x_[i];
    }
    const R slope = apart * rstd_ * rstd_ / n;
    const R c2 = (s1 * mean_ - s2x) * rstd_ * rstd_ * rstd_ / n;
    const R c3 = -(c2 * mean_) - s1 * rstd_ / n;
    for (std::size_t k = 0; k < kNormCols; ++k) {
      const std::size_t i = first + k;
      const R g = dy_[i] * weight_[k];
      const R forms[] = {rstd_ * ((g - s1 / n) - xhat(i) * (s2 / n)),
                         ((g - s1 / n) - (x_[i] - mean_) * slope) * rstd_,
                         rstd_ * g + c2 * x_[i] + c3};
      computed_["d_x"][i] = forms[form(FormPart::adjoint)];
    }
  }

  Forms forms_;
  Numbers<R> x_, weight_, beta_, dy_;
  std::map<std::string, Numbers<R>> computed_;
  R mean_ = 0;
  R rstd_ = 0;
};

Simulated<R> layer_norm(const std::string& keys) {
  return Simulated<R>("{y = layer_norm(x, weight, beta)} rows=16 cols=64 " + keys);
}

std::int64_t total(const std::map<std::string, std::int64_t>& bad) {
  std::int64_t sum = 0;
  for (const auto& [name, count] : bad) sum += count;
  return sum;
}

TEST(NormForms, EachIsWithinTheBoundOfItsContract) {
  for (const char* fill : {"normal", "offset:1000", "outlier:1000", "scaled:0.00001"})
    for (const char* dy : {"designed", "normal"}) {
      const Simulated<R> s = layer_norm(std::string("fill=") + fill + " dy=" + dy + " seed=3");
      for (const auto& [part, none] : first_forms())
        for (std::size_t form = 0; form < form_row(part).forms.size(); ++form) {
          Forms forms = first_forms();
          forms[part] = static_cast<int>(form);
          const std::string contract = contract_of(forms);
          EXPECT_EQ(total(s.bad(contract, LayerNorm(s, forms).computed())), 0)
              << contract << " " << fill << " " << dy;
        }
    }
}

/// Control: where |mean| is 1000 standard deviations, the forms that do not take it off first err
/// by more than those that do may.
TEST(NormForms, AFormThatErrsMoreIsConvicted) {
  const Simulated<R> s = layer_norm("fill=offset:1000 dy=normal seed=3");
  const struct {
    FormPart part;
    int form;
    std::string tensor;
  } controls[] = {{FormPart::variance, 2, "y"}, {FormPart::adjoint, 2, "d_x"}};
  for (const auto& [part, form, tensor] : controls) {
    Forms forms = first_forms();
    forms[part] = form;
    const auto computed = LayerNorm(s, forms).computed();
    EXPECT_GT(s.bad(contract_of(first_forms()), computed).at(tensor), 0) << form_row(part).word;
    EXPECT_EQ(total(s.bad("", computed)), 0) << form_row(part).word << ": the union holds all";
  }
}

/// In a row of one number x - mean is 0. A product and a difference that are contracted to one
/// rounding leave of the same the rounding of mean rstd, which longer rows hide beside the mean's.
TEST(NormForms, AFormThatErrsMoreIsConvictedInARowOfOneNumber) {
  const Simulated<R> s(
      "{y = layer_norm(x, weight, beta)} rows=16 cols=1 fill=offset:1000 dy=normal");
  const Numbers<R> x = s.numbers("x"), dy = s.numbers("dy");
  const R weight = s.numbers("weight")[0], beta = s.numbers("beta")[0];
  const R rstd = R(1) / std::sqrt(R(1e-5F));
  const R alpha = weight * rstd;
  Numbers<R> shifted, folded, d_weight(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    shifted.push_back(std::fma(x[i], rstd, -(x[i] * rstd)) * weight + beta);
    folded.push_back(std::fma(x[i], alpha, beta - x[i] * alpha));
    d_weight[0] += std::fma(dy[i], x[i], -(dy[i] * x[i])) * rstd;
  }
  const auto bad = [&](const std::string& contract, const std::string& name,
                       const Numbers<R>& numbers) {
    return s.bad("variance=two_pass " + contract, {{name, numbers}}).at(name);
  };
  EXPECT_GT(bad("affine=plain xhat=subtracted", "y", shifted), 0);
  EXPECT_EQ(bad("affine=plain xhat=shifted", "y", shifted), 0);
  EXPECT_GT(bad("affine=plain xhat=subtracted", "y", folded), 0);
  EXPECT_EQ(bad("affine=folded", "y", folded), 0);
  EXPECT_GT(bad("weight_gradient=standardized xhat=subtracted", "d_weight", d_weight), 0);
  EXPECT_EQ(bad("weight_gradient=uncentered", "d_weight", d_weight), 0);
}

/// new mean = (1 - m) old + m mean, in two columns of four numbers.
TEST(NormForms, TheUpdateOfARunningMean) {
  const std::string line = "{y = running_mean(x, mean, momentum=1)} rows=4 cols=2";
  Simulated<R> s(line);
  s.set("x", {0.3F});
  s.set("mean", {12345.678F, -999999.9F});
  Numbers<R> weighted, lerp;
  for (const R old : {12345.678F, -999999.9F}) {
    const R fresh = (((0.3F + 0.3F) + 0.3F) + 0.3F) / 4;
    weighted.push_back(0 * old + 1 * fresh);
    lerp.push_back(old + 1 * (fresh - old));
  }
  EXPECT_EQ(s.bad("update=weighted", {{"y", weighted}}).at("y"), 0);
  EXPECT_EQ(s.bad("update=lerp", {{"y", lerp}}).at("y"), 0);
  EXPECT_GT(s.bad("update=weighted", {{"y", lerp}}).at("y"), 0);
}

/// The words of a norm's sums mean what they say: those of the statistics in a row are too far off
/// for a tree, and say nothing of the adjoint's.
TEST(NormForms, AStepsSumsAreThoseOfTheWord) {
  Simulated<R> s("{y = rms_norm(x[rows,cols])} rows=1 cols=65536");
  s.set("x", {0.1F});
  R squares = 0;
  for (int k = 0; k < 65536; ++k) squares += 0.1F * 0.1F;
  const R rstd = 1 / std::sqrt(squares / 65536 + 1e-6F);
  const std::map<std::string, Numbers<R>> computed{{"y", Numbers<R>(65536, 0.1F * rstd)}};
  EXPECT_EQ(s.bad("", computed).at("y"), 0);
  EXPECT_EQ(s.bad("gradients=pairwise", computed).at("y"), 0);
  EXPECT_EQ(s.bad("y.gradients=pairwise", computed).at("y"), 0);
  EXPECT_GT(s.bad("y.statistics=pairwise", computed).at("y"), 0);
  EXPECT_GT(s.bad("sums=lanes:128", computed).at("y"), 0);
}

}  // namespace
}  // namespace gradproof
