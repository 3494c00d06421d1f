// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/protocol/protocol.h"
#include "core/line_splitter.h"

namespace gradproof {

/// The worker's end of the protocol. Standard output stays free for a kernel's own prints.
///
///     WorkerChannel channel;
///     channel.send_hello(context, schemas, facts);
///     while (const auto request = channel.receive()) {
///       channel.announce(*request);
///       for (...) channel.record(r);
///       channel.done();               // or channel.error("usage", text)
///     }
///
/// Throws InstrumentError when there is no front behind the descriptors or it has gone.
class WorkerChannel {
 public:
  explicit WorkerChannel(int requests = kRequestDescriptor, int answers = kAnswerDescriptor);

  /// True if a front has opened the descriptors; a program started by hand has none.
  static bool connected();

  void send_hello(const Context& context, const std::vector<SchemaPtr>& schemas,
                  const std::vector<Fact>& facts = {});
  /// The next request, or nothing if the front has closed its end. Throws for other text.
  std::optional<Request> receive();
  void announce(const Request& request) { send(Announce{subject_of(request)}); }
  void record(const Record& record) { send(record); }
  void phase(AuditPhase phase) { send(phase); }
  void line(const std::string& text) { send(TextLine{text}); }
  void part(const std::string& state, const std::vector<std::string>& lines) {
    send(AnswerPart{state, lines});
  }
  void working(std::uint64_t steps) { send(Working{steps}); }
  /// May be called from any thread, often: what a reader could not follow is left out.
  void progress(const std::string& what, std::int64_t done, std::int64_t of);
  void done(int code = 0);
  /// `kind` is usage, instrument, skip or memory.
  void error(const std::string& kind, const std::string& text) { send(Failure{kind, text}); }
  /// May be called from any thread; messages do not mix.
  void send(const Message& message);

 private:
  int requests_;
  int answers_;
  std::mutex sending_;
  std::chrono::steady_clock::time_point reached_ = {};  ///< when progress was last sent
  LineSplitter lines_;
};

}  // namespace gradproof
