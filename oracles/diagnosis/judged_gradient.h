// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "oracles/diagnosis/fit.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/compiled_pipeline.h"
#include "oracles/pipeline/geometry.h"

namespace gradproof::diagnosis {

/// One entry in so many may contradict an explanation: its intermediate value may leave the range
/// of the type.
inline constexpr std::int64_t kExceptions = 256;

using Indices = std::vector<std::int64_t>;

/// The index converted to a position in a vector.
inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Rows and columns of a claim that are replayed together, in rising order.
struct Part {
  Indices rows;
  Indices columns;
};

/// The first step that uses a parameter.
std::size_t user_of(const CompiledPipeline& pipeline, std::size_t slot);

/// The claim's pipeline, in which no stage gives a parameter's gradient in closed form: the
/// diagnosis sums it term by term.
CompiledPipeline replayed_pipeline(const Claim& claim);

/// A kernel's gradient beside its truth, with the claim and the inputs. Objects that refer to it
/// must end before it does. Throws InstrumentError for a parameter that the claim does not have.
struct JudgedGradient {
  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  const std::string& name;
  const Tensor& got;
  const Answer& truth;

  Geometry geometry{claim};
  CompiledPipeline pipeline = replayed_pipeline(claim);
  bool matrix = claim.is_matrix(claim.tensor(name));  ///< the gradient of x, in its shape
  std::size_t slot = matrix ? 0 : pipeline.number(name.substr(2));  ///< of the parameter
  bool shared = !matrix && pipeline.numbers[slot].shared;           ///< the parameter is one number
  Indices wrong = wrong_entries();  ///< over their bound or of the wrong class; in rising order

  ComparedEntry entry(std::int64_t index) const;

  std::int64_t row_of(std::int64_t index) const { return index / claim.cols(); }
  std::int64_t col_of(std::int64_t index) const { return index % claim.cols(); }
  bool is_grouped() const { return geometry.is_grouped(); }
  /// True if mean and rstd are given, not computed from the values.
  bool has_given() const { return pipeline.has_norm() && given && given->mean.numel() > 0; }
  const CompiledStep& norm() const { return pipeline.lines[pipeline.norm]; }
  bool has_weight() const { return norm().numbers[0] != CompiledStep::kAbsent; }
  double eps() const { return norm().scalars[0]; }

  /// The parts that together are the whole claim, those with the most wrong entries first. A part
  /// of the gradient of x is some units; of a parameter's, some columns over all rows, at least
  /// whole groups; of a large group, some columns, if its statistics are given and these columns
  /// alone decide their entries. For a gradient of one number the part is everything.
  std::vector<Part> parts() const;

 private:
  Indices wrong_entries() const;
};

}  // namespace gradproof::diagnosis
