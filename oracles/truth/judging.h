// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "core/compare/comparison.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/reader.h"

namespace gradproof {

/// The elements first, first + stride, ... of a tensor, row-major.
struct ElementRange {
  std::size_t tensor = 0;  ///< position in the claim's tensors
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::int64_t unit = -1;  ///< the unit's position in the batch; -1: the tensor is no matrix
  bool escalated = false;  ///< the truths needed 50 digits
};

/// Receives truths and bounds while they are computed.
class TruthSink {
 public:
  /// Receives the truths that one thread computes.
  class SinkWriter {
   public:
    virtual ~SinkWriter() = default;
    /// The elements of matrices that are put from now on belong to this batch.
    virtual void open(const Batch&) {}
    virtual void put(const ElementRange& range, const Truths& truths) = 0;
    /// Nothing is put after this call.
    virtual void close() {}
  };

  virtual ~TruthSink() = default;
  virtual std::unique_ptr<SinkWriter> writer() = 0;
};

/// Whether the claim says what the tensor must hold: its elements are compared with a truth.
bool is_judged(const Claim& claim, const TensorSpec& spec);

/// Where the tensor's bound comes from, as text.
std::string why_of(const Claim& claim, const TensorSpec& spec, bool given);

/// Puts truth and bound of every element of every judged tensor into the sink, each once, computed
/// on all cores. Memory holds some batches and the gradients that are sums over units, no more.
void judge_claim(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const InexactInputs& inexact,
                 TruthSink& sink);

}  // namespace gradproof
