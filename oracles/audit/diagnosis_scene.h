// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "oracles/audit/diagnosis_number.h"
#include "oracles/audit/diagnosis_rules.h"
#include "oracles/oracle.h"
#include "oracles/script.h"

namespace gradproof::diagnosis {

/// The whole that was asked about; it outlives everything made from it.
struct Question {
  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  const std::string& gradient;
  const Tensor& got;
};

/// What the pipeline makes of a scene's numbers.
struct Made {
  std::vector<Matrix> values;                    ///< by node
  std::vector<std::vector<Logistic>> logistics;  ///< by step; of a Swish
  Matrix centered;
  Matrix xhat;
  std::vector<Matrix> cotangents;  ///< by node, of the right rules; empty in a changed scene
};

/// The numbers of some blocks (core/claim.h) of a claim, as matrices.
struct Scene {
  const Question* question = nullptr;
  std::vector<std::int64_t> columns;  ///< of the whole, rising; here numbered from 0
  std::int64_t rows = 0;
  std::int64_t width = 1;  ///< of a block
  std::int64_t whole_groups = 0;

  Script script;                     ///< what the adjoint goes through
  Script value_script;               ///< what the values go through
  bool given = false;                ///< mean and rstd are not the values' own
  std::size_t rounded_node = kNone;  ///< whose value goes through the storage type
  bool float_exp = false;            ///< exp is that of a float32
  Matrix x;
  Matrix dy;
  std::vector<Matrix> numbers;  ///< by Script::numbers, one for each column
  Matrix mean;                  ///< by unit
  Matrix rstd;

  std::shared_ptr<const Made> made;  ///< by fill_values; copies of the scene share it

  std::int64_t cols() const { return static_cast<std::int64_t>(columns.size()); }
  bool channels() const { return script.channels; }
  std::int64_t unit_of(std::int64_t row, std::int64_t col) const {
    return channels() ? row * (cols() / width) + col / width : col;
  }
  std::int64_t units() const { return channels() ? rows * (cols() / width) : cols(); }
  std::int64_t unit_size() const { return channels() ? width : rows; }
  double eps() const { return script.lines[script.norm].scalars[0]; }
};

/// Throws InstrumentError where a tensor is missing.
Scene scene_of(const Question& question, const std::vector<std::int64_t>& blocks);

/// The values and what the adjoint needs of them, after the scene's numbers have changed.
void fill_values(Scene& scene);

/// x or dy anew, as if the tensor lay in memory by another layout of as many elements.
Matrix reread(const Scene& scene, const Tensor& tensor, const Layout& layout);

/// Mean and 1/sqrt(variance + eps) of the units' own numbers `in`, the norm's input; in evaluation
/// the running ones.
void take_own_statistics(Scene& scene, const Matrix& in);

}  // namespace gradproof::diagnosis
