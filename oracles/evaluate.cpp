// SPDX-License-Identifier: Apache-2.0
#include "oracles/answering.h"
#include "oracles/arithmetic/bounding.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/evaluate_unit.h"
#include "oracles/oracle.h"
#include "oracles/parallel.h"

namespace gradproof {
namespace {

template <class F>
Permitted permitted(const ErrorScalar<F>& scalar) {
  return {scalar.total(), scalar.vacuous, scalar.overflow};
}

bool is_judged(const Claim& claim, const TensorSpec& spec) {
  if (spec.role == Role::gradient) return claim.backward;
  return claim.forward && (spec.role == Role::output || spec.role == Role::buffer);
}

bool is_per_element(const Claim& claim, const TensorSpec& spec) {
  return spec.layout.shape == Shape{claim.rows, claim.cols};
}

/// The parameter that a gradient tensor belongs to: d_weight -> weight; d_x -> x.
std::string parameter_of(const TensorSpec& gradient) { return gradient.name.substr(2); }

/// Collects the answers of a claim, column by column, for the contract's number type F.
template <class F>
class Collector {
 public:
  Collector(const Claim& claim, const Tensors& inputs, bool given) : claim_(claim) {
    for (const TensorSpec& spec : claim.tensors) {
      if (!is_judged(claim, spec)) continue;
      std::string why = claim.contract.why();
      if (spec.role == Role::gradient) why += given ? ", given the statistics" : ", end to end";
      answers_.emplace(spec.name, Answering(claim, spec, why));
      if (spec.dtype == DType::i64) put_batches(get(inputs, spec.name), spec);
      if (is_shared_gradient(spec)) shared_.emplace(spec.name, Shares(claim.cols));
    }
  }

  void put(std::int64_t column, const Evaluation<Real>& truth,
           const Evaluation<ErrorScalar<F>>& bound) {
    for (auto& [name, answering] : answers_) {
      const TensorSpec& spec = claim_.tensor(name);
      if (spec.role == Role::gradient) {
        put_gradient(column, spec, truth.gradients, bound.gradients);
      } else if (is_per_element(claim_, spec)) {
        put_column(answering, column, truth.y, bound.y);
      } else if (const auto found = truth.side_values.find(name);
                 found != truth.side_values.end()) {
        answering.put(column, found->second, permitted(bound.side_values.at(name)));
      }
    }
  }

  Answers take(const Plain<Real>& plain, const Bounding<F>& bounding) {
    Answers all;
    for (auto& [name, answering] : answers_) {
      if (const auto found = shared_.find(name); found != shared_.end())
        answering.put(0, plain.sum_of_units(found->second.truth),
                      permitted(bounding.sum_of_units(found->second.bound)));
      all.emplace(name, answering.take());
    }
    return all;
  }

 private:
  /// What every column adds to the gradient of a parameter that they share.
  struct Shares {
    explicit Shares(std::int64_t cols)
        : truth(static_cast<std::size_t>(cols)), bound(static_cast<std::size_t>(cols)) {}
    Values<Real> truth;
    Values<ErrorScalar<F>> bound;
  };

  bool is_shared_gradient(const TensorSpec& spec) const {
    return spec.role == Role::gradient && claim_.cols > 1 && numel(spec.layout.shape) == 1 &&
           !is_per_element(claim_, spec);
  }

  void put_batches(const Tensor& before, const TensorSpec& spec) {
    const bool counted = claim_.pipeline.update_running && claim_.pipeline.batch_statistics;
    answers_.at(spec.name).put_exact(0, before.at(0) + (counted ? 1 : 0));
  }

  void put_column(Answering& answering, std::int64_t column, const Values<Real>& truth,
                  const Values<ErrorScalar<F>>& bound) const {
    for (std::size_t row = 0; row < truth.size(); ++row)
      answering.put(static_cast<std::int64_t>(row) * claim_.cols + column, truth[row],
                    permitted(bound[row]));
  }

  void put_gradient(std::int64_t column, const TensorSpec& spec, const Adjoint<Real>& truth,
                    const Adjoint<ErrorScalar<F>>& bound) {
    const std::string parameter = parameter_of(spec);
    Answering& answering = answers_.at(spec.name);
    if (claim_.tensor(parameter).role == Role::input)
      return put_column(answering, column, truth.input, bound.input);
    const Real& value = truth.parameters.at(parameter);
    const ErrorScalar<F>& error = bound.parameters.at(parameter);
    if (const auto found = shared_.find(spec.name); found != shared_.end()) {
      found->second.truth[static_cast<std::size_t>(column)] = value;
      found->second.bound[static_cast<std::size_t>(column)] = error;
    } else {
      answering.put(column, value, permitted(error));
    }
  }

  const Claim& claim_;
  std::map<std::string, Answering, std::less<>> answers_;
  std::map<std::string, Shares, std::less<>> shared_;
};

template <class F>
Answers evaluate_in(const Claim& claim, const Tensors& inputs,
                    const std::optional<GivenStatistics>& given) {
  const Plain<Real> plain;
  const Bounding<F> bounding(claim);
  Collector<F> collector(claim, inputs, given.has_value());
  for_each_index(claim.cols, [&](std::int64_t column) {
    const auto truth_unit = gather<Real>(claim, inputs, column);
    const auto bound_unit = gather<ErrorScalar<F>>(claim, inputs, column);
    collector.put(column, evaluate_unit(claim, plain, truth_unit, given, column),
                  evaluate_unit(claim, bounding, bound_unit, given, column));
  });
  return collector.take(plain, bounding);
}

template <class F>
Answer column_sums_in(const Claim& claim, const Tensors& inputs) {
  const Plain<Real> plain;
  const Bounding<F> bounding(claim);
  TensorSpec spec{"column sums of d_x", Role::gradient, claim.tensor("d_x").dtype,
                  Layout::contiguous({claim.cols})};
  Answering answering(claim, spec, claim.contract.why() + ", summed exactly over the rows");
  for_each_index(claim.cols, [&](std::int64_t column) {
    const auto truth_unit = gather<Real>(claim, inputs, column);
    const auto bound_unit = gather<ErrorScalar<F>>(claim, inputs, column);
    const auto truth = evaluate_unit(claim, plain, truth_unit, std::nullopt, column);
    const auto bound = evaluate_unit(claim, bounding, bound_unit, std::nullopt, column);
    answering.put(column, plain.sum_in_unit(truth.gradients.input),
                  permitted(bounding.exact_sum(bound.gradients.input)));
  });
  return answering.take();
}

}  // namespace

Answers evaluate(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given) {
  return claim.contract.accumulation == DType::f64 ? evaluate_in<Binary64>(claim, inputs, given)
                                                   : evaluate_in<Binary32>(claim, inputs, given);
}

Answer column_sums_of_dx(const Claim& claim, const Tensors& inputs) {
  return claim.contract.accumulation == DType::f64 ? column_sums_in<Binary64>(claim, inputs)
                                                   : column_sums_in<Binary32>(claim, inputs);
}

}  // namespace gradproof
