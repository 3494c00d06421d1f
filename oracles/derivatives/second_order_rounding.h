// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "oracles/derivatives/rounded.h"
#include "oracles/derivatives/second_order_products.h"
#include "oracles/differences/steps/tableau.h"

namespace gradproof {

/// A bound on how far the rounding of Real may move differences of M (second_order_unit.h) in one
/// unit; absolute, infinite or NaN where there is no bound:
///
///   F (e(M) + e(M moved)) / h,   F = 297/180, e the running error bound of the gradients.
///
/// "M moved" has all numbers of the tensor moved by the widest step, up and down in turn, because a
/// number such as 0 leaves no rounding in M. A gradient that keeps its value and its error there,
/// as that of a bias behind all stages, depends on none of these numbers and is left out.
template <template <class> class Arithmetic>
class SecondOrderRounding {
 public:
  /// c by position in `tensors`; both must outlive this object.
  SecondOrderRounding(const CompiledPipeline& compiled, const Claim& claim, const Tensors& inputs,
                      std::int64_t unit, const std::vector<Differentiated>& tensors,
                      const std::vector<Values<double>>& c)
      : tensors_(tensors), c_(c), read_(compiled, claim, inputs, unit) {}

  /// The bound for the difference of order 6 at h = 2^exponent.
  const Real& of_difference(const Moved& moved, int exponent) {
    const auto key = std::tuple(moved.cotangent, moved.tensor.name, exponent);
    const auto [found, fresh] = found_.try_emplace(key, Real(0));
    if (!fresh) return found->second;
    constexpr double kFactors = 297.0 / 180;  // of central(), tableau.h
    Values<Number>& numbers =
        moved.cotangent ? read_.unit().dy : read_.numbers_of(moved.tensor.movable);
    const std::vector<Values<Number>> at_rest = gradients();
    const Values<Number> before = numbers;
    const Real move = ldexp(Real(1), exponent + kOrders - 1);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i].value += i % 2 == 0 ? move : Real(-move);
    found->second = ldexp(error_of_both(at_rest, gradients()) * kFactors, -exponent);
    numbers = before;
    return found->second;
  }

 private:
  using Number = Rounded<Real, CorrectRounding>;

  std::vector<Values<Number>> gradients() {
    read_.runner().forward();
    read_.runner().backward();
    std::vector<Values<Number>> result;
    for (const Differentiated& tensor : tensors_) result.push_back(read_.gradient(tensor));
    return result;
  }

  Real error_of_both(const std::vector<Values<Number>>& at_rest,
                     const std::vector<Values<Number>>& moved) const {
    Real error(0);
    for (std::size_t k = 0; k < moved.size(); ++k) {
      for (std::size_t i = 0; i < moved[k].size(); ++i) {
        const Number& a = at_rest[k][i];
        const Number& b = moved[k][i];
        if (a.value == b.value && a.error == b.error) continue;
        error += (a.error + b.error) * std::abs(c_[k][i]);
      }
    }
    return error;
  }

  const std::vector<Differentiated>& tensors_;
  const std::vector<Values<double>>& c_;
  ReadUnit<Arithmetic, Number> read_;
  std::map<std::tuple<bool, std::string, int>, Real> found_;  ///< dy or not, tensor, exponent
};

}  // namespace gradproof
