// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_rounding.h"

#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "oracles/derivatives/rounded.h"
#include "oracles/differences/evaluate/exact_move.h"
#include "oracles/differences/steps/tableau.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
namespace {

template <class T, const WideErrors* kErrors = nullptr>
class Bounded final : public UnitRounding {
  using R = Rounded<T, kErrors>;

 public:
  Bounded(const CompiledPipeline& compiled, const Unit<double>& unit)
      : runner_({compiled, arithmetic_, unit_}) {
    const auto taken = [](const Values<double>& numbers) {
      Values<R> result;
      for (const double number : numbers) result.push_back(R(number));
      return result;
    };
    unit_.x = taken(unit.x);
    unit_.dy = taken(unit.dy);
    for (const Values<double>& numbers : unit.numbers) unit_.numbers.push_back(taken(numbers));
    unit_.batches = unit.batches;
    for (const double x : unit.x) log2_widths_.push_back(log2_width(x));
    arithmetic_.take_count(static_cast<std::int64_t>(unit.x.size()));
  }

  Real of_difference(const Movable& tensor, int order_index, int log2_h) override {
    const int log2_move = log2_h + order_index;
    const auto [found, fresh] =
        losses_.try_emplace({tensor.input, tensor.number, log2_move}, Real(0));
    if (fresh) found->second = of_loss(tensor, log2_move);
    return over(found->second, order_index, log2_h);
  }

  Real of_element(std::int64_t place, int order_index, int log2_h) override {
    const auto at = static_cast<std::size_t>(place);
    const T at_rest = of_product(at);
    const R before = unit_.x[at];
    unit_.x[at].value += ldexp(T(1), log2_h + order_index + log2_widths_[at]);
    const T moved = of_product(at);
    unit_.x[at] = before;
    return over(Real(ldexp(T(at_rest + moved), -log2_widths_[at])), order_index, log2_h);
  }

  Real of_claim(const Movable& tensor, std::int64_t place, bool shared) override {
    const auto [found, fresh] = adjoints_.try_emplace({tensor.input, tensor.number});
    if (fresh) found->second = of_adjoint(tensor);
    const Values<Real>& terms = found->second;
    if (!shared) return terms[static_cast<std::size_t>(place)];
    return std::accumulate(terms.begin(), terms.end(), Real(0));
  }

 private:
  /// F loss / h, F the sum of the sizes of the factors that central() (tableau.h) gives L(x +- kh).
  static Real over(const Real& loss, int order_index, int log2_h) {
    constexpr std::array<double, kOrders> kFactors{1, 9.0 / 6, 297.0 / 180};
    return ldexp(loss * kFactors[static_cast<std::size_t>(order_index)], -log2_h);
  }

  T of_dot() { return arithmetic_.dot(runner_.forward(), unit_.dy, kGradients).error; }
  T of_product(std::size_t at) { return (runner_.forward()[at] * unit_.dy[at]).error; }

  Real of_loss(const Movable& tensor, int log2_move) {
    const T at_rest = of_dot();
    Values<R>& numbers = tensor.input ? unit_.x : unit_.numbers[tensor.number];
    const Values<R> before = numbers;
    const T move = ldexp(T(1), log2_move);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i].value += i % 2 == 0 ? move : T(-move);
    const T moved = of_dot();
    numbers = before;
    return Real(at_rest + moved);
  }

  /// The bounds of the terms, with the conversion to Real and, for a shared number, their sum in
  /// Real.
  Values<Real> of_adjoint(const Movable& tensor) {
    runner_.forward();
    const Values<R>& dx = runner_.backward();
    const Values<R>* terms = tensor.input ? &dx : runner_.gradient(tensor.number);
    Values<Real> result;
    if (terms != nullptr)
      for (const R& term : *terms) {
        const Real conversion =
            Real(abs(term.value)) * (kRealUnit * static_cast<double>(terms->size()));
        result.push_back(Real(term.error) + conversion);
      }
    return result;
  }

  AnyOrder<R> arithmetic_;
  Unit<R> unit_;
  PipelineRunner<AnyOrder<R>> runner_;
  std::vector<int> log2_widths_;
  std::map<std::tuple<bool, std::size_t, int>, Real> losses_;  ///< by tensor and log2 of the move
  std::map<std::pair<bool, std::size_t>, Values<Real>> adjoints_;
};

}  // namespace

std::unique_ptr<UnitRounding> unit_rounding(const CompiledPipeline& compiled,
                                            const Unit<double>& unit, AuditArithmetic arithmetic,
                                            bool many) {
  if (arithmetic != AuditArithmetic::digits50)
    return std::make_unique<Bounded<Real, &kTripledErrors>>(compiled, unit);
  if (many) return std::make_unique<Bounded<Digits400>>(compiled, unit);
  return std::make_unique<Bounded<Real>>(compiled, unit);
}

}  // namespace gradproof
