// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "oracles/arithmetic/plain.h"
#include "oracles/bounds/bounding.h"
#include "oracles/pipeline/evaluate_unit.h"

namespace gradproof {

/// Where an element of a judged tensor is computed: in one unit, or as a sum over several units.
struct Site {
  enum class Part { y, input_gradient, side_value, parameter_gradient };

  Part part = Part::y;
  std::string name;        ///< of the side value, or of the parameter
  bool shared = false;     ///< a parameter of one number that columns share
  bool summed = false;     ///< the element is a sum over units
  std::int64_t place = 0;  ///< index in the unit, of the element or its parameter; 0 if shared
  std::vector<std::int64_t> units;  ///< some of the units that take part, evenly spread
  std::int64_t all_units = 1;       ///< how many take part
};

/// The site of an element, with at most `most` units.
Site site_of(const Claim& claim, const TensorSpec& spec, std::int64_t index, std::int64_t most);

/// "column 5, 64 rows", "row 3, columns 128 to 191"
std::string unit_text(const Claim& claim, std::int64_t unit);

/// The claim with only the pass that the site needs, forward or backward.
Claim claim_for(const Claim& claim, const Site& site);

/// The numbers that one unit contributes to the site.
template <class T>
Values<T> numbers_at(const Evaluation<T>& evaluation, const Site& site) {
  const auto place = static_cast<std::size_t>(site.place);
  switch (site.part) {
    case Site::Part::y:
      return {evaluation.y[place]};
    case Site::Part::input_gradient:
      return {evaluation.gradients.input[place]};
    case Site::Part::side_value:
      return {evaluation.side_values.find(site.name)->second};
    case Site::Part::parameter_gradient:
      break;
  }
  const Values<T>& all = evaluation.gradients.parameters.find(site.name)->second;
  if (site.shared || all.size() == 1) return all;
  return {all[place]};
}

template <class A>
Evaluation<typename A::Scalar> evaluate_at(const Claim& claim, const A& arithmetic,
                                           const Tensors& inputs,
                                           const std::optional<GivenStatistics>& given,
                                           std::int64_t unit) {
  return evaluate_unit(claim, arithmetic, gather<typename A::Scalar>(claim, inputs, unit), given,
                       unit);
}

/// The exact value at a site, summed over its units.
template <class T>
T value_at(const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
           const Site& site) {
  std::optional<T> total;
  for (const std::int64_t unit : site.units)
    for (const T& v : numbers_at(evaluate_at(claim, Plain<T>(), inputs, given, unit), site))
      total = total ? T(*total + v) : v;
  return *total;
}

/// The permitted error at a site by the contract of `claim`; units are summed as a kernel sums
/// them.
template <class F>
ErrorScalar<F> error_at(const Claim& claim, const Tensors& inputs,
                        const std::optional<GivenStatistics>& given, const Site& site) {
  const Bounding<F> bounding(claim);
  const Geometry geometry(claim);
  std::map<std::int64_t, ErrorSum<F>> columns;
  for (const std::int64_t unit : site.units) {
    const auto numbers = numbers_at(evaluate_at(claim, bounding, inputs, given, unit), site);
    if (!site.summed) return numbers.front();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      columns[geometry.first_column(unit) + static_cast<std::int64_t>(i)].add(
          Bounding<F>::folded(numbers[i]));
  }
  ErrorSum<F> total;
  for (const auto& [column, sum] : columns)
    total.add(geometry.is_grouped() ? bounding.sum_over_rows(sum, site.shared) : sum.sum(0));
  return site.shared ? bounding.sum_over_columns(total) : total.sum(0);
}

}  // namespace gradproof
