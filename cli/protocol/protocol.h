// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/case/schema.h"
#include "core/compare/audit_row.h"
#include "core/compare/record.h"

namespace gradproof {

/// What front and worker say to each other, JSON lines on two private descriptors (docs/cli.md).
/// The number grows with any change that an older program would misread.
inline constexpr int kProtocol = 3;
inline constexpr int kRequestDescriptor = 3;  ///< the worker reads here
inline constexpr int kAnswerDescriptor = 4;   ///< the worker writes here

/// Front to worker. `text` is a Case; for the verbs without one (takes_name) a name.
struct Request {
  std::string verb;  ///< check, audit, bench, explain, calibrate, exhaustive
  std::string text;
  std::vector<std::string> arguments = {};  ///< what else the verb takes, as the verb reads it
};

/// Whether a request of this verb is about something that is no Case: a benchmark, a
/// calibration.
bool takes_name(std::string_view verb);

/// Something about the worker's machine that `doctor` shows.
struct Fact {
  std::string name;  ///< "LibTorch"
  std::string text;  ///< "2.9.0"
  bool good = true;
  std::string advice;  ///< what to do where it is not
};

/// The worker's first words.
struct Hello {
  int protocol = kProtocol;
  Context context;
  std::vector<Schema> schemas;
  std::vector<Fact> facts;
};

/// The worker starts on this Case; whatever befalls it from here on is the Case's.
struct Announce {
  std::string case_text;
};

/// What the front prints at once, a line of the verb's own text. It renews the deadline.
struct TextLine {
  std::string text;
};

/// The executor is still at it: says nothing of the answer, and renews the deadline.
struct Working {
  std::uint64_t steps = 0;  ///< since the last one (simt/progress.h)
};

/// The request is answered in full.
struct Done {
  double peak_bytes = 0;  ///< the most memory that the worker held since it started; 0: not known
  int code = 0;           ///< exit code (docs/cli.md) of a verb that prints its own text
};

/// The request ends without an answer.
///   usage       the Case asks for what cannot be
///   instrument  the instrument is at fault
///   skip        this machine cannot run it
struct Failure {
  std::string kind;
  std::string text;
};

/// An AuditPhase says what an audit is at from here on; it renews the deadline.
using Message =
    std::variant<Hello, Announce, Record, AuditRow, AuditPhase, TextLine, Working, Done, Failure>;

/// One JSON line without a line feed.
std::string to_line(const Request& request);
std::string to_line(const Message& message);

/// Throw InstrumentError for text that is no message, and for another protocol's hello.
Request parse_request(std::string_view line);
Message parse_message(std::string_view line);

}  // namespace gradproof
