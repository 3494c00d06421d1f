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

/// The dtype of each tensor, output, cotangent ("dy") and gradient ("d_x") of a graph. If no type
/// is said, a gradient has that of its tensor, a cotangent that of its output, and the others have
/// the storage type; labels are i64.
class GraphTypes {
 public:
  /// Throws UsageError for an unknown name, for labels that are not i64 or others that are, and for
  /// float64 beside another type: the type of accumulation would be that of some numbers alone.
  GraphTypes(const Graph& graph, DType storage, const DTypes& said = {});

  DType storage() const { return storage_; }
  DType of(std::string_view name) const;
  /// Those tensors and outputs, and their gradients and cotangents, that have another type than
  /// they would have if nothing were said.
  const DTypes& said() const { return said_; }
  /// The text of the key `dtypes`: "weight:f32,d_weight:bf16"; empty where nothing is said.
  std::string text() const;

 private:
  DType storage_;
  DTypes all_;
  DTypes said_;
};

/// The types of a Case about the graph, from its keys `dtype` and `dtypes`. Throws UsageError.
GraphTypes types_of(const Graph& graph, const Case& c);

}  // namespace gradproof
