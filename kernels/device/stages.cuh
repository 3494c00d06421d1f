// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/swish.cuh"

/// The pointwise stages of a pipeline. Each is a few registers for the four columns of a quad, with
///   kVectors, kNumbers  the number of its parameters and of its numbers
///   Stage(a, columns, own)  from the arguments; its own operands are at the Position `own`
///   value(x)           the stage's result for x
///   pull(x, dy, sums)  the cotangent of x; adds to sums[0 .. kTerms) the terms of its parameters'
///                      gradients
///   for_each_gradient(a, term, visit, own)  calls visit(term, gradient) for each gradient and the
///                      sum it is; the stage's own sums begin with `term`
///   finish(a, col, sums)  optional: makes the column's gradients of its sums over all rows
/// Backward reads no stored value of a stage, but computes it again from x. All arithmetic is in A.
namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// The place of a stage's operands in StageOperands: behind those of the stages in front of it.
template <int kVectorsInFront = 0, int kNumbersInFront = 0>
struct Position {
  static constexpr int kVector = kVectorsInFront;
  static constexpr int kNumber = kNumbersInFront;
  template <class Stage>
  using Behind = Position<kVector + Stage::kVectors, kNumber + Stage::kNumbers>;
};

/// The stage x + bias.
template <class A>
struct Bias {
  static constexpr int kTerms = 1;
  static constexpr int kVectors = 1;
  static constexpr int kNumbers = 0;
  Quad<A> bias;

  template <class Arguments, class Own = Position<>>
  __device__ Bias(const Arguments& a, const Columns& columns, Own = {})
      : bias(load_vector(a.stages.vectors[Own::kVector], columns, A(0))) {}

  __device__ Quad<A> value(const Quad<A>& x) const {
    Quad<A> y;
    for (int k = 0; k < kQuad; ++k) y.at[k] = x.at[k] + bias.at[k];
    return y;
  }
  __device__ Quad<A> pull(const Quad<A>&, const Quad<A>& dy, Quad<A>* sums) const {
    for (int k = 0; k < kQuad; ++k) sums[0].at[k] += dy.at[k];
    return dy;
  }
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments& a, int term, const Visit& visit,
                                           Own = {}) {
    visit(term, a.d_stages.vectors[Own::kVector]);
  }
};

/// A bias right behind a norm: its gradient is that of beta, the norm's last term, and needs no sum
/// of its own.
template <class A>
struct BiasOfNorm : Bias<A> {
  static constexpr int kTerms = 0;
  using Bias<A>::Bias;
  __device__ Quad<A> pull(const Quad<A>&, const Quad<A>& dy, Quad<A>*) const { return dy; }
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments& a, int term, const Visit& visit,
                                           Own = {}) {
    visit(term - 1, a.d_stages.vectors[Own::kVector]);
  }
};

/// The stage x * p for a parameter p.
template <class A>
struct Product {
  static constexpr int kTerms = 1;
  static constexpr int kVectors = 1;
  static constexpr int kNumbers = 0;
  Quad<A> by;

  template <class Arguments, class Own = Position<>>
  __device__ Product(const Arguments& a, const Columns& columns, Own = {})
      : by(load_vector(a.stages.vectors[Own::kVector], columns, A(0))) {}

  __device__ Quad<A> value(const Quad<A>& x) const {
    Quad<A> y;
    for (int k = 0; k < kQuad; ++k) y.at[k] = x.at[k] * by.at[k];
    return y;
  }
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& dy, Quad<A>* sums) const {
    for (int k = 0; k < kQuad; ++k) sums[0].at[k] += dy.at[k] * x.at[k];
    return value(dy);
  }
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments& a, int term, const Visit& visit,
                                           Own = {}) {
    visit(term, a.d_stages.vectors[Own::kVector]);
  }
};

/// The members of a stage without parameters.
struct NoParameters {
  static constexpr int kTerms = 0;
  static constexpr int kVectors = 0;
  static constexpr int kNumbers = 0;

  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments&, int, const Visit&, Own = {}) {}
};

/// The stage x / divide.
template <class A>
struct Divide : NoParameters {
  static constexpr int kNumbers = 1;
  Divisor<A> divide;

  template <class Arguments, class Own = Position<>>
  __device__ Divide(const Arguments& a, const Columns&, Own = {})
      : divide(divisor_of(a.stages.numbers[Own::kNumber])) {}

  __device__ Quad<A> value(const Quad<A>& x) const { return divided(x, divide); }
  __device__ Quad<A> pull(const Quad<A>&, const Quad<A>& dy, Quad<A>*) const {
    return divided(dy, divide);
  }
};

/// The stage x sigmoid(x).
template <class A>
struct Swish : NoParameters {
  template <class Arguments, class Own = Position<>>
  __device__ Swish(const Arguments&, const Columns&, Own = {}) {}

  __device__ Quad<A> value(const Quad<A>& x) const {
    Quad<A> y;
    for (int k = 0; k < kQuad; ++k) y.at[k] = swish(x.at[k]);
    return y;
  }
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& dy, Quad<A>*) const {
    Quad<A> d_x;
    for (int k = 0; k < kQuad; ++k) d_x.at[k] = dy.at[k] * swish_slope(x.at[k]);
    return d_x;
  }
};

/// A chain of stages, the first one applied first; the chain is itself a stage. The terms of the
/// first stage come first in `sums`.
template <class... Stage>
struct Stages : NoParameters {  // none
  template <class Arguments, class Own = Position<>>
  __device__ Stages(const Arguments&, const Columns&, Own = {}) {}

  template <class A>
  __device__ Quad<A> value(const Quad<A>& x) const {
    return x;
  }
  template <class A>
  __device__ Quad<A> pull(const Quad<A>&, const Quad<A>& dy, Quad<A>*) const {
    return dy;
  }
  template <class Arguments, class A>
  __device__ static void finish(const Arguments&, std::int64_t, A*) {}
};

template <class First, class... Rest>
struct Stages<First, Rest...> {
  static constexpr int kTerms = First::kTerms + Stages<Rest...>::kTerms;
  static constexpr int kVectors = First::kVectors + Stages<Rest...>::kVectors;
  static constexpr int kNumbers = First::kNumbers + Stages<Rest...>::kNumbers;
  First first;
  Stages<Rest...> rest;

  template <class Arguments, class Own = Position<>>
  __device__ Stages(const Arguments& a, const Columns& columns, Own own = {})
      : first(a, columns, own), rest(a, columns, typename Own::template Behind<First>{}) {}

  template <class A>
  __device__ Quad<A> value(const Quad<A>& x) const {
    return rest.value(first.value(x));
  }
  template <class A>
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& dy, Quad<A>* sums) const {
    const Quad<A> d_y = rest.pull(first.value(x), dy, sums + First::kTerms);
    return first.pull(x, d_y, sums);
  }
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments& a, int term, const Visit& visit,
                                           Own own = {}) {
    First::for_each_gradient(a, term, visit, own);
    Stages<Rest...>::for_each_gradient(a, term + First::kTerms, visit,
                                       typename Own::template Behind<First>{});
  }
  template <class Arguments, class A>
  __device__ static void finish(const Arguments& a, std::int64_t col, A* sums) {
    if constexpr (requires { First::finish(a, col, sums); }) First::finish(a, col, sums);
    Stages<Rest...>::finish(a, col, sums + First::kTerms);
  }
};

/// A stage whose parameters' gradients are summed elsewhere.
template <class Stage>
struct Muted : Stage {
  static constexpr int kTerms = 0;
  using Stage::Stage;

  template <class A>
  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& dy, Quad<A>*) const {
    Quad<A> unused[Stage::kTerms + 1];
    for (Quad<A>& sum : unused) sum = zero_quad<A>();
    return Stage::pull(x, dy, unused);
  }
  template <class Arguments, class Visit, class Own = Position<>>
  __device__ static void for_each_gradient(const Arguments&, int, const Visit&, Own = {}) {}
};

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
