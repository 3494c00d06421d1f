// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/record/record_json.h"
#include "reports/record/schema_json.h"
#include "tests/core/doubles.h"
#include "tests/support/report_sample.h"
#include "tests/support/sample_schema.h"
#include "tests/support/text.h"

namespace gradproof {
namespace {

using Limits = std::numeric_limits<double>;

/// The message of the InstrumentError that reading the line throws; empty when it throws none.
std::string complaint(const std::string& line) {
  try {
    read_record(line);
  } catch (const InstrumentError& error) {
    return error.what();
  }
  return "";
}

TEST(RecordJson, RoundTripGivesTheSameRecord) {
  const Record r = sample_failure();
  const std::string line = record_line(r);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Record back = read_record(line);
  EXPECT_EQ(record_line(back), line);
  EXPECT_EQ(back.case_text, r.case_text);
  EXPECT_EQ(back.verdict.outcome, r.verdict.outcome);
  EXPECT_EQ(back.verdict.reason, r.verdict.reason);
  EXPECT_EQ(back.context, r.context);
  EXPECT_EQ(back.shape, r.shape);
  EXPECT_EQ(back.discrepancy().histogram, r.discrepancy().histogram);
  EXPECT_EQ(back.discrepancy().good_before, r.discrepancy().good_before);
  EXPECT_EQ(back.discrepancy().worst_columns, r.discrepancy().worst_columns);
  EXPECT_EQ(back.discrepancy().resolution.zeros, 3);
  EXPECT_EQ(back.discrepancy().resolution.zero_passes, 5);
  EXPECT_EQ(back.certified, 2100);
  EXPECT_EQ(back.escalated, 12);
  ASSERT_EQ(back.discrepancy().last_bad.size(), r.discrepancy().last_bad.size());
  EXPECT_EQ(back.discrepancy().last_bad.back().index, r.discrepancy().last_bad.back().index);
}

// They would be written otherwise than they were read, or not at all.
TEST(RecordJson, CountsThatCannotBeAreRefused) {
  Record r = sample_failure();
  r.discrepancy().classes[0][1] = 2;
  const std::string line = record_line(r);
  const std::string one = R"({"wanted":"finite","got":"nan","count":2})";
  EXPECT_EQ(complaint(line), "");
  EXPECT_NE(complaint(replaced(line, one, one + "," + one)), "");
  EXPECT_NE(complaint(replaced(line, one, R"({"wanted":"finite","got":"nan","count":-5})")), "");
  EXPECT_NE(complaint(replaced(line, R"("elements":2112)", R"("elements":1e300)")), "");
  EXPECT_NE(complaint(replaced(line, R"("elements":2112)", R"("elements":2112.5)")), "");
  EXPECT_NE(complaint(replaced(line, R"("histogram":[)", R"("histogram":[1,)")), "");
}

TEST(RecordJson, EveryDoubleComesBackWithItsBits) {
  for (const double value : {0.0, -0.0, 0.1, 1.0 / 3, -0x1.94p-7, Limits::denorm_min(),
                             Limits::max(), Limits::infinity(), -Limits::infinity()}) {
    Record r = sample_failure();
    r.discrepancy().worst.got = value;
    r.discrepancy().rms_ratio = value;
    r.discrepancy().resolution = {value, value / 2, value / 3, value / 5, 0, 0};
    const Record back = read_record(record_line(r));
    EXPECT_EQ(bits(back.discrepancy().worst.got), bits(value)) << value;
    EXPECT_EQ(bits(back.discrepancy().rms_ratio), bits(value)) << value;
    const Resolution& resolution = back.discrepancy().resolution;
    EXPECT_EQ(bits(resolution.whole), bits(value)) << value;
    EXPECT_EQ(bits(resolution.median), bits(value / 2)) << value;
    EXPECT_EQ(bits(resolution.rms_bound), bits(value / 3)) << value;
    EXPECT_EQ(bits(resolution.rms_truth), bits(value / 5)) << value;
  }
  Record r = sample_failure();
  r.discrepancy().worst.got = Limits::quiet_NaN();
  EXPECT_TRUE(std::isnan(read_record(record_line(r)).discrepancy().worst.got));
}

TEST(RecordJson, EveryPairOfClassesComesBack) {
  Record r = sample_failure();
  for (std::size_t wanted = 0; wanted < kClasses; ++wanted)
    for (std::size_t got = 0; got < kClasses; ++got)
      r.discrepancy().classes[wanted][got] = static_cast<std::int64_t>(10 * wanted + got);
  EXPECT_EQ(read_record(record_line(r)).discrepancy().classes, r.discrepancy().classes);
  const std::string line = replaced(record_line(r), "\"-inf\"", "\"infinite\"");
  EXPECT_NE(complaint(line).find("unknown class of a number 'infinite'"), std::string::npos);
}

TEST(RecordJson, EveryRungComesBack) {
  Record r = sample_pass();
  EXPECT_EQ(record_line(r).find("rung"), std::string::npos) << "code that declares has none";
  EXPECT_EQ(read_record(record_line(r)).rung, std::nullopt);
  for (const RungRow& row : rung_rows()) {
    r.rung = row.rung;
    EXPECT_EQ(read_record(record_line(r)).rung, row.rung) << row.name;
  }
  EXPECT_NE(complaint(replaced(record_line(r), "\"statistics too\"", "\"all too\""))
                .find("unknown rung 'all too'"),
            std::string::npos);
}

TEST(RecordJson, EveryBoundComesBack) {
  Record r = sample_pass();
  EXPECT_EQ(record_line(r).find("\"bound\""), std::string::npos) << "a kernel's has none";
  for (const ErrorBound bound : {ErrorBound::certain, ErrorBound::likely}) {
    r.bound = bound;
    EXPECT_EQ(read_record(record_line(r)).bound, bound);
  }
  EXPECT_NE(
      complaint(replaced(record_line(r), "\"likely\"", "\"lucky\"")).find("unknown bound 'lucky'"),
      std::string::npos);
}

TEST(RecordJson, EveryChainComesBack) {
  Record r = sample_pass();
  EXPECT_EQ(record_line(r).find("\"chain\""), std::string::npos) << "declared sums have none";
  EXPECT_EQ(read_record(record_line(r)).chain, std::nullopt);
  for (const ChainSource source : {ChainSource::measured, ChainSource::consistent}) {
    r.chain = {source, 24, 4095};
    EXPECT_EQ(read_record(record_line(r)).chain, r.chain);
  }
  EXPECT_NE(complaint(replaced(record_line(r), "\"consistent\"", "\"guessed\""))
                .find("unknown source of a chain 'guessed'"),
            std::string::npos);
}

TEST(RecordJson, EveryOutcomeComesBack) {
  for (int i = 0; i <= static_cast<int>(Outcome::inconclusive); ++i) {
    Record r = sample_pass();
    r.verdict.outcome = static_cast<Outcome>(i);
    EXPECT_EQ(read_record(record_line(r)).verdict.outcome, r.verdict.outcome);
  }
}

// Control: what is no record of this version is refused, and the fault named.
TEST(RecordJson, RefusesWhatIsNoRecord) {
  const std::string line = record_line(sample_failure());
  EXPECT_EQ(complaint(line), "");
  EXPECT_NE(complaint(line.substr(0, line.size() / 2)).find("no record"), std::string::npos);
  EXPECT_NE(complaint(replaced(line, "\"digest\"", "\"digets\"")).find("digest"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(line, "\"Failed\"", "\"Fine\"")).find("Fine"), std::string::npos);
  EXPECT_NE(complaint(replaced(line, "\"schema_version\":5", "\"schema_version\":4"))
                .find("schema version 4"),
            std::string::npos);
  EXPECT_NE(complaint(replaced(line, "\"max_ratio\":9.5", "\"max_ratio\":\"much\"")).find("much"),
            std::string::npos);
}

TEST(SchemaJson, RoundTripGivesTheSameSchema) {
  Schema filled = *sample_schema();
  filled.pipeline = "BatchNorm, Swish";
  filled.contract = "two-pass";
  filled.unit_keys = {"rows"};
  filled.bytes_per_unit_element = 1300;
  filled.keys[0].samples = {"1", "2"};
  filled.keys[0].setting = true;
  const Schema* const schema = &filled;
  const Schema back = read_schema(schema_line(*schema));
  EXPECT_EQ(schema_line(back), schema_line(*schema));
  EXPECT_EQ(back.pipeline, schema->pipeline);
  EXPECT_EQ(back.contract, schema->contract);
  EXPECT_EQ(back.unit_keys, schema->unit_keys);
  EXPECT_EQ(back.bytes_per_unit_element, schema->bytes_per_unit_element);
  EXPECT_EQ(back.keys[0].samples, schema->keys[0].samples);
  EXPECT_TRUE(back.keys[0].setting);
  ASSERT_EQ(back.keys.size(), schema->keys.size());
  for (std::size_t i = 0; i < back.keys.size(); ++i) {
    EXPECT_EQ(back.keys[i].type, schema->keys[i].type);
    EXPECT_EQ(back.keys[i].maximum, schema->keys[i].maximum);
    EXPECT_EQ(back.keys[i].words, schema->keys[i].words);
  }
  ASSERT_EQ(back.refusals.size(), 1u);
  EXPECT_EQ(back.refusals[0].when.size(), schema->refusals[0].when.size());
  EXPECT_THROW(read_schema("{\"word\":\"x\"}"), InstrumentError);
}

}  // namespace
}  // namespace gradproof
