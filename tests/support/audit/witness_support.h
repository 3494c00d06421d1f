// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/plain.h"
#include "oracles/derivatives/derivative_witnesses.h"
#include "oracles/derivatives/dual_witness.h"
#include "oracles/derivatives/second_order.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {

/// Of one gradient.
inline std::vector<AuditWitness> witnesses_of(const Claim& claim, const Tensors& inputs,
                                              const std::string& gradient) {
  return derivative_witnesses(claim, inputs).at(gradient);
}

/// The norm's mean terms too small by one of N: an estimate that divides by N+1.
template <class T>
struct MeanTermsOff : Plain<T> {
  T shared(const T& value, SharedError) const {
    return value * T(this->count() / (this->count() + 1));
  }
};

/// Swish's derivative too large by a factor.
template <class T>
struct SwishOff : Plain<T> {
  T swish_adjoint(const T& dy, const T& z, const typename Plain<T>::Sigmoid& l) const {
    return Plain<T>::swish_adjoint(dy, z, l) * T(1 + 0x1p-40);
  }
};

/// The norm's term with xhat is missing.
template <class T>
struct NoSecondSum : Plain<T> {
  T shared(const T& value, SharedError symbol) const {
    return symbol == SharedError::second_sum ? value * T(0) : value;
  }
};

inline std::size_t position_of(const Claim& claim, const std::string& name) {
  const std::vector<Differentiated> tensors = differentiated(claim, CompiledPipeline(claim));
  std::size_t at = 0;
  while (at + 1 < tensors.size() && tensors[at].name != name) ++at;
  return at;
}

inline Differentiated tensor_of(const Claim& claim, const std::string& name) {
  return differentiated(claim, CompiledPipeline(claim))[position_of(claim, name)];
}

template <template <class> class Arithmetic>
AuditWitness dual_of(const Claim& claim, const Tensors& inputs, const std::string& name) {
  return dual_witness(claim, dual_meetings<Arithmetic>(claim, inputs)[position_of(claim, name)]);
}

template <template <class> class Arithmetic>
AuditWitness second_order_of(const Claim& claim, const Tensors& inputs, const std::string& name,
                             bool cotangent = false) {
  return second_order_witnesses<Arithmetic>(claim, inputs,
                                            {{tensor_of(claim, name), cotangent}})[0];
}

/// Twice differentiable, whatever the system.
inline Claim twice(const ClaimOptions& options) {
  Claim claim = make_claim(options);
  claim.pipeline.differentiable = 2;
  return claim;
}

}  // namespace gradproof::oracle_tests
