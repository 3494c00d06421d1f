// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/protocol/channel.h"
#include "core/error.h"
#include "reports/record/record_json.h"
#include "tests/support/report_sample.h"
#include "tests/support/sample_schema.h"

namespace gradproof {
namespace {

template <class T>
T through(const T& message) {
  return std::get<T>(parse_message(to_line(Message(message))));
}

std::string complaint(const std::string& line) {
  try {
    parse_message(line);
  } catch (const InstrumentError& error) {
    return error.what();
  }
  return "";
}

TEST(Protocol, EveryMessageComesBack) {
  const Hello hello = through(
      Hello{kProtocol, sample_context(), {*sample_schema()}, {{"GPU", "none", false, "buy"}}});
  EXPECT_EQ(hello.context, sample_context());
  ASSERT_EQ(hello.schemas.size(), 1u);
  EXPECT_EQ(hello.schemas[0].word, "sample");
  ASSERT_EQ(hello.facts.size(), 1u);
  EXPECT_FALSE(hello.facts[0].good);
  EXPECT_EQ(through(Announce{"a rows=3"}).subject, "a rows=3");
  EXPECT_EQ(record_line(through(sample_failure())), record_line(sample_failure()));
  EXPECT_EQ(through(Failure{"usage", "why"}).kind, "usage");
  EXPECT_EQ(through(Done{1.5e9}).peak_bytes, 1.5e9);
  EXPECT_EQ(std::get<Done>(parse_message(R"({"done":true})")).peak_bytes, 0);  // an older worker
  EXPECT_EQ(through(Done{0, 4}).code, 4);
  EXPECT_EQ(through(WorkReached{"cases", 3, 7}).of, 7);
  EXPECT_EQ(through(FoundCell{"cases 0 to 1", "{\"a\":1}"}).found, "{\"a\":1}");
  EXPECT_EQ(through(Working{std::uint64_t{1} << 60}).steps, std::uint64_t{1} << 60);
  EXPECT_EQ(through(TextLine{"a \"b\""}).text, "a \"b\"");
  EXPECT_EQ(through(Running{"a rows=3", false}).case_text, "a rows=3");
  EXPECT_FALSE(through(Running{"a", false}).ended);
  EXPECT_TRUE(through(Running{"a", true}).ended);
  EXPECT_EQ(through(AnswerPart{"state", {"one", "two"}}).state, "state");
  EXPECT_EQ(through(AnswerPart{"", {"one", "two"}}).lines,
            (std::vector<std::string>{"one", "two"}));
}

/// The request as it comes out at the other end.
template <class R>
R through_request(const R& request) {
  return std::get<R>(parse_request(to_line(request)));
}

TEST(Protocol, EveryRequestComesBack) {
  const CheckRequest check = through_request(CheckRequest{"a rows=3", Detail::of_failures, 3});
  EXPECT_EQ(check.case_text, "a rows=3");
  EXPECT_EQ(check.detail, Detail::of_failures);
  EXPECT_EQ(check.threads, 3);
  EXPECT_EQ(through_request(CheckRequest{}).detail, Detail::of_all);
  const AuditRequest audit = through_request(AuditRequest{"a", 7, 33, true, false, 2});
  EXPECT_EQ(audit.entries, 7);
  EXPECT_EQ(audit.digits, 33);
  EXPECT_TRUE(audit.direct);
  EXPECT_FALSE(audit.kernel);
  EXPECT_EQ(audit.threads, 2);
  EXPECT_EQ(through_request(ColumnRequest{"a", "x[1,2]", true}).column, "x[1,2]");
  EXPECT_EQ(through_request(ExplainRequest{"a", "d_x[3,7]", false}).element, "d_x[3,7]");
  EXPECT_EQ(through_request(BenchRequest{"executor"}).name, "executor");
  const CalibrateRequest calibrate =
      through_request(CalibrateRequest{"fair", 2, 1, {"b", "c"}, "push", true, {64, 256}});
  EXPECT_EQ(calibrate.cases, 2);
  EXPECT_EQ(calibrate.kernels, (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(calibrate.json);
  EXPECT_EQ(calibrate.sizes, (std::vector<std::int64_t>{64, 256}));
  const CoverageRequest coverage = through_request(
      CoverageRequest{{"b"}, {"push.cases", "b.cases"}, 2, 1, "ledger", "lines", "folder", true});
  EXPECT_EQ(coverage.files, (std::vector<std::string>{"push.cases", "b.cases"}));
  EXPECT_EQ(coverage.of_f32, 2);
  EXPECT_EQ(coverage.of_others, 1);
  EXPECT_EQ(coverage.write, "folder");
  const AvoidRequest avoid = through_request(AvoidRequest{{{"a rows=3", "Crashed SIGSEGV"}}});
  ASSERT_EQ(avoid.cases.size(), 1u);
  EXPECT_EQ(avoid.cases[0].case_text, "a rows=3");
  EXPECT_EQ(avoid.cases[0].how, "Crashed SIGSEGV");
  EXPECT_EQ(verb_of(through_request(LoadRequest{})), "load");
  SearchRequest search;
  search.parts = {"", "state"};
  EXPECT_EQ(through_request(search).parts, search.parts);
  EXPECT_EQ(through_request(ExhaustiveRequest{{"a"}, "f16", "3/16", false}).part, "3/16");
}

TEST(Protocol, OnlyACaseIsBlamedForAWorkersEnd) {
  EXPECT_TRUE(asks_about_case(ColumnRequest{"a", "x[1,2]"}));
  EXPECT_EQ(subject_of(ColumnRequest{"a", "x[1,2]"}), "a");
  EXPECT_FALSE(asks_about_case(BenchRequest{"executor"}));
  EXPECT_EQ(subject_of(BenchRequest{"executor"}), "bench");
}

TEST(Protocol, AnotherVersionIsRefusedBeforeAnythingElse) {
  EXPECT_NE(complaint(R"({"hello":1,"unheard":"of"})").find("protocol 1"), std::string::npos);
}

TEST(Protocol, GarbageIsNamed) {
  for (const std::string line : {"", "hello", "{", "[]", "{}", "7", R"({"record":{}})",
                                 R"({"hello":2})", R"({"working":"hard"})", R"({"done":5e8})",
                                 R"({"running":"a"})", R"({"part":"a"})", R"({"error":"no kind"})"})
    EXPECT_NE(complaint(line), "") << line;
  for (const std::string line : {R"({"verb":"check"})", R"({"verb":"guess","case":"a"})",
                                 R"({"verb":"check","case":"a","largest":"some","threads":0})",
                                 R"({"verb":"check","case":"a","largest":"all","threads":"two"})"})
    EXPECT_THROW(parse_request(line), InstrumentError) << line;
}

// nlohmann's conversion is a cast: 1e300 was undefined behaviour and 2^32 + 1 one thread.
TEST(Protocol, NumbersThatDoNotFitAreRefused) {
  for (const std::string number : {"1e300", "4294967297", "-4294967297", "1.5", "true"}) {
    EXPECT_THROW(
        parse_request(R"({"verb":"check","case":"a","largest":"all","threads":)" + number + "}"),
        InstrumentError)
        << number;
    EXPECT_NE(complaint(R"({"done":true,"code":)" + number + "}"), "") << number;
    EXPECT_NE(complaint(R"({"hello":)" + number + "}"), "") << number;
  }
  for (const std::string number : {"1e300", "-1", "18446744073709551616", "1.5", "true"})
    EXPECT_NE(complaint(R"({"working":)" + number + "}"), "") << number;
  EXPECT_EQ(complaint(R"({"working":18446744073709551615})"), "");
  EXPECT_EQ(complaint(R"({"done":true,"code":-2147483648})"), "");
}

// Such a schema made the front divide by zero, overflow or end in an exception that no user sees.
TEST(Protocol, ASchemaThatNoCaseCanHaveIsRefused) {
  const auto with = [](const auto& edit) {
    Schema schema = *sample_schema();
    edit(schema);
    return complaint(to_line(Message(Hello{kProtocol, sample_context(), {schema}, {}})));
  };
  const auto refusal = [](const char* key, const char* relation, const char* text) {
    return Refusal{{{key, relation, text}}, "no"};
  };
  EXPECT_EQ(with([](Schema&) {}), "");
  EXPECT_NE(with([](Schema& s) { s.word = "a b"; }), "");
  EXPECT_NE(with([](Schema& s) { s.keys[0].name = "a=b"; }), "");
  EXPECT_NE(with([](Schema& s) { s.keys[0].initial = "-1"; }), "");
  EXPECT_NE(with([](Schema& s) { s.keys[2].words.push_back(""); }), "");
  EXPECT_NE(with([](Schema& s) { s.keys.push_back(s.keys[0]); }), "");
  EXPECT_NE(with([](Schema& s) { s.keys.pop_back(); }).find("seed"), std::string::npos);
  EXPECT_NE(with([](Schema& s) { s.size_keys = {"momentum"}; }), "");
  EXPECT_NE(with([](Schema& s) { s.unit_keys = {"depth"}; }), "");
  EXPECT_NE(with([](Schema& s) { s.beside = {{{"mode"}, 8}}; }), "");
  EXPECT_NE(with([&](Schema& s) { s.refusals = {refusal("depth", "=", "1")}; }), "");
  EXPECT_NE(with([&](Schema& s) { s.refusals = {refusal("rows", "~", "1")}; }), "");
  EXPECT_EQ(with([&](Schema& s) { s.refusals = {refusal("rows", "indivisible", "cols")}; }), "");
  EXPECT_NE(with([&](Schema& s) {
              s.refusals = {refusal("cols", "indivisible", "rows")};
            }).find("'cols' cannot be divided by 'rows'"),
            std::string::npos);  // rows may be 0
}

// A message is one line whatever its texts hold.
TEST(Protocol, TextOfAnyKindStaysOnOneLine) {
  const std::string odd = "a\nb\t\"quoted\" \x01 \xff end";
  const std::string line = to_line(Message(Failure{"usage", odd}));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(std::get<Failure>(parse_message(line)).text.find("\"quoted\""), std::string::npos);
}

TEST(LineSplitter, CutsWhatComesInPieces) {
  LineSplitter lines;
  lines.append("on");
  EXPECT_FALSE(lines.next().has_value());
  lines.append("e\ntwo\nthr");
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "two");
  EXPECT_FALSE(lines.next().has_value());
  EXPECT_EQ(lines.rest(), "thr");
}

TEST(WorkerChannel, SpeaksOverItsDescriptors) {
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  ASSERT_EQ(pipe(requests.data()), 0);
  ASSERT_EQ(pipe(answers.data()), 0);
  const std::string asked = to_line(CheckRequest{"sample rows=3"}) + "\n";
  ASSERT_EQ(write(requests[1], asked.data(), asked.size()), static_cast<ssize_t>(asked.size()));
  close(requests[1]);

  WorkerChannel channel(requests[0], answers[1]);
  const auto request = channel.receive();
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(subject_of(*request), "sample rows=3");
  EXPECT_FALSE(channel.receive().has_value());  // the front has closed its end
  channel.announce(*request);
  channel.done();
  std::array<char, 256> bytes{};
  const ssize_t count = read(answers[0], bytes.data(), bytes.size());
  ASSERT_GT(count, 0);
  LineSplitter lines;
  lines.append({bytes.data(), static_cast<std::size_t>(count)});
  EXPECT_EQ(lines.next(), to_line(Message(Announce{"sample rows=3"})));
  const auto done = lines.next();
  ASSERT_TRUE(done.has_value());
  EXPECT_GT(std::get<Done>(parse_message(*done)).peak_bytes, 0);
  EXPECT_EQ(lines.rest(), "");

  close(answers[0]);
  EXPECT_THROW(channel.done(), InstrumentError);  // nobody listens
}

}  // namespace
}  // namespace gradproof
