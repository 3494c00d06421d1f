// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "oracles/graph/audit/graph_target.h"
#include "oracles/graph/audit/packed/packed_moves.h"
#include "oracles/graph/blocks/block_numbers.h"

namespace gradproof {

/// A part of a graph at rest, evaluated in packs of double-doubles or triple-doubles, and the
/// widths of its tensors' numbers. All that it knows holds for every target of the graph.
class PartAtRest {
 public:
  /// The graph must outlive it.
  PartAtRest(const AuditedGraph& graph, AuditArithmetic arithmetic);

  /// Evaluates a part, unless it is the last one that was taken. Until the next call the target
  /// answers what 400 digits are asked.
  void take(const GraphTarget& target, std::int64_t part);
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
  /// then cancel inside. NaN if the range of their doubles does not suffice.
  double magnitude();
  /// The largest sum of |dy (y' - y)| that a move of one number by its width makes, of some numbers
  /// of each tensor; where no move has a value, magnitude(). Another tensor's numbers are moved no
  /// farther than this one's: an offset of 1e46 says nothing of them.
  double typical_change(std::size_t tensor);

 private:
  struct OfTensor {
    std::vector<Wide> gradient;
    std::optional<Widths> widths;
    std::vector<int> wider;
  };
  bool follows_adjoint(std::size_t tensor, const Widths& widths);
  /// typical_change() by this tensor's moves, of 2^log2_less of their widths.
  double typical_change_of(std::size_t tensor, int log2_less);
  /// Normal numbers for the tensor's numbers, the same in each part.
  const std::vector<double>& normals(std::size_t tensor);

  const AuditedGraph& graph_;
  AuditArithmetic arithmetic_;
  const GraphTarget* target_ = nullptr;
  std::unique_ptr<PackedMoves> moves_;
  std::int64_t part_ = -1;
  std::optional<PackedNumbers> own_;
  std::optional<BlockNumbers> view_;
  std::vector<OfTensor> tensors_;
  std::vector<std::vector<double>> normals_;  ///< by tensor
  std::optional<double> magnitude_;
  std::map<std::pair<std::size_t, int>, double> typical_changes_;  ///< by tensor and log2_less
};

/// All parts of a graph at rest in one arithmetic, for tensor after tensor to ask about, if they
/// fit into some memory. Of a larger graph each user evaluates parts for itself.
class PartsAtRest {
 public:
  PartsAtRest(const AuditedGraph& graph, AuditArithmetic arithmetic);

  /// The part, for one user at a time; `own` is what the user had before.
  std::unique_ptr<PartAtRest> take(const GraphTarget& target, std::int64_t part,
                                   std::unique_ptr<PartAtRest> own);
  void give_back(std::unique_ptr<PartAtRest> part);

 private:
  const AuditedGraph& graph_;
  AuditArithmetic arithmetic_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PartAtRest>> kept_;  ///< by part; empty if they do not fit
};

/// A part of a target's graph in use.
class PartInUse {
 public:
  PartInUse(const GraphTarget& target, AuditArithmetic arithmetic)
      : target_(target), kept_(target.graph().at_rest(arithmetic)) {}
  ~PartInUse();
  PartInUse(const PartInUse&) = delete;
  PartInUse& operator=(const PartInUse&) = delete;

  void take(std::int64_t part);
  PartAtRest* operator->() const { return part_.get(); }
  PartAtRest& operator*() const { return *part_; }

 private:
  const GraphTarget& target_;
  PartsAtRest& kept_;
  std::unique_ptr<PartAtRest> part_;
};

}  // namespace gradproof
