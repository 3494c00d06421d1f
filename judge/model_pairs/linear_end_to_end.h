// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "judge/model_pairs/linear_run.h"

namespace gradproof {

/// The epilogue's results as judged from the network's input on.
struct EndToEnd {
  std::vector<Record> records;  ///< tensors are called "y end to end"
  /// The reason why the composed bound proves nothing, by the model's name. That is no gap: z from
  /// the input and the tensor from z are judged all the same.
  std::map<std::string, std::string, std::less<>> silent;
};

/// The epilogue's results from the network's input: the truth starts at the exact product, and the
/// bound is composed of what the product may be off by, carried through the epilogue, and of the
/// epilogue's own. At large sizes blocks drawn by the Case's seed are judged alone, without the
/// sums over all columns; the witness says so.
EndToEnd end_to_end(const Case& c, const LinearRun& run, const Record& blank);

}  // namespace gradproof
