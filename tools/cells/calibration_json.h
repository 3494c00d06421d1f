// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "properties/calibration/cells.h"
#include "reports/record/fields.h"

namespace gradproof {

// The functions give the findings of a cell of each calibration as JSON (reports/record/fields.h).

template <class Field>
void each_field(Flagged& f, const Field& field) {
  field("count", f.count);
  field("by_executor", f.by_executor);
  field("by_bound", f.by_bound);
  field("by_tolerance", f.by_tolerance);
  field("asked", f.asked);
}

/// The mutants that are yet to run are left out: a cell has run its own.
template <class Field>
void each_field(CalibrationTally& t, const Field& field) {
  field("thresholds", t.thresholds);
  field("results", t.results);
  field("tensors", t.tensors);
  field("elements", t.elements);
  field("mistrusted", t.mistrusted);
  field("vacuous", t.vacuous);
  field("alarms", t.alarms);
  field("missed", t.missed);
  field("failures", t.failures);
  field("distribution", t.distribution);
  field("correct", t.correct);
  field("planted", t.planted);
}

template <class Field>
void each_field(StageReach& r, const Field& field) {
  field("ratio", r.ratio);
  field("bound", r.bound);
  field("loose", r.loose);
}

template <class Field>
void each_field(StageRow& r, const Field& field) {
  field("cases", r.cases);
  field("value", r.value);
  field("gradient", r.gradient);
}

template <class Field>
void each_field(GraphTally& t, const Field& field) {
  field("alarms", t.alarms);
  field("of_onednn", t.of_onednn);
  field("missed", t.missed);
  field("alone", t.alone);
  field("drawn", t.drawn);
  field("graphs", t.graphs);
  field("refused", t.refused);
  field("tensors", t.tensors);
  field("elements", t.elements);
  field("mistrusted", t.mistrusted);
  field("planted", t.planted);
}

template <class Field>
void each_field(MissedProgram& m, const Field& field) {
  field("variant", m.variant);
  field("tensor", m.tensor);
  field("ratio", m.ratio);
  field("reason", m.reason);
}

template <class Field>
void each_field(SizeRow& r, const Field& field) {
  field("computation", r.computation);
  field("dtype", r.dtype);
  field("size", r.size);
  field("right", r.right);
  field("wrong", r.wrong);
  field("alike", r.alike);
  field("flagged", r.flagged);
  field("missed", r.missed);
  field("reach", r.reach);
  field("misses", r.misses);
  field("alarms", r.alarms);
}

template <class Field>
void each_field(SizeTally& t, const Field& field) {
  field("rows", t.rows);
}

template <class Field>
void each_field(AuditTally& t, const Field& field) {
  field("entries", t.entries);
  field("rows", t.rows);
  field("by_kernel", t.by_kernel);
  field("planted", t.planted);
  field("alarms", t.alarms);
  field("missed", t.missed);
}

template <class Field>
void each_field(TightPart& p, const Field& field) {
  field("peaks", p.peaks);
  field("faults", p.faults);
  field("sums", p.sums);
  field("above", p.above);
  field("below", p.below);
  field("tensors", p.tensors);
  field("steps", p.steps);
  field("exact", p.exact);
  field("highest", p.highest);
  field("lowest", p.lowest);
}

template <class Field>
void each_field(MutantScore& s, const Field& field) {
  field("kernel", s.kernel);
  field("cases", s.cases);
  field("convicted", s.convicted);
  field("clearly", s.clearly);
}

template <class Field>
void each_field(PowerTally& t, const Field& field) {
  field("mutants", t.mutants);
  field("cases", t.cases);
  field("right", t.right);
  field("failures", t.failures);
}

template <class Field>
void each_field(LawConviction& c, const Field& field) {
  field("mutant", c.mutant);
  field("law", c.law);
  field("case", c.text);
}

template <class Field>
void each_field(MutantByLaws& m, const Field& field) {
  field("convictions", m.convictions);
  field("findings", m.findings);
  field("unsound", m.unsound);
}

}  // namespace gradproof
