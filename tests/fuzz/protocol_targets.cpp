// SPDX-License-Identifier: Apache-2.0
// The readers of what front and worker say to each other. A worker may be a user's own program.
#include <memory>

#include "cli/protocol/protocol.h"
#include "cli/protocol/request.h"
#include "core/case/case.h"
#include "core/error.h"
#include "reports/record/schema_json.h"
#include "tests/fuzz/kept.h"
#include "tests/fuzz/targets.h"

namespace gradproof {

void fuzz_message(std::string_view text) {
  require_kept(text, parse_message, [](const Message& message) { return to_line(message); });
}

void fuzz_request(std::string_view text) {
  require_kept(text, parse_request, [](const Request& request) { return to_line(request); });
}

/// A schema that was read can be used: the lines behind it are Cases of it.
void fuzz_schema(std::string_view text) {
  const std::size_t end = text.find('\n');
  const std::string_view first = text.substr(0, end);
  require_kept(first, read_schema, schema_line);
  const auto schema = unless_refused<InstrumentError>(
      [&] { return std::make_shared<const Schema>(read_schema(first)); });
  if (!schema) return;
  const Case initial(*schema);
  require(seed_of(initial) == static_cast<std::uint64_t>(initial.integer("seed")), "no seed");
  elements_of(initial);
  memory_estimate(initial);
  if (end == std::string_view::npos) return;
  const auto read = [&](std::string_view line) { return parse_case(line, {*schema}); };
  require_inverse<UsageError>(text.substr(end + 1), read,
                              [](const Case& c) { return to_string(c); });
}

}  // namespace gradproof
