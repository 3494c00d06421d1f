// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/definition.h"

/// The contract, workspace and limits of the kernels of each family (kernels/device/columns,
/// kernels/device/groups), for their definitions.
namespace gradproof {

Contract column_contract(const Graph& pipeline, const Case& c);
std::size_t column_workspace(const Graph& pipeline, const Call& call);
std::vector<Factor> column_limits(const Graph& pipeline, DType dtype);

Contract group_contract(const Graph& pipeline, const Case& c);
std::size_t group_workspace(const Graph& pipeline, const Call& call);
std::vector<Factor> group_limits(const Graph& pipeline, DType dtype);

}  // namespace gradproof
