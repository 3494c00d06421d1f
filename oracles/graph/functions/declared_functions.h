// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/contract/declared_contract.h"
#include "core/tensor/dtype.h"
#include "oracles/graph/functions/function_errors.h"

namespace gradproof {

/// LibTorch's on the CPU.
FunctionErrors libtorch_functions(DType storage, DType accumulation);

/// The errors that a contract declares; `of_libtorch` are LibTorch's in the declared arithmetic.
FunctionErrors functions_of(const DeclaredContract& declared, const FunctionErrors& of_libtorch);

}  // namespace gradproof
