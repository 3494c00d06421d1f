// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/oracle.h"
#include "oracles/pipeline/evaluate_unit.h"
#include "tests/support/oracle_simulated.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {

/// A whole kernel in float32: units by the simulated text, gradients added over units as the
/// contract says, every result rounded once to its tensor's type.
class SimulatedKernel {
 public:
  SimulatedKernel(const Claim& claim, const Simulated::Freedoms& freedoms)
      : claim_(claim),
        geometry_(claim),
        arithmetic_(Simulated(claim.contract, freedoms).with_rows(geometry_.unit_size())) {}

  /// Everything that the claim judges, but for the count of batches.
  Tensors run(const Tensors& inputs, const std::optional<GivenStatistics>& given) const {
    Tensors got;
    for (const TensorSpec& spec : claim_.tensors)
      if (spec.role == Role::output || spec.role == Role::gradient || spec.role == Role::buffer)
        got.emplace(spec.name, Tensor(spec.dtype, spec.layout));
    Terms terms;
    for (std::int64_t unit = 0; unit < geometry_.units(); ++unit) {
      const auto result =
          evaluate_unit(claim_, arithmetic_, gather<float>(claim_, inputs, unit), given, unit);
      write(got.at("y"), result.y, unit);
      if (const auto dx = got.find("d_x"); dx != got.end())
        write(dx->second, result.gradients.input, unit);
      for (const auto& [name, value] : result.side_values)
        if (const auto side = got.find(name); side != got.end()) side->second.set(unit, value);
      for (const auto& [name, values] : result.gradients.parameters) {
        auto& columns = terms[name];
        columns.resize(static_cast<std::size_t>(claim_.cols()));
        const auto first = static_cast<std::size_t>(geometry_.first_column(unit));
        for (std::size_t i = 0; i < values.size(); ++i) columns[first + i].push_back(values[i]);
      }
    }
    for (const auto& [name, columns] : terms)
      if (const auto gradient = got.find("d_" + name); gradient != got.end())
        add_up(gradient->second, columns);
    if (const auto batches = got.find("num_batches_tracked"); batches != got.end())
      batches->second.set(
          0, get(inputs, "num_batches_tracked").at(0) + (claim_.update_running() ? 1 : 0));
    return got;
  }

 private:
  /// The terms by parameter and column: one number from each unit.
  using Terms = std::map<std::string, std::vector<Values<float>>>;

  void write(Tensor& tensor, const Values<float>& values, std::int64_t unit) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      tensor.set(geometry_.first(unit) + static_cast<std::int64_t>(i) * geometry_.stride(),
                 values[i]);
  }

  void add_up(Tensor& gradient, const std::vector<Values<float>>& columns) const {
    Values<float> sums;
    for (const Values<float>& column : columns)
      sums.push_back(arithmetic_.sum(column, kParameters));
    if (gradient.numel() == 1 && claim_.cols() > 1) sums = {arithmetic_.sum(sums, kShared)};
    for (std::size_t i = 0; i < sums.size(); ++i)
      gradient.set(static_cast<std::int64_t>(i), sums[i]);
  }

  const Claim& claim_;
  Geometry geometry_;
  Simulated arithmetic_;
};

}  // namespace gradproof::oracle_tests
