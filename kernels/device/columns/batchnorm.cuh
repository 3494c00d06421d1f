// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/columns/column_arguments.cuh"
#include "kernels/device/columns/column_sums.cuh"
#include "kernels/device/stages.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// BatchNorm with given statistics as a stage. On the way back they are constants, as in eval.
/// Its terms are g xhat (weight) and g (beta), where g is the cotangent of its value.
template <class A>
struct FixedNorm {
  static constexpr int kTerms = 2;
  static constexpr int kVectors = 0;  // weight and beta are no operands of an elementwise stage
  static constexpr int kNumbers = 0;
  Quad<A> mean, rstd, weight, beta;

  template <class Arguments, class Own = Position<>>
  __device__ FixedNorm(const Arguments& a, const Columns& columns, Own = {})
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
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments& a, int term, const Visit& visit,
                                           Own = {}) {
    visit(term, a.d_weight);
    visit(term + 1, a.d_beta);
  }
};

/// A BatchNorm whose statistics are the batch's own, once the sums of both terms are known.
template <class A>
struct CenteredNorm : FixedNorm<A> {
  Quad<A> factor, mean_g, mean_g_xhat;

  /// `sum(term, k)` returns the sum of that term over the column k.
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

  /// This is Ioffe and Szegedy, "Batch normalization" (2015), section 3, in terms of xhat.
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& g) const {
    const Quad<A> xhat = this->standardized(x);
    Quad<A> d_x;
    for (int k = 0; k < kQuad; ++k)
      d_x.at[k] = factor.at[k] * ((g.at[k] - mean_g.at[k]) - xhat.at[k] * mean_g_xhat.at[k]);
    return d_x;
  }
};

/// The stages in front of a norm and the norm as one stage, in the backward pass of a batch whose
/// statistics are its own. FirstPass replaces these stages in the pass that sums g xhat and g.
template <class A, class Before>
struct BeforeNorm {
  using FirstPass = Muted<Before>;
  static constexpr int kTerms = Before::kTerms;
  static constexpr int kVectors = Before::kVectors;
  static constexpr int kNumbers = Before::kNumbers;
  Before before;
  CenteredNorm<A> norm;

  /// `sum(term, k)` returns the first pass's sum of that term over the column k.
  template <class SumOf>
  __device__ BeforeNorm(const Before& before_, const FixedNorm<A>& norm_, std::int64_t rows,
                        const SumOf& sum)
      : before(before_), norm(norm_, rows, sum) {}

  __device__ Quad<A> value(const Quad<A>& x) const { return norm.value(before.value(x)); }
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& g, Quad<A>* sums) const {
    return before.pull(x, norm.pull(before.value(x), g), sums);
  }
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments& a, int term, const Visit& visit,
                                           Own own = {}) {
    Before::for_each_gradient(a, term, visit, own);
  }
};

/// A scale in front of the norm's first pass. Its term is x, for the mean of x.
template <class A>
struct ScaleOfSums : Product<A> {
  using Product<A>::Product;
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& dy, Quad<A>* sums) const {
    for (int k = 0; k < kQuad; ++k) sums[0].at[k] += x.at[k];
    return this->value(dy);
  }
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments&, int, const Visit&, Own = {}) {}
};

/// A scale s in front of the norm. The norm removes s again except for eps: sum x d_z is nearly all
/// cancellation, and in closed form
///   d_s = weight rstd^3 eps sum (g - S1/N) (x - mean of x).
/// Both factors are centered, so that a rounded mean costs nothing: the other factor's sum is 0.
template <class A>
struct BeforeNorm<A, Stages<Product<A>>> {
  using FirstPass = Stages<ScaleOfSums<A>>;
  static constexpr int kTerms = 1;
  static constexpr int kVectors = 1;
  static constexpr int kNumbers = 0;
  Stages<Product<A>> before;
  CenteredNorm<A> norm;
  Quad<A> mean_x;

  template <class SumOf>
  __device__ BeforeNorm(const Stages<Product<A>>& before_, const FixedNorm<A>& norm_,
                        std::int64_t rows, const SumOf& sum)
      : before(before_), norm(norm_, rows, [&](int term, int k) { return sum(term + 1, k); }) {
    for (int k = 0; k < kQuad; ++k) mean_x.at[k] = sum(0, k) / number<A>(rows);
  }

  __device__ Quad<A> value(const Quad<A>& x) const { return norm.value(before.value(x)); }
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& g, Quad<A>* sums) const {
    for (int k = 0; k < kQuad; ++k)
      sums[0].at[k] += (g.at[k] - norm.mean_g.at[k]) * (x.at[k] - mean_x.at[k]);
    return before.value(norm.pull(before.value(x), g));
  }
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments& a, int term, const Visit& visit,
                                           Own own = {}) {
    Product<A>::for_each_gradient(a, term, visit, own);
  }
  /// eps rstd^2 is at most 1, and weight rstd times the sum has the size of a gradient: neither
  /// leaves the range of A before d_s does.
  template <class Arguments>
  __device__ static void finish(const Arguments& a, std::int64_t col, A* sums) {
    const A rstd = a.rstd[col];
    A factor = rstd;
    if (a.weight.data != nullptr) factor = convert<A>(a.weight.data[col * a.weight.stride]) * rstd;
    sums[0] = factor * sums[0] * (rstd * a.eps * rstd);
  }
};

/// A BeforeNorm with the sums that an earlier pass left in the workspace from term kFirst on.
template <class A, class Before, int kFirst, int kTerms>
struct Streamed : BeforeNorm<A, Before> {
  template <class Arguments, class Own = Position<>>
  __device__ Streamed(const Arguments& a, const Columns& columns, Own own = {})
      : BeforeNorm<A, Before>(Before(a, columns, own), FixedNorm<A>(a, columns), a.rows,
                              [&](int term, int k) {
                                const Sheet<A> sheet = sheet_of<A>(a, kTerms);
                                const bool inside = k < columns.inside;
                                return sheet.whole(kFirst + term, inside ? columns.col + k : 0);
                              }) {}
};

/// The stages that each pass runs for a BatchNorm with stages before and after it.
template <class A, class Before, class After>
struct BatchNorm {
  using Prologue = Before;
  using Epilogue = After;
  using EpilogueOwn = Position<>::Behind<Before>;  ///< where Epilogue finds its operands
  using Whole = Stages<Before, FixedNorm<A>, After>;  ///< with constant statistics
  static constexpr int kTerms = Whole::kTerms;
  using Back = BeforeNorm<A, Before>;
  using SumsPass = Stages<typename Back::FirstPass, FixedNorm<A>, After>;
  static constexpr int kFirst = kTerms - SumsPass::kTerms;  ///< of its terms
  using InputPass = Stages<Streamed<A, Before, kFirst, kTerms>, Muted<After>>;
};

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
