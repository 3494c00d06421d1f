// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "core/case/case.h"
#include "core/graph/graph.h"
#include "core/tensor/dtype.h"

namespace gradproof {

using DTypes = std::map<std::string, DType, std::less<>>;

/// The dtype of each tensor, output, cotangent ("dy") and gradient ("d_x") of a graph. What nothing
/// is said of has the storage type, but a gradient that of its tensor, a cotangent that of its
/// output; labels are i64.
class GraphTypes {
 public:
  /// Throws UsageError for a name that the graph does not have, and where float64 is to stand
  /// beside another type: what accumulates would be the type of some numbers alone.
  GraphTypes(const Graph& graph, DType storage, const DTypes& said = {});

  DType storage() const { return storage_; }
  DType of(std::string_view name) const;
  /// Those tensors and outputs, and their gradients and cotangents, that have another type than
  /// they would have if nothing were said.
  const DTypes& said() const { return said_; }
  /// "weight:f32,d_weight:bf16", as the key `dtypes` of a Case; empty where nothing is said.
  std::string text() const;

 private:
  DType storage_;
  DTypes all_;
  DTypes said_;
};

/// The types of a Case about the graph, from its keys `dtype` and `dtypes`. Throws UsageError.
GraphTypes types_of(const Graph& graph, const Case& c);

}  // namespace gradproof
