// SPDX-License-Identifier: Apache-2.0
// A report in the forms that people and CI systems read.
#include "reports/formats/formats.h"

#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/baseline/acceptance.h"
#include "reports/formats/failures.h"
#include "reports/formats/source_place.h"
#include "reports/record/json.h"
#include "tests/support/audit/sample.h"
#include "tests/support/report_made.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

Record crash() {
  Record r = sample_pass();
  r.case_text = "swish rows=3";
  r.kernel = "swish";
  r.tensor = kExecution;
  r.figures = Discrepancy();
  r.verdict = {Outcome::crashed, "SIGSEGV <&> \x01\xff"};
  return r;
}

/// One of each: a failure that an audit explains, a crash, a pass, a regression.
Report sample_report() {
  Record before = sample_pass();
  before.tensor = "y";
  Record worse = before;
  worse.digest = "other";
  worse.discrepancy().max_ratio = 0.99;
  worse.discrepancy().rms_ratio = 0.75;
  Report report = report_of({sample_failure(), worse, crash()});
  Record audited = record_of(wrong_row());
  audited.case_text = sample_failure().case_text;
  audited.verdict.reason = "kernel: term missing: mean(g)";
  report.audit = reported({audited}, Measured::differences);
  report.comparison =
      compare(report.check->stored.records, make_baseline({before}, nullptr, {}), "some.baseline");
  report.source = "source/kernels/{kernel}.cu";
  return report;
}

TEST(Formats, NamesAreReadAndRefused) {
  EXPECT_EQ(parse_formats("html,junit"), (std::vector{ReportFormat::html, ReportFormat::junit}));
  for (const char* bad : {"", "pdf", "html,", "html,html", "html junit"})
    EXPECT_THROW(parse_formats(bad), UsageError) << bad;
}

TEST(Markdown, SaysWhatFailedWithItsDiagnosisFirst) {
  const std::string text = markdown(sample_report());
  EXPECT_TRUE(text.starts_with("# gradproof: FAILED\n\n2 of 3 tensors are wrong, in 2 kernels; "))
      << text.substr(0, 200);
  EXPECT_TRUE(has(text, "| swish | Crashed | f32 | execution: SIGSEGV "));
  EXPECT_TRUE(
      has(text,
          "| batchnorm_bias_divide_swish | Failed | f32 | d_x: 64 of 2112 elements over the "
          "bound, up to 9.5 times | kernel: term missing: mean(g) |"));
  EXPECT_LT(text.find("| swish |"), text.find("| batchnorm_bias_divide_swish | Failed |"))
      << "a crash is the more severe";
  EXPECT_TRUE(has(text, "all in column 32"));
  EXPECT_TRUE(
      has(text, "| regressed | batchnorm_bias_divide_swish | f32 | y | rms | 0.12 | 0.75 |"));
  // The control: of a pass alone nothing of this is said.
  const std::string good = markdown(report_of({sample_pass()}));
  EXPECT_TRUE(good.starts_with("# gradproof: PASSED\n\n1 tensors of 1 kernel. 1 of 1 comb"))
      << good;
  for (const char* part : {"What is wrong", "Against", "Not proved"}) EXPECT_FALSE(has(good, part));
}

TEST(Markdown, FitsACommentWhateverThereIs) {
  std::vector<Record> records;
  for (int k = 0; k < 300; ++k) {
    records.push_back(sample_failure());
    records.back().case_text += fmt::format(" set={}", std::string(1000, 'x'));
    records.back().kernel = fmt::format("kernel{}", k);
  }
  const std::string text = markdown(report_of(records));
  EXPECT_LT(text.size(), 65536u);
  EXPECT_TRUE(has(text, "For want of room left out: ")) << text.substr(text.size() - 300);
}

TEST(Github, AnnotatesWithFileAndEscapes) {
  const std::string text = github_commands(sample_report());
  EXPECT_TRUE(has(text,
                  "::error file=source/kernels/batchnorm_bias_divide_swish.cu,title=Failed "
                  "batchnorm_bias_divide_swish%3A d_x::d_x: 64 of 2112 elements over the bound"))
      << text;
  EXPECT_TRUE(has(text, "%0Adiagnosis: kernel: term missing: mean(g)")) << text;
  EXPECT_TRUE(has(text, "::notice title=gradproof FAILED::")) << text;
  for (const std::string& line : {text}) EXPECT_EQ(std::count(line.begin(), line.end(), '\x01'), 0);
  std::vector<Record> many;
  for (int k = 0; k < 30; ++k) {
    many.push_back(sample_failure());
    many.back().kernel = fmt::format("kernel{}", k);
  }
  const std::string short_text = github_commands(report_of(many));
  EXPECT_EQ(std::count(short_text.begin(), short_text.end(), '\n'), 11) << "GitHub shows ten";
  EXPECT_TRUE(has(short_text, "and 21 more"));
}

TEST(Github, RegressionsAreWarnings) {
  const std::string text = github_commands(sample_report());
  const std::string file = "file=source/kernels/batchnorm_bias_divide_swish.cu,title=regressed ";
  EXPECT_TRUE(has(text, "::warning " + file)) << text;
  EXPECT_FALSE(has(text, "::error " + file)) << text;
  Report failed = sample_report();  // the control: a failure is no warning
  failed.comparison.reset();
  EXPECT_FALSE(has(github_commands(failed), "::warning "));
}

TEST(Github, PointsToTheKernelInItsSource) {
  const std::string folder = scratch_directory("annotated");
  write_text(folder + "/swish.cu",
             "// swish\n#include \"swish.h\"\n__global__ void swish_forward() {}\nDefinition "
             "swish() {\n");
  Report report = sample_report();
  report.source = folder + "/{kernel}.cu";
  const std::string text = github_commands(report);
  EXPECT_TRUE(has(text, "/swish.cu,line=4,title=Crashed swish")) << text;
  EXPECT_TRUE(has(text, "/batchnorm_bias_divide_swish.cu,title=Failed ")) << "a file that is none";
  EXPECT_EQ(line_of_word("\nvoid swish_forward();\n", "swish"), 2);
  EXPECT_EQ(line_of_word("// swish\n", "swish"), 0) << "the control: a comment defines nothing";
}

TEST(PlainText, BeginsWithWhatIsWrong) {
  const std::string text = plain_text(sample_report());
  EXPECT_TRUE(text.starts_with("FAILED  2 of 3 tensors are wrong, in 2 kernels; ")) << text;
  const std::size_t table = text.find("\n  tensor  cases  passed");
  ASSERT_NE(table, std::string::npos) << text;
  for (const char* part : {"\nFAILED  batchnorm", "\nCRASHED  swish", "\nregressed  f32    y  "})
    EXPECT_LT(text.find(part), table) << part << " of " << text;
  EXPECT_GT(text.find("\nRESULT "), table);
  EXPECT_TRUE(has(text, "near the bound\n  batchnorm_bias_divide_swish op=backward ")) << text;
  const std::string good = plain_text(report_of({sample_pass()}));  // the control
  EXPECT_TRUE(good.starts_with("PASSED  1 tensors of 1 kernel\n")) << good;
  EXPECT_TRUE(has(good, "\ntrusted    1 of 1 combinations of kernel, type, mode and tensor"))
      << good;
}

TEST(Sarif, HasWhatTheFormatAsksFor) {
  const Json json = parse_json(sarif(sample_report()), "sarif");
  EXPECT_EQ(json.at("version"), "2.1.0");
  const Json& run = json.at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "gradproof");
  std::vector<std::string> rules;
  for (const Json& rule : run.at("tool").at("driver").at("rules")) rules.push_back(rule.at("id"));
  ASSERT_FALSE(run.at("results").empty());
  for (const Json& result : run.at("results")) {
    EXPECT_EQ(std::count(rules.begin(), rules.end(), result.at("ruleId")), 1) << dump(result);
    EXPECT_TRUE(result.at("message").at("text").is_string());
    EXPECT_EQ(result.at("partialFingerprints").at("caseAndTensor/v1").get<std::string>().size(),
              16u);
  }
  EXPECT_EQ(run.at("results")
                .at(0)
                .at("locations")
                .at(0)
                .at("physicalLocation")
                .at("artifactLocation")
                .at("uri"),
            "source/kernels/swish.cu");
}

TEST(JsonReport, HasEverything) {
  const Json json = parse_json(json_report(sample_report()), "report");
  EXPECT_EQ(json.at("verdict"), "FAILED");
  EXPECT_EQ(json.at("code"), 1);
  ASSERT_EQ(json.at("failures").size(), 3u) << "two of check, one of audit";
  EXPECT_EQ(json.at("failures").at(0).at("verdict"), "Crashed");
  EXPECT_EQ(json.at("comparison").at("counts").at("regressed"), 1);
  EXPECT_EQ(json.at("comparison").at("counts").at("failed"), 2);
  ASSERT_FALSE(json.at("cells").empty());
  EXPECT_EQ(json.at("cells").at(0).at("tensor"), "d_x");
}

TEST(Junit, HasATestCaseForEachTensorAndDtype) {
  const std::string text = junit(sample_report());
  EXPECT_TRUE(has(text,
                  "<testsuite name=\"check\" package=\"gradproof\" id=\"0\" "
                  "timestamp=\"2026-01-02T03:04:05\" hostname=\"here\" tests=\"3\" "
                  "failures=\"1\" errors=\"1\" skipped=\"0\""))
      << text.substr(0, 600);
  EXPECT_TRUE(has(text,
                  "<testcase name=\"d_x f32\" classname=\"gradproof.check."
                  "batchnorm_bias_divide_swish\""));
  EXPECT_TRUE(has(text, "<error message=\"1 of 1 tensor is wrong\" type=\"Crashed\">"));
  EXPECT_TRUE(has(text, "diagnosis: kernel: term missing: mean(g)"));
  EXPECT_TRUE(has(text, "classname=\"gradproof.regression.batchnorm_bias_divide_swish\""));
  EXPECT_EQ(text.find('\x01'), std::string::npos) << "XML cannot hold it";
}

/// Exit code of xmllint; -1 where there is none.
int xmllint(const std::string& file) {
  if (std::system("command -v xmllint >/dev/null") != 0) return -1;
  const std::string command = "xmllint --noout --schema " GRADPROOF_SOURCE_DIR
                              "/tests/reports/junit/junit.xsd " +
                              file + " 2>/dev/null";
  return std::system(command.c_str());
}

TEST(Junit, IsValid) {
  const std::string folder = scratch_directory("junit");
  const std::string text = junit(sample_report());
  write_text(folder + "/junit.xml", text);
  std::string broken = text;
  broken.replace(broken.find(" hostname="), 10, " host_name=");
  write_text(folder + "/broken.xml", broken);
  const int valid = xmllint(folder + "/junit.xml");
  if (valid < 0) GTEST_SKIP() << "no xmllint (libxml2-utils): the schema was not asked";
  EXPECT_EQ(valid, 0) << text;
  EXPECT_NE(xmllint(folder + "/broken.xml"), 0) << "the control";
}

}  // namespace
}  // namespace gradproof
