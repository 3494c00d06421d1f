// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/record.h"
#include "reports/record/tally.h"
#include "reports/runs/run_kind.h"

namespace gradproof {

/// The version of the lines on a run (docs/records.md). It grows when a key changes its meaning or
/// goes.
inline constexpr int kRunSchema = 1;

/// The verb's name.
std::string_view kind_name(RunKind kind);
/// Throws InstrumentError for a name that is none.
RunKind parse_kind(std::string_view name);

/// The commit of the checkout that a program was started in. All empty where nobody knew.
struct Checkout {
  std::string commit;
  bool dirty = false;  ///< files that git follows were changed
  std::string from;    ///< who said so: "git", or a variable as CI sets it
};

/// The most shards of a plan: more than anybody uses, but a reader that counts up to it ends.
inline constexpr int kMostShards = 1000000;

/// One of `count` parts of a plan's Cases, from 1.
struct Shard {
  int index = 1;
  int count = 1;
  friend auto operator<=>(const Shard&, const Shard&) = default;
};

/// The task of a run, as known when it began: its first line.
struct RunHeader {
  std::string id;
  RunKind kind = RunKind::check;
  std::string started;  ///< UTC
  std::vector<std::string> command;
  std::string host;
  std::string system;
  Checkout checkout;
  std::string worker;  ///< content of the program that has the kernels, 16 hex digits
  Context context;
  std::vector<std::string> options;  ///< those that change what is found
  std::string plan;                  ///< content id of all Cases of the plan
  std::int64_t plan_cases = 0;
  std::vector<Shard> shards;        ///< what of the plan this run is; empty: all of it
  std::vector<std::string> cases;   ///< or cells; of this run and of all that it resumes
  std::string resumes;              ///< id of the run that has the Cases that were done before
  std::vector<std::string> merges;  ///< ids of the runs that it was made of
};

/// The end of a run: its last line, if it came to write one.
struct RunEnd {
  std::string how;     ///< complete, incomplete, interrupted, stopped (--fail-fast) or failed
  std::string reason;  ///< of a failure
  int code = 0;        ///< the exit code
  std::string ended;   ///< UTC
  double seconds = 0;
  Tally counts;  ///< without its gaps
};

/// True if the line of a run's file is its first, or its last; all others are Records or cells.
bool is_header_line(std::string_view line);
bool is_end_line(std::string_view line);

/// Sealed lines without a line feed. The readers throw InstrumentError for what is no such line,
/// whose checksum they leave to require_seal().
std::string header_line(const RunHeader& header);
RunHeader read_header(std::string_view line);
std::string end_line(const RunEnd& end);
RunEnd read_end(std::string_view line);

/// The shard as text: "2/4".
std::string shard_text(const Shard& shard);

/// The reason why the Records of two runs do not belong together, in words that name both sides:
/// another verb, plan, option, context or worker. Empty if they do. Their commits may differ: the
/// worker is what was built of them.
std::string difference(const RunHeader& a, const RunHeader& b);

}  // namespace gradproof
