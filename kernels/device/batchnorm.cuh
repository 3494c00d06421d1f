// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/column_sums.cuh"
#include "kernels/device/stages.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// BatchNorm with given statistics as a stage. On the way back they are constants, as in eval.
/// Terms: g xhat (weight) and g (beta), where g is the cotangent of its value.
template <class A>
struct FixedNorm {
  static constexpr int kTerms = 2;
  Quad<A> mean, rstd, weight, beta;

  template <class Arguments>
  __device__ FixedNorm(const Arguments& a, const Columns& columns)
      : FixedNorm(a, columns, load_vector(Vector<const A>{a.mean, 1}, columns, A(0)),
                  load_vector(Vector<const A>{a.rstd, 1}, columns, A(0))) {}
  template <class Arguments>
  __device__ FixedNorm(const Arguments& a, const Columns& columns, const Quad<A>& mean_,
                       const Quad<A>& rstd_)
      : mean(mean_),
        rstd(rstd_),
        weight(load_vector(a.weight, columns, A(1))),
        beta(load_vector(a.beta, columns, A(0))) {}

  __device__ Quad<A> standardized(const Quad<A>& x) const {
    Quad<A> xhat;
    for (int k = 0; k < kQuad; ++k) xhat.at[k] = (x.at[k] - mean.at[k]) * rstd.at[k];
    return xhat;
  }
  __device__ Quad<A> value(const Quad<A>& x) const {
    Quad<A> y = standardized(x);
    for (int k = 0; k < kQuad; ++k) y.at[k] = weight.at[k] * y.at[k] + beta.at[k];
    return y;
  }
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& g, Quad<A>* sums) const {
    const Quad<A> xhat = standardized(x);
    Quad<A> d_x;
    for (int k = 0; k < kQuad; ++k) {
      sums[0].at[k] += g.at[k] * xhat.at[k];
      sums[1].at[k] += g.at[k];
      d_x.at[k] = weight.at[k] * rstd.at[k] * g.at[k];
    }
    return d_x;
  }
  template <class Arguments, class Visit>
  __device__ static void for_each_gradient(const Arguments& a, int term, const Visit& visit) {
    visit(term, a.d_weight);
    visit(term + 1, a.d_beta);
  }
};

/// BatchNorm whose statistics are the batch's own, once the sums of both terms are known.
template <class A>
struct CenteredNorm : FixedNorm<A> {
  static constexpr int kTerms = 0;
  Quad<A> factor, mean_g, mean_g_xhat;

  /// `sums(term, k)`: of the column k.
  template <class SumOf>
  __device__ CenteredNorm(const FixedNorm<A>& norm, std::int64_t rows, const SumOf& sum)
      : FixedNorm<A>(norm) {
    const A n = number<A>(rows);
    for (int k = 0; k < kQuad; ++k) {
      factor.at[k] = this->weight.at[k] * this->rstd.at[k];
      mean_g_xhat.at[k] = sum(0, k) / n;
      mean_g.at[k] = sum(1, k) / n;
    }
  }

  /// Ioffe and Szegedy, "Batch normalization" (2015), section 3, in terms of xhat.
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& g, Quad<A>*) const {
    const Quad<A> xhat = this->standardized(x);
    Quad<A> d_x;
    for (int k = 0; k < kQuad; ++k)
      d_x.at[k] = factor.at[k] * ((g.at[k] - mean_g.at[k]) - xhat.at[k] * mean_g_xhat.at[k]);
    return d_x;
  }
  template <class Arguments, class Visit>
  __device__ static void for_each_gradient(const Arguments&, int, const Visit&) {}
};

/// The same, with the sums that an earlier pass left in the workspace from term kFirst on.
template <class A, int kFirst, int kTerms>
struct StreamedNorm : CenteredNorm<A> {
  template <class Arguments>
  __device__ StreamedNorm(const Arguments& a, const Columns& columns)
      : CenteredNorm<A>(FixedNorm<A>(a, columns), a.rows, [&](int term, int k) {
          const Sheet<A> sheet = sheet_of<A>(a, kTerms);
          return sheet.whole(kFirst + term, k < columns.inside ? columns.col + k : 0);
        }) {}
};

/// What a BatchNorm with stages before and after it is to each pass.
template <class A, class Before, class After>
struct BatchNorm {
  using Prologue = Before;
  using Epilogue = After;
  using Whole = Stages<Before, FixedNorm<A>, After>;  ///< with constant statistics
  static constexpr int kTerms = Whole::kTerms;
  static constexpr int kFirst = Before::kTerms;  ///< of the norm's terms
  using SumsPass = Stages<Muted<Before>, FixedNorm<A>, After>;
  using InputPass = Stages<Before, StreamedNorm<A, kFirst, kTerms>, Muted<After>>;
};

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
