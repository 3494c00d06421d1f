// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/run_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/enum_names.h"
#include "core/error.h"
#include "reports/record/fields.h"
#include "reports/runs/sealed_line.h"

namespace gradproof {
namespace {

void refuse_other_version(int version) {
  if (version != kRunSchema)
    throw InstrumentError(
        fmt::format("schema version {} of a run; this program reads {}", version, kRunSchema));
}

/// An empty text and "(none)" look alike otherwise.
std::string shown(const std::string& text) { return text.empty() ? "none" : "'" + text + "'"; }

std::string context_text(const Context& c) {
  return fmt::format("{}, {}, {}, {}", c.backend, c.device, c.toolkit, c.version);
}

std::string plan_text(const RunHeader& h) {
  return fmt::format("{} of {} cases", h.plan, h.plan_cases);
}

}  // namespace

// These are the functions that fields.h calls, found by the types' namespace. A kind is a verb.

template <class Field>
void each_field(Checkout& c, const Field& field) {
  field("commit", c.commit);
  field("dirty", c.dirty);
  field("from", c.from);
}

template <class Field>
void each_field(Shard& s, const Field& field) {
  field("index", s.index);
  field("count", s.count);
  if (s.index < 1 || s.index > s.count || s.count > kMostShards)
    throw InstrumentError(fmt::format("no shard: {}/{}", s.index, s.count));
}

template <class Field>
void each_field(RunHeader& h, const Field& field) {
  field("run", h.id);
  int version = kRunSchema;
  field("schema_version", version);
  refuse_other_version(version);
  std::string kind(kind_name(h.kind));
  field("kind", kind);
  h.kind = parse_kind(kind);
  field("started", h.started);
  field("command", h.command);
  field("host", h.host);
  field("system", h.system);
  field("checkout", h.checkout);
  field("worker", h.worker);
  field("context", h.context);
  field("options", h.options);
  field("plan", h.plan);
  field("plan_cases", h.plan_cases);
  field("shards", h.shards);
  field("resumes", h.resumes);
  field("merges", h.merges);
  field("cases", h.cases);
}

template <class Field>
void each_field(Tally& t, const Field& field) {
  field("tensors", t.tensors);
  field("passed", t.passed);
  field("failed", t.failed);
  field("mistrusted", t.mistrusted);
  field("skipped", t.skipped);
  field("incomplete", t.incomplete);
  field("elements", t.elements);
}

template <class Field>
void each_field(RunEnd& e, const Field& field) {
  field("end", e.how);
  field("reason", e.reason);
  field("code", e.code);
  field("ended", e.ended);
  field("seconds", e.seconds);
  field("counts", e.counts);
}

namespace {

template <class T>
T read_line(std::string_view line, std::string_view what) {
  const Json json = parse_json(line, what);
  T value;
  reading(what, [&] { value = read_json<T>(json); });
  return value;
}

}  // namespace

std::string_view kind_name(RunKind kind) { return kind.name(); }

RunKind parse_kind(std::string_view name) {
  return static_cast<RunKind::Verb>(place_of_name(RunKind::kNames, name, "kind of run"));
}

bool is_header_line(std::string_view line) { return line.starts_with(R"({"run":)"); }
bool is_end_line(std::string_view line) { return line.starts_with(R"({"end":)"); }

std::string header_line(const RunHeader& header) { return sealed(dump(json_of(header))); }
RunHeader read_header(std::string_view line) {
  return read_line<RunHeader>(line, "no first line of a run");
}

std::string end_line(const RunEnd& end) { return sealed(dump(json_of(end))); }
RunEnd read_end(std::string_view line) { return read_line<RunEnd>(line, "no last line of a run"); }

std::string shard_text(const Shard& shard) {
  return fmt::format("{}/{}", shard.index, shard.count);
}

std::string difference(const RunHeader& a, const RunHeader& b) {
  const auto between = [](const char* what, const std::string& one, const std::string& other) {
    return one == other ? "" : fmt::format("{} {} and {}", what, shown(one), shown(other));
  };
  const auto options = [](const RunHeader& h) {
    return fmt::format("{}", fmt::join(h.options, " "));
  };
  for (const std::string& found :
       {between("verb", std::string(kind_name(a.kind)), std::string(kind_name(b.kind))),
        between("plan", plan_text(a), plan_text(b)), between("options", options(a), options(b)),
        between("context", context_text(a.context), context_text(b.context)),
        between("worker", a.worker, b.worker)})
    if (!found.empty()) return found;
  return "";
}

}  // namespace gradproof
