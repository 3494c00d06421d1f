// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/front/candidates/numbers_seen.h"
#include "cli/protocol/protocol.h"
#include "core/compare/record.h"
#include "reports/record/tally.h"

namespace gradproof {

/// The lines of `--json` that are no Records (docs/records.md), without a line feed.

/// {"incomplete":"475 of 529 cases did not run"}
std::string incomplete_json(const std::string& gap);

/// {"shrunk":{"case":"...","tensor":"d_x","steps":8}}, or of a failure that did not come again
/// {"not_shrunk":{"case":"...","tensor":"d_x"}}
std::string shrunk_json(const std::string& case_text, const std::string& tensor, int steps);
std::string not_shrunk_json(const std::string& case_text, const std::string& tensor);

/// {"numbers_seen":[{"line":"y = rms_norm(x, eps=1e-06)","number":"y.eps","value":1e-06,
/// "factor":1.1}]}; null where no factor is seen.
std::string numbers_seen_json(const std::vector<NumberSeen>& numbers);

/// {"unexpected_pass":"known.txt:3: ... passes; remove the line"}
std::string unexpected_pass_json(const std::string& text);

/// The last line: {"result":{"passed":...}}, the numbers of result_line().
std::string result_json(const Tally& tally, double seconds, Measured measured);

/// The text that `doctor --json` prints:
/// {"version":"...","ready":true,"facts":[{"name","text","good", "advice"}]}
std::string doctor_json(const std::string& version, bool ready, const std::vector<Fact>& facts);

}  // namespace gradproof
