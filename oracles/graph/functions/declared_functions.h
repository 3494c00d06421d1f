// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/contract/declared_contract.h"
#include "core/tensor/dtype.h"
#include "oracles/graph/functions/function_errors.h"

namespace gradproof {

/// LibTorch's on the CPU.
FunctionErrors libtorch_functions(DType storage, DType accumulation);

/// Those that a contract says; `of_libtorch` are LibTorch's where it computes as that one says.
FunctionErrors functions_of(const DeclaredContract& declared, const FunctionErrors& of_libtorch);

}  // namespace gradproof
