// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/baseline/comparison.h"
#include "reports/text/text_table.h"

namespace gradproof {

/// "1 failed, 3 regressed, 0 missing, 1 new, 2 improved, 885 unchanged (12 with other bits)".
std::string counts_text(const BaselineComparison& comparison);

/// The figure that decided, of one that regressed: "max of error/bound 0.25 -> 0.5, near the
/// bound", "rung 'fused' -> 'operator at a time'", "chain of 24 -> 80 additions".
std::string moved_text(const ChangedTensor& tensor);

/// Sentences about the whole comparison that its counts do not tell: Cases that are alike but for a
/// key, tensors of another context, tensors over their ceiling.
std::vector<std::string> remarks_on(const BaselineComparison& comparison);

/// The changed tensors by kernel and tensor, after a head: how many of each Change, the largest
/// error/bound now and of which dtype. The most severe are in front.
std::vector<TextRow> rollup_rows(const BaselineComparison& comparison);

/// A tensor's row, after a head: change, kernel, dtype, tensor, the figure that decided, before and
/// now (with as many digits as tell them apart), how many times it grew or shrank, up to which
/// factor that is another draw of the same errors, how near to the bound it is, and its Case. At
/// most `most` of those that changed, the most severe in front; what failed is left out, since a
/// report shows it with its message.
std::vector<TextRow> change_rows(const BaselineComparison& comparison, std::size_t most);

/// The number of tensors that have a row: those that neither failed nor are unchanged.
std::int64_t changed_tensors(const BaselineComparison& comparison);

}  // namespace gradproof
