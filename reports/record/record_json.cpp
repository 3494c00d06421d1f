// SPDX-License-Identifier: Apache-2.0
#include "reports/record/record_json.h"

#include <array>

#include <fmt/format.h>

#include "core/enum_names.h"
#include "core/error.h"
#include "core/graph/contract/error_bound_name.h"
#include "reports/record/fields.h"

namespace gradproof {

namespace {

constexpr std::array<std::string_view, kClasses> kClassNames{"finite", "nan", "inf", "-inf"};

/// Elements that should have been of one class and were of another.
struct ClassCount {
  std::string wanted;
  std::string got;
  std::int64_t count = 0;
};

std::vector<ClassCount> class_counts(const Discrepancy& d) {
  std::vector<ClassCount> counts;
  for (std::size_t wanted = 0; wanted < kClasses; ++wanted)
    for (std::size_t got = 0; got < kClasses; ++got)
      if (const std::int64_t count = d.classes[wanted][got]; count > 0)
        counts.push_back({std::string(kClassNames[wanted]), std::string(kClassNames[got]), count});
  return counts;
}

void set_class_counts(Discrepancy& d, const std::vector<ClassCount>& counts) {
  const auto place = [](const std::string& name) {
    return place_of_name(kClassNames, name, "class of a number");
  };
  d.classes = {};
  for (const ClassCount& c : counts) {
    std::int64_t& count = d.classes[place(c.wanted)][place(c.got)];
    if (c.count < 1 || count != 0)
      throw InstrumentError(fmt::format("a second or empty count of {} for {}", c.got, c.wanted));
    count = c.count;
  }
}

void refuse_other_schema(int version) {
  if (version != kRecordSchema)
    throw InstrumentError(fmt::format("schema version {} of a record; this program reads {}",
                                      version, kRecordSchema));
}

}  // namespace

// These are the functions that fields.h calls; they are found by the types' namespace.

static void parse_name(const std::string& name, Outcome& value) { value = parse_outcome(name); }
static void parse_name(const std::string& name, Rung& value) { value = parse_rung(name); }
static void parse_name(const std::string& name, KnownTruth& value) {
  value = parse_known_truth(name);
}
static void parse_name(const std::string& name, ErrorBound& value) {
  value = parse_error_bound(name);
}
static void parse_name(const std::string& name, ChainSource& value) {
  value = parse_chain_source(name);
}
static void parse_name(const std::string& name, Measured& value) { value = parse_measured(name); }
static void parse_name(const std::string& name, Witness& value) { value = parse_witness(name); }
static void parse_name(const std::string& name, OpenReason& value) {
  value = parse_open_reason(name);
}
static void parse_name(const std::string& name, WitnessVerdict& value) {
  value = parse_witness_verdict(name);
}

template <class Field>
void each_field(ClassCount& c, const Field& field) {
  field("wanted", c.wanted);
  field("got", c.got);
  field("count", c.count);
}

template <class Field>
void each_field(Element& e, const Field& field) {
  field("index", e.index);
  field("got", e.got);
  field("want", e.want);
  field("ratio", e.ratio);
  field("ulp", e.ulp);
}

template <class Field>
void each_field(WorstColumn& c, const Field& field) {
  field("column", c.column);
  field("max_ratio", c.max_ratio);
  field("bad", c.bad);
}

template <class Field>
void each_field(Resolution& r, const Field& field) {
  field("whole", r.whole);
  field("median", r.median);
  field("rms_bound", r.rms_bound);
  field("rms_truth", r.rms_truth);
  field("zeros", r.zeros);
  field("zero_passes", r.zero_passes);
}

template <class Field>
void each_field(Discrepancy& d, const Field& field) {
  field("elements", d.elements);
  field("bad", d.bad);
  field("undecided", d.undecided);
  field("vacuous", d.vacuous);
  field("wrong_class", d.wrong_class);
  std::vector<ClassCount> classes = class_counts(d);  // only the pairs that occurred
  field("classes", classes);
  set_class_counts(d, classes);
  field("max_ratio", d.max_ratio);
  field("p99_ratio", d.p99_ratio);
  field("rms_ratio", d.rms_ratio);
  field("max_ulp", d.max_ulp);
  field("worst", d.worst);
  field("first_bad", d.first_bad);
  field("last_bad", d.last_bad);
  field("good_before", d.good_before);
  field("worst_columns", d.worst_columns);
  field("pattern", d.pattern);
  field("histogram", d.histogram);
  field("resolution", d.resolution);
  field("constant_would_pass", d.constant_would_pass);
}

template <class Field>
void each_field(SweepPoint& p, const Field& field) {
  field("log2_step", p.log2_step);
  field("error", p.error);
  field("own", p.own);
}

template <class Field>
void each_field(AuditWitness& w, const Field& field) {
  field("name", w.name);
  field("verdict", w.verdict);
  field("digits", w.digits);
  field("ratio", w.ratio);
  field("wrong", w.wrong);
  field("entries", w.entries);
  field("text", w.text);
}

template <class Field>
void each_field(Inconclusive& i, const Field& field) {
  field("reason", i.reason);
  field("entries", i.entries);
  field("first", i.first);
}

template <class Field>
void each_field(AuditFigures& a, const Field& field) {
  field("entries", a.entries);
  field("digits", a.digits);
  field("median_digits", a.median_digits);
  field("estimate", a.estimate);
  field("worst_index", a.worst_index);
  field("worst_difference", a.worst_difference);
  field("worst_adjoint", a.worst_adjoint);
  field("order", a.order);
  field("log2_step", a.log2_step);
  field("reach", a.reach);
  field("method", a.method);
  field("arithmetic", a.arithmetic);
  field("escalated", a.escalated);
  field("wrong", a.wrong);
  field("wrong_entries", a.wrong_entries);
  field("inconclusive", a.inconclusive);
  field("sweep", a.sweep);
  field("witnesses", a.witnesses);
}

template <class Field>
void each_field(SumChain& c, const Field& field) {
  field("source", c.source);
  field("additions", c.additions);
  field("most", c.most);
}

/// The version comes first: all else may be written differently in another one.
template <class Field>
void each_field(Record& r, const Field& field) {
  int version = kRecordSchema;
  field("schema_version", version);
  refuse_other_schema(version);
  Measured measured = r.measured();
  field("measured", measured);
  if (measured != r.measured()) r.figures = AuditFigures();  // a Record that is read begins empty
  field("case", r.case_text);
  field("kernel", r.kernel);
  field("part_of", r.part_of);
  field("dtype", r.dtype);
  field("mode", r.mode);
  field("tensor", r.tensor);
  field("verdict", r.verdict.outcome);
  field("reason", r.verdict.reason);
  field("witness", r.witness);
  field("shape", r.shape);
  field("seconds", r.seconds);
  field("context", r.context);
  if (measured == Measured::differences) return field("differences", r.audit());
  field("why", r.why);
  field("rung", r.rung);
  field("bound", r.bound);
  field("chain", r.chain);
  field("known", r.known);
  field("diagnosis", r.diagnosis);
  field("certified", r.certified);
  field("escalated", r.escalated);
  field("sample", r.sample);
  field("digest", r.digest);
  field("discrepancy", r.discrepancy());
}

Json to_json(const Record& record) { return json_of(record); }

Json to_json(const Discrepancy& discrepancy) { return json_of(discrepancy); }

Discrepancy discrepancy_from(const Json& json) { return read_json<Discrepancy>(json); }

Record record_from(const Json& json) { return read_json<Record>(json); }

std::string record_line(const Record& record) { return dump(to_json(record)); }

Record read_record(std::string_view line) {
  const Json json = parse_json(line, "no record");
  Record record;
  reading("no record", [&] { record = record_from(json); });
  return record;
}

}  // namespace gradproof
