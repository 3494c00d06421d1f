// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "oracles/differences/arithmetic.h"
#include "oracles/graph/audit/moved_tensors.h"
#include "oracles/graph/blocks/packed_places.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

class PartsAtRest;

/// A graph under audit, cut into parts that are evaluated by themselves: one for each number along
/// the axis that blocks are cut from and each group of a group_norm's channels (strips.h), or the
/// whole of a graph without such an axis. L = sum dy y is the sum over the parts, and so is the
/// gradient of a tensor that several parts take.
class AuditedGraph {
 public:
  /// Claim and inputs must outlive it.
  AuditedGraph(const GraphClaim& claim, const Tensors& inputs);
  ~AuditedGraph();

  const GraphClaim& claim() const { return claim_; }
  const Tensors& inputs() const { return inputs_; }
  const GraphPlan& plan() const { return plan_; }
  const MovedTensors& moved() const { return moved_; }

  bool is_cut() const { return !cut_.empty(); }
  /// True if the tensor, by its place in the graph, has numbers of its own in each part.
  bool is_cut(std::size_t tensor) const;
  /// True if it has numbers of its own in each strip.
  bool is_in_strips(std::size_t tensor) const;
  std::int64_t parts() const { return std::ssize(parts_); }
  /// Part k is the (k mod strips)-th of its number along the axis.
  std::int64_t strips() const { return strips_; }
  const PackedBlock& block(std::int64_t part) const { return at(part).block; }
  /// True if all numbers of the part are finite; of others L has no value.
  bool is_finite(std::int64_t part) const;
  /// The parts as they are without a move, in an arithmetic that comes in packs.
  PartsAtRest& at_rest(AuditArithmetic arithmetic) const {
    return *at_rest_[static_cast<std::size_t>(arithmetic)];
  }
  /// The cost of one evaluation of a part in elements of its steps; a product counts its terms.
  double elements() const { return elements_; }
  double elements_of(std::size_t step) const;
  /// The index of a tensor among those that have a gradient.
  std::size_t input_of_function(std::size_t tensor) const;
  /// The whole tensor's or output's entry that stands at a position in a part.
  std::int64_t entry_of(std::size_t value, std::int64_t part, std::size_t position) const;

 private:
  struct Part {
    PackedBlock block;
    std::once_flag read;
    bool finite = false;
  };
  Part& at(std::int64_t part) const { return parts_[static_cast<std::size_t>(part)]; }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  std::string cut_;
  std::int64_t strips_;
  GraphClaim strip_;
  GraphPlan plan_;
  MovedTensors moved_;
  mutable std::deque<Part> parts_;
  double elements_ = 1;
  std::array<std::unique_ptr<PartsAtRest>, 2> at_rest_;  ///< by arithmetic
};

}  // namespace gradproof
