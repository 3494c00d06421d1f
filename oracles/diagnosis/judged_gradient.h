// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "oracles/diagnosis/tracked_real.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/geometry.h"

namespace gradproof::diagnosis {

using Indices = std::vector<std::int64_t>;

/// One entry of the gradient beside its truth.
struct ComparedEntry {
  std::int64_t index = 0;  ///< row-major in the whole tensor
  double got = 0;
  LongDouble truth = 0;
  double bound = 0;
  double ratio = 0;  ///< |got - truth|/bound where it is wrong; infinite for a wrong class
  bool wrong = false;
};

/// The first step that uses a parameter, and the parameter's place in that step.
struct Use {
  std::size_t step = 0;
  std::size_t place = 0;
};
Use use_of(const CompiledPipeline& pipeline, std::size_t slot);

/// Rows and columns of a claim that are replayed together, in rising order.
struct Part {
  Indices rows;
  Indices columns;
};

/// A kernel's gradient beside its truth, with the claim and the inputs. All that refers to it must
/// end before it.
struct JudgedGradient {
  /// Throws InstrumentError for a parameter that the claim does not have.
  JudgedGradient(const Claim& of, const Tensors& from, const std::optional<GivenStatistics>& taken,
                 const std::string& gradient, const Tensor& kernels, const Answer& answer);

  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  const Tensor& got;
  const Answer& truth;
  Geometry geometry;
  CompiledPipeline pipeline;
  bool matrix = false;   ///< the gradient of x, in its shape
  bool shared = false;   ///< of a parameter of one number
  std::size_t slot = 0;  ///< of the parameter, in CompiledPipeline::numbers
  Indices wrong;         ///< over their bound or of the wrong class; in rising order

  ComparedEntry entry(std::int64_t index) const;

  std::int64_t row_of(std::int64_t index) const { return index / claim.cols; }
  std::int64_t col_of(std::int64_t index) const { return index % claim.cols; }
  bool is_grouped() const { return geometry.is_grouped(); }
  /// Whether each step takes the value of the step before it, and one of them normalises at most:
  /// what can be replayed.
  bool is_chain() const;
  /// Whether mean and rstd are given, not computed from the values.
  bool has_given() const { return pipeline.has_norm() && given && given->mean.numel() > 0; }
  const CompiledStep& norm() const { return pipeline.lines[pipeline.norm]; }
  bool has_weight() const { return norm().numbers[0] != CompiledStep::kAbsent; }
  double eps() const { return norm().scalars[0]; }

  /// Parts that together are the whole claim, each small where the units are small, those with the
  /// most wrong entries first: some columns over all rows, whole groups at least. Of a large group
  /// some rows or some columns, where its statistics are given and these decide their entries
  /// alone. For a gradient of one number the part is everything.
  std::vector<Part> parts() const;
};

}  // namespace gradproof::diagnosis
