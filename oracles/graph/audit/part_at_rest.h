// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "oracles/graph/audit/graph_target.h"
#include "oracles/graph/audit/packed_moves.h"
#include "oracles/graph/blocks/block_numbers.h"

namespace gradproof {

/// A part of a graph at rest, evaluated in packs of double-doubles, and the widths of its tensors'
/// numbers.
class PartAtRest {
 public:
  /// The target must outlive it.
  explicit PartAtRest(const GraphTarget& target);

  /// Evaluates a part, unless it is the last one that was taken.
  void take(std::int64_t part);
  std::int64_t part() const { return part_; }

  PackedMoves& moves() { return *moves_; }
  /// The numbers of a tensor.
  const double* numbers(std::size_t tensor) const { return view_->tensors[tensor]; }
  std::size_t count(std::size_t tensor) const;
  /// The adjoint's gradient of a tensor that has one.
  const std::vector<Wide>& gradient(std::size_t tensor);
  /// The widths by which a tensor's numbers are moved (widths_of), if all of them moved by a
  /// millionth of that, and by a thousandth of it again, change L as the adjoint says; else those
  /// that FunctionTarget finds in 400 digits.
  const Widths& widths(std::size_t tensor);
  /// log2 of a number's width over that of most numbers, by position.
  const std::vector<int>& wider(std::size_t tensor);
  /// sum |dy y|, or the change of L by the numbers' own roundings if that is far more, as values
  /// then cancel inside. NaN if the range of double-doubles does not suffice.
  double magnitude();
  /// The largest sum of |dy (y' - y)| that a move of one number by its width makes, of some numbers
  /// of each tensor; where no move has a value, magnitude().
  double typical_change();

 private:
  struct OfTensor {
    std::vector<Wide> gradient;
    std::optional<Widths> widths;
    std::vector<int> wider;
  };
  bool follows_adjoint(std::size_t tensor, const Widths& widths);
  double typical_change_of(std::size_t tensor);
  /// Normal numbers for the tensor's numbers, the same in each part.
  const std::vector<double>& normals(std::size_t tensor);

  const GraphTarget& target_;
  std::unique_ptr<PackedMoves> moves_;
  std::int64_t part_ = -1;
  std::optional<PackedNumbers> own_;
  std::optional<BlockNumbers> view_;
  std::vector<OfTensor> tensors_;
  std::vector<std::vector<double>> normals_;  ///< by tensor
  std::optional<double> magnitude_;
  std::optional<double> typical_change_;
};

}  // namespace gradproof
