// SPDX-License-Identifier: Apache-2.0
// The format is what CI systems agree to read: tests/reports/junit/junit.xsd.
#include <map>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "reports/baseline/comparison_rows.h"
#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

enum class TestState { passed, skipped, failure, error };

/// One kernel's tensor in one dtype.
struct TestCase {
  TestState state = TestState::passed;
  std::string type;     ///< the verdict
  std::string message;  ///< one line
  std::string text;
  double seconds = 0;
};

/// kernel, tensor and dtype
using TestName = std::tuple<std::string, std::string, std::string>;
using TestCases = std::map<TestName, TestCase>;

struct Suite {
  std::string name;
  TestCases cases;
  const ReportedRun* run = nullptr;

  std::int64_t count(TestState state) const {
    std::int64_t count = 0;
    for (const auto& [name_of_case, test] : cases) count += test.state == state;
    return count;
  }
  double seconds() const {
    double sum = 0;
    for (const auto& [name_of_case, test] : cases) sum += test.seconds;
    return sum;
  }
};

Suite suite_of(const ReportedRun& run) {
  Suite suite{std::string(kind_name(run.header.kind)), {}, &run};
  std::map<std::string, std::int64_t> tensors;  // the time of a Case is that of all of them
  for (const Record& r : run.stored.records) ++tensors[r.case_text];
  std::map<TestName, bool> proved;
  for (const Record& r : run.stored.records) {
    const TestName name{r.kernel, r.tensor, r.dtype};
    TestCase& test = suite.cases[name];
    const bool own = r.measured() == Measured::differences;
    test.seconds += own ? r.seconds : r.seconds / static_cast<double>(tensors[r.case_text]);
    proved[name] = proved[name] || is_proof(r);
    if (test.message.empty()) test.message = r.verdict.reason;
    if (r.verdict.outcome == Outcome::known_failure) {
      test.state = TestState::skipped;
      test.message = r.verdict.reason;
    }
    test.type = name_of(r.verdict.outcome);
  }
  for (auto& [name, test] : suite.cases) {
    if (!proved[name]) test.state = TestState::skipped;
    test.text = test.message;
  }
  return suite;
}

void add_failures(Suite& suite, const std::vector<FailureGroup>& groups) {
  for (const FailureGroup& group : groups) {
    if (group.measured != suite.run->header.kind) continue;
    TestCase& test = suite.cases[{group.kernel, group.tensor, group.dtype}];
    const Outcome outcome = group.worst().record->verdict.outcome;
    const bool judged = outcome == Outcome::failed || outcome == Outcome::improbable ||
                        outcome == Outcome::wrong || outcome == Outcome::nondeterministic;
    test.state = judged ? TestState::failure : TestState::error;
    test.type = name_of(outcome);
    test.message = group.summary();
    test.text.clear();
    for (std::size_t k = 0; k < std::min(kMessages, group.failures.size()); ++k) {
      test.text += message_of(group.failures[k]);
      if (!group.failures[k].diagnosis.empty())
        test.text += "  diagnosis: " + group.failures[k].diagnosis + "\n";
    }
    if (group.failures.size() > kMessages)
      test.text += fmt::format("and {} more\n", group.failures.size() - kMessages);
  }
}

/// Adds what is not proved as test cases that CI shows: if nothing said so, a gate would be green.
void add_gaps(Suite& suite) {
  std::int64_t number = 0;
  for (const std::string& gap : tally(suite.run->stored).gaps)
    suite.cases[{"incomplete", fmt::format("{}", ++number), ""}] = {TestState::error, "incomplete",
                                                                    gap, gap, 0};
}

Suite comparison_suite(const BaselineComparison& c, const ReportedRun& run) {
  Suite suite{"regression", {}, &run};
  if (!c.not_comparable.empty())
    suite.cases[{"baseline", "comparable", ""}] = {TestState::error, "incomplete", c.not_comparable,
                                                   c.not_comparable, 0};
  for (const ChangedTensor& t : c.tensors) {
    TestCase& test = suite.cases[{t.kernel, t.named().tensor, t.named().dtype}];
    if (t.change == Change::added || t.change == Change::improved || t.change == Change::unchanged)
      continue;
    // The most severe comes first; what fails is no regression, and the suite `check` has it.
    if (t.change == Change::failed && test.message.empty()) {
      test = {TestState::skipped, "failed", "failed: see the suite check", t.note, 0};
      continue;
    }
    if (t.change == Change::failed || test.state == TestState::failure) continue;
    test.state = TestState::failure;
    test.type = name_of(t.change);
    test.message = t.change == Change::missing
                       ? fmt::format("no longer measured{}{}", t.note.empty() ? "" : ": ", t.note)
                       : moved_text(t);
    test.text =
        fmt::format("{}\nreplay: {}\n", test.message, run.commands().replay(t.named().case_text));
  }
  for (const std::string& remark : remarks_on(c))
    if (c.alike.tensors > 0 && !c.alike.compared && suite.cases.size() < 1000000)
      suite.cases[{"baseline", "the same cases", ""}] = {TestState::error, "incomplete", remark,
                                                         remark, 0};
  return suite;
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(without_controls(value).c_str());
}

void write_case(pugi::xml_node suite, const std::string& suite_name, const TestName& name,
                const TestCase& test) {
  const auto& [kernel, tensor, dtype] = name;
  pugi::xml_node node = suite.append_child("testcase");
  set(node, "name", dtype.empty() ? tensor : tensor + " " + dtype);
  set(node, "classname", fmt::format("gradproof.{}.{}", suite_name, kernel));
  set(node, "time", fmt::format("{:.3f}", test.seconds));
  if (test.state == TestState::passed) return;
  const char* element = test.state == TestState::skipped   ? "skipped"
                        : test.state == TestState::failure ? "failure"
                                                           : "error";
  pugi::xml_node said = node.append_child(element);
  set(said, "message", shortened(test.message, 1000));
  if (test.state != TestState::skipped) set(said, "type", test.type);
  said.text().set(without_controls(test.text).c_str());
}

void write_suite(pugi::xml_node root, const Suite& suite, int id) {
  const RunHeader& h = suite.run->header;
  pugi::xml_node node = root.append_child("testsuite");
  set(node, "name", suite.name);
  set(node, "package", "gradproof");
  set(node, "id", fmt::to_string(id));
  // The schema has no fractions of seconds and no time zone; ours is UTC.
  set(node, "timestamp", h.started.substr(0, 19));
  set(node, "hostname", h.host.empty() ? "localhost" : h.host);
  set(node, "tests", fmt::to_string(suite.cases.size()));
  set(node, "failures", fmt::to_string(suite.count(TestState::failure)));
  set(node, "errors", fmt::to_string(suite.count(TestState::error)));
  set(node, "skipped", fmt::to_string(suite.count(TestState::skipped)));
  set(node, "time", fmt::format("{:.3f}", suite.seconds()));
  pugi::xml_node properties = node.append_child("properties");
  for (const auto& [name, value] : facts_of(*suite.run)) {
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", name);
    set(property, "value", value);
  }
  for (const auto& [name, test] : suite.cases) write_case(node, suite.name, name, test);
  node.append_child("system-out").text().set(without_controls(suite.run->stored.note).c_str());
  node.append_child("system-err");
}

}  // namespace

std::string junit(const Report& report) {
  const std::vector<FailureGroup> groups = failure_groups(report);
  std::vector<Suite> suites;
  for (const ReportedRun* run : runs_of(report)) {
    suites.push_back(suite_of(*run));
    add_failures(suites.back(), groups);
    add_gaps(suites.back());
  }
  if (report.comparison) suites.push_back(comparison_suite(*report.comparison, *report.check));
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version").set_value("1.0");
  declaration.append_attribute("encoding").set_value("UTF-8");
  pugi::xml_node root = document.append_child("testsuites");
  for (std::size_t k = 0; k < suites.size(); ++k) write_suite(root, suites[k], static_cast<int>(k));
  std::ostringstream text;
  document.save(text, " ");
  return text.str();
}

}  // namespace gradproof
