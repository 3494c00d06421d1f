// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "core/graph/graph.h"
#include "core/graph/stages.h"
#include "core/tensor/dtype.h"

namespace gradproof {

/// The texts that the words of a row's expression (GraphStage::libtorch) stand for.
using PythonWords = std::map<std::string, std::string, std::less<>>;

/// The expression with each `{word}` replaced by what it stands for.
std::string filled(std::string_view expression, const PythonWords& words);

/// The row's expression of a step over rows, with what the text says of rows of nothing but -Inf;
/// `over` are the dimensions of a row, `keeps`: the result has them too.
std::string of_rows(const GraphStep& s, const GraphStage& row, PythonWords words,
                    std::string_view over, bool keeps);

/// The expression of x, which has the type `storage`, rounded to the type that the step says.
std::string python_rounding(const GraphStep& s, const std::string& x, DType storage);

}  // namespace gradproof
