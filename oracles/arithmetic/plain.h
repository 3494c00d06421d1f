// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <string>

#include "oracles/arithmetic/forms.h"
#include "oracles/stage.h"
#include "oracles/stages/logistic.h"

namespace gradproof {

/// The mathematics without any error bookkeeping, in whatever number type: 50 digits for the truth,
/// dual numbers for derivatives, double for a quick look.
template <class T>
class Plain {
 public:
  using Scalar = T;
  using Sigmoid = Logistic<T>;

  const Forms& forms() const { return forms_; }

  T sum(const Values<T>& values, const std::string&) const { return added(values); }
  T sum_in_unit(const Values<T>& values) const { return added(values); }

  T dot(const Values<T>& a, const Values<T>& b, const std::string&) const {
    T total(0);
    for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
    return total;
  }

  /// Biased variance, mean first.
  Statistics<T> statistics(const Values<T>& x, double eps) const {
    const auto count = static_cast<double>(x.size());
    const T mean = added(x) / count;
    T squares(0);
    for (const T& v : x) {
      const T d = v - mean;
      squares += d * d;
    }
    const T variance = squares / count;
    return {mean, variance, rstd(variance, eps)};
  }

  T rstd(const T& variance, double eps) const {
    using std::sqrt;
    return T(1) / sqrt(variance + T(eps));
  }

  Sigmoid logistic(const T& z) const { return gradproof::logistic(z); }
  T swish(const T& z, const Sigmoid& l) const { return gradproof::swish(z, l); }
  T swish_adjoint(const T& dy, const T& z, const Sigmoid& l) const {
    return dy * gradproof::swish_derivative(z, l);
  }

  T shared(const T& value, Symbol) const { return value; }
  T folded(const T& value) const { return value; }

 private:
  static T added(const Values<T>& values) {
    T total(0);
    for (const T& v : values) total += v;
    return total;
  }

  Forms forms_;
};

}  // namespace gradproof
