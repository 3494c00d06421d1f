// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/protocol/request.h"
#include "core/case/schema.h"
#include "core/compare/record.h"

namespace gradproof {

/// The version of a worker's answers to requests (cli/protocol/request.h), JSON lines on two
/// private descriptors (docs/cli.md). It grows with any change that an older program would misread.
inline constexpr int kProtocol = 9;
inline constexpr int kRequestDescriptor = 3;  ///< the worker reads here
inline constexpr int kAnswerDescriptor = 4;   ///< the worker writes here

/// Something about the worker's machine that `doctor` shows.
struct Fact {
  std::string name;  ///< "LibTorch"
  std::string text;  ///< "2.9.0"
  bool good = true;
  std::string advice;  ///< what to do where it is not
};

/// The worker's first message.
struct Hello {
  int protocol = kProtocol;
  Context context;
  std::vector<Schema> schemas;
  std::vector<Fact> facts;
};

/// The worker starts on the request with this subject_of(); what happens to it from here on counts
/// against the Case, if the subject is one.
struct Announce {
  std::string subject;
};

/// A line of the verb's own text, which the front prints at once. It renews the deadline.
struct TextLine {
  std::string text;
};

/// The executor is still at work: this says nothing of the answer, and renews the deadline.
struct Working {
  std::uint64_t steps = 0;  ///< since the last one (simt/progress.h)
};

/// The progress of the answer, for whoever waits. It renews the deadline.
struct WorkReached {
  std::string what;  ///< "cases", "searches"
  std::int64_t done = 0, of = 0;
};

/// Sent during a request that is about no single Case: the kernel of this Case begins to run, or
/// has ended. A front that finds the worker dead in between knows which Cases to ask about alone.
struct Running {
  std::string case_text;
  bool ended = false;
};

/// Lines of the verb's own text that stand for a finished part of the answer. If the front has to
/// ask again, it hands `state` back, and the part is neither done nor said again.
struct AnswerPart {
  std::string state;
  std::vector<std::string> lines;
};

/// The request is answered in full.
struct Done {
  double peak_bytes = 0;  ///< the most memory that the worker held since it started; 0: not known
  int code = 0;           ///< exit code (docs/cli.md) of a verb that prints its own text
};

/// The request ends without an answer. In place of hello a worker says `usage` of its own kernels.
///   usage       the Case asks for what cannot be
///   instrument  the instrument is at fault
///   skip        this machine cannot run it
///   memory      there was not enough for it; the worker leaves
inline constexpr const char* kUsage = "usage";
inline constexpr const char* kOutOfMemory = "memory";
struct Failure {
  std::string kind;
  std::string text;
};

/// A Record and an AuditPhase renew the deadline; a phase says what an audit is at from here on.
using Message = std::variant<Hello, Announce, Record, AuditPhase, TextLine, Working, WorkReached,
                             Running, AnswerPart, FoundCell, Done, Failure>;

/// One JSON line without a line feed.
std::string to_line(const Message& message);

/// Throws InstrumentError for text that is no message, and for another protocol's hello.
Message parse_message(std::string_view line);

}  // namespace gradproof
