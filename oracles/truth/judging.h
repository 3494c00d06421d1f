// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "core/compare/comparison.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/reader.h"

namespace gradproof {

/// Some elements of a tensor: indices first, first + stride, ...
struct Place {
  std::size_t tensor = 0;  ///< position in the claim's tensors
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::int64_t unit = -1;  ///< of a matrix: the unit's position in the batch
  bool escalated = false;  ///< needed 50 digits
};

/// Where truths go as they are found.
class TruthSink {
 public:
  /// What one thread writes.
  class SinkWriter {
   public:
    virtual ~SinkWriter() = default;
    /// The matrices' elements that follow are of this batch.
    virtual void open(const Batch&) {}
    virtual void put(const Place& place, const Truths& truths) = 0;
    /// No more is put.
    virtual void close() {}
  };

  virtual ~TruthSink() = default;
  virtual std::unique_ptr<SinkWriter> page() = 0;
};

/// Whether the claim wants an answer about the tensor.
bool is_judged(const Claim& claim, const TensorSpec& spec);

/// Where the tensor's bound comes from, in words.
std::string why_of(const Claim& claim, const TensorSpec& spec, bool given);

/// Truth and bound of every element of every judged tensor, once each, on all cores; no more is
/// held than some batches, and the gradients that are sums over blocks.
void judge_claim(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const InexactInputs& inexact,
                 TruthSink& ledger);

}  // namespace gradproof
