// SPDX-License-Identifier: Apache-2.0
// Bad input: one line on standard error that names key, text and choices; nothing runs; exit 2.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

struct BadInput {
  std::string name;
  std::string arguments;
  std::vector<std::string> named;  ///< all of these stand in the message
};

void PrintTo(const BadInput& bad, std::ostream* stream) { *stream << bad.arguments; }

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsOneLineAndExitCode2) {
  const Finished done = gradproof_with_fake(GetParam().arguments, "bad-" + GetParam().name);
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  for (const std::string& part : GetParam().named) EXPECT_TRUE(has(done.err, part)) << done.err;
}

const BadInput kBadInputs[] = {
    {"kernel", "check 'sampl rows=3'", {"unknown kernel 'sampl'", "known: sample"}},
    {"key", "check 'sample row=3'", {"unknown key 'row'", "'sample row=3'", "known: rows cols"}},
    {"value", "check 'sample mode=test'", {"'test'", "'mode'", "train eval"}},
    {"number", "check 'sample rows=many'", {"'many'", "'rows'", "a whole number from 0"}},
    {"range", "check 'sample cols=0'", {"'0'", "'cols'", "a whole number from 1"}},
    {"no_equals", "check 'sample rows'", {"'rows'", "no key=value"}},
    {"twice", "check 'sample rows=3 rows=4'", {"'rows'", "twice"}},
    {"combination", "check 'sample rows=1'", {"rows=1 cannot train"}},
    {"second_case", "check sample 'sample rows=1'", {"rows=1 cannot train"}},
    {"empty_case", "check ' '", {"empty case"}},
    {"huge", "check 'sample rows=100000000 cols=10000000'", {"rows=100000000", "GiB", "--memory"}},
    {"mutant", "check sample --with mutant=wurse", {"'wurse'", "'mutant'", "none worse"}},
    {"change_of_unknown_key", "check sample --with row=3", {"'row'", "--with row=3", "rows"}},
    {"change_without_value", "check sample --with rows", {"'rows'", "--with", "key=value"}},
    {"no_case", "check", {"no case", "--cases FILE"}},
    {"two_places", "check sample --suite push", {"two places"}},
    {"two_verbs", "check replay sample", {"two verbs", "'check' and 'replay'"}},
    {"suite", "check --suite pull", {"unknown suite 'pull'"}},
    {"suite_path", "check --suite ../push", {"unknown suite '../push'"}},
    {"no_file", "check --cases /nonexistent.cases", {"/nonexistent.cases", "No such file"}},
    {"directory", "check --cases /tmp", {"'/tmp'", "Is a directory"}},
    {"option", "check sample --fast", {"unknown option '--fast'", "check --help"}},
    {"option_near", "check sample --recods=x", {"'--recods'", "did you mean '--records'?"}},
    {"swapped_letters", "chekc sample", {"did you mean 'check'?"}},
    {"kernel_near", "check smaple", {"did you mean 'sample'?"}},
    {"key_near", "check 'sample row=3'", {"did you mean 'rows'?"}},
    {"word_near", "check 'sample mode=trian'", {"did you mean 'train'?"}},
    {"choice_near", "calibrate tihgt", {"'tihgt' is none of", "did you mean 'tight'?"}},
    {"suite_near", "check --suite puhs", {"did you mean 'push'?"}},
    {"no_quotes", "check sample rows=3", {"in quotes: gradproof check 'sample rows=3'"}},
    {"no_quotes_behind_a_graph",
     "check --pipeline 'y=relu(x)' rows=3 cols=4",
     {"in quotes: gradproof check 'rows=3 cols=4'"}},
    {"no_stage", "check --pipeline 'y=gelo(x)' rows=3", {"unknown stage 'gelo'", "'gelu'?"}},
    {"no_axis", "check --pipeline 'y=mean(x,c)' rows=3", {"'c' of mean is no axis of 'x'"}},
    {"no_quotes_replay", "replay sample rows=3 cols=2", {"replay 'sample rows=3 cols=2'"}},
    {"no_quotes_explain", "explain sample rows=3", {"explain 'sample rows=3'"}},
    {"no_quotes_many", "explain sample rows=3 cols=2", {"'sample rows=3 cols=2'"}},
    {"too_many", "list sample sample", {"'sample' is one argument too many", "list chains"}},
    {"no_claim_with_that",
     "list claims rope ropes",
     {"no claim has 'ropes' in its name", "did you mean 'rope'?"}},
    {"no_stage_with_that",
     "list stages softmaxx",
     {"no stage has 'softmaxx'", "did you mean 'softmax'?"}},
    {"quiet_and_verbose", "check sample --quiet --verbose", {"--quiet", "--verbose"}},
    {"escape", "check \"$(printf 'sam\\033[2Jple')\"", {"sam\\x1b[2Jple"}},
    {"line_feed", "check sample --with \"$(printf 'mode=a\\n::error::b')\"", {"a\\n::error"}},
    {"byte_order_mark", "check \"$(printf '\\357\\273\\277sample')\"", {"'\\u{feff}sample'"}},
    {"deadline", "check sample --deadline -1", {"--deadline"}},
    {"deadline_word", "check sample --deadline soon", {"--deadline", "soon"}},
    {"deadline_nan", "check sample --deadline nan", {"--deadline", "'nan'"}},
    {"memory_nan", "check sample --memory nan", {"--memory", "'nan'"}},
    {"no_memory", "check sample --memory 1e-9", {"rows=5 cols=3", "GiB"}},
    {"verb", "chek sample", {"unknown verb 'chek'", "known: check", "did you mean 'check'?"}},
    {"replay_two", "replay sample 'sample rows=3'", {"one case"}},
    {"replay_none", "replay", {"CASE"}},
    {"list_kernel", "list sampl", {"unknown kernel 'sampl'", "known: sample"}},
    {"bench", "bench gpu", {"gpu", "executor", "kernels"}},
    {"audit", "audit 'sample rows=x'", {"'x'", "'rows'"}},
    {"audit_none", "audit", {"no case", "--suite NAME", "--plan FILE", "--all"}},
    {"plan_none", "plan", {"no case", "--suite NAME\n"}},
    {"plan_absent", "check --plan /nonexistent", {"/nonexistent", "No such file"}},
    {"plan_and_case", "check sample --plan p", {"two places"}},
    {"plan_and_with", "check --plan p --with seed=1", {"--with excludes --plan"}},
    {"plan_kind", "plan sample --kind bench", {"--kind", "bench"}},
    {"shard_alone", "check sample --shard 1/2", {"--shard requires --plan"}},
    {"shard_from_zero", "check --plan p --shard 0/4", {"'0/4' is no shard", "the last 4/4"}},
    {"shard_too_far", "check --plan p --shard 5/4", {"'5/4' is no shard"}},
    {"shard_words", "check --plan p --shard four", {"'four' is no shard"}},
    {"resume_nothing", "check sample --resume", {"--resume requires --records"}},
    {"audit_all_and_case", "audit sample --all", {"two places", "--all"}},
    {"audit_entries", "audit sample --entries sample:0", {"--entries", "'sample:0'", "'all'"}},
    {"audit_entries_word", "audit sample --entries some", {"--entries", "'some'", "sample:N"}},
    {"audit_entries_more", "audit sample --entries sample:3x", {"'sample:3x'", "whole number"}},
    {"audit_entries_huge", "audit sample --entries sample:9999999999999999999", {"--entries"}},
    {"audit_digits", "audit sample --digits 25", {"--digits", "25", "20 33"}},
    {"audit_column_text", "audit sample --column x", {"--column", "'x'", "x[3,7]"}},
    {"audit_column_cases", "audit --all --column 'x[0,0]'", {"--column x[0,0]", "one case"}},
    {"audit_records", "audit sample --records /proc/nonexistent", {"/proc/nonexistent"}},
    {"audit_with", "audit --all --with row=3", {"'row'", "--with row=3"}},
    {"explain", "explain 'sample row=3'", {"unknown key 'row'"}},
    {"explain_none", "explain", {"CASE"}},
    {"calibrate", "calibrate luck", {"luck", "fair", "tight", "power", "audit"}},
    {"calibrate_cases", "calibrate fair --cases 0", {"--cases"}},
    {"calibrate_sizes", "calibrate sizes --sizes 64,many", {"--sizes", "many"}},
    {"calibrate_sizes_zero", "calibrate sizes --sizes 64,0", {"--sizes", "0"}},
    {"exhaustive", "exhaustive --dtype f8", {"--dtype", "f8", "bf16"}},
    {"records", "check sample --records /proc/nonexistent", {"/proc/nonexistent"}},
};

std::string name_of(const testing::TestParamInfo<BadInput>& bad) { return bad.param.name; }

INSTANTIATE_TEST_SUITE_P(Front, BadInputTest, testing::ValuesIn(kBadInputs), name_of);

/// A case file with this text, checked.
Finished check_file(const std::string& text, const std::string& name) {
  const std::string path = scratch_directory("file-" + name) + "/some.cases";
  std::ofstream(path) << text;
  return gradproof_with_fake("check --cases " + path, "file-run-" + name);
}

TEST(CaseFile, BadLineIsNamedWithItsPlace) {
  const Finished done = check_file("# comment\n\nsample rows=3\nsample row=3\n", "bad-line");
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_TRUE(has(done.err, "some.cases:4: unknown key 'row'")) << done.err;
}

TEST(CaseFile, WithoutACaseIsRefused) {
  const Finished done = check_file("# nothing but a comment\n\n", "empty");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "no case in ")) << done.err;
}

TEST(CaseFile, WhatNoEditorShowsIsNamed) {
  const Finished mark = check_file("\xEF\xBB\xBFsample\n", "mark");
  EXPECT_TRUE(has(mark.err, "some.cases:1: the file starts with a byte order mark")) << mark.err;
  const Finished nul = check_file("sample\nsample mode=a" + std::string(1, '\0') + "b\n", "nul");
  EXPECT_TRUE(has(nul.err, "some.cases:2: byte 14 is NUL")) << nul.err;
  const Finished large = check_file(std::string(1 << 20, 'x') + "\n", "large");
  EXPECT_LT(large.err.size(), 1'100u);
  EXPECT_TRUE(has(large.err, "more bytes)")) << large.err.substr(0, 200);
  const Finished tab = check_file("sample\tmode=a\xC3\xBC\n", "tab");
  EXPECT_TRUE(has(tab.err, "bad value 'a\xC3\xBC'")) << tab.err;
}

// The control: the good lines of the same file run.
TEST(CaseFile, CommentsBlanksAndCarriageReturnsAreSkipped) {
  const Finished done = check_file("# comment\n\n  sample rows=3\r\nsample seed=2\n", "good");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "RESULT passed=4 "));
}

TEST(Report, NeedsItsFilesAndItsReason) {
  const std::string folder = scratch_directory("usage-report");
  EXPECT_EQ(shell(front() + " report " + folder, "report-none").code, 2);
  EXPECT_EQ(shell(front() + " report " + folder + " --format pdf", "report-format").code, 2);
  const std::string update = front() + " baseline update " + folder + "/b --from " + folder;
  const Finished without = shell(update, "baseline-none");
  EXPECT_EQ(without.code, 2);
  EXPECT_TRUE(has(without.err, "--reason")) << without.err;
  EXPECT_EQ(shell(update + " --reason ' '", "baseline-blank").code, 2);
  EXPECT_EQ(shell(front(), "no-verb").code, 2);
  EXPECT_TRUE(has(shell(front() + " report check", "report-check").err, "no run in 'check'"));
}

TEST(Help, IsNoError) {
  const Finished done = shell(front() + " check --help", "help");
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(has(done.out, "Usage: gradproof check [OPTIONS] [CASE...]")) << done.out;
  EXPECT_TRUE(has(done.out, "--deadline SECONDS"));
  EXPECT_TRUE(has(done.out, "(default: 120)"));
  EXPECT_TRUE(has(done.out, "\nExample:\n  gradproof check "));
  EXPECT_EQ(shell(front() + " help check", "help-verb").out, done.out);
  const std::string update = shell(front() + " help baseline update", "help-nested").out;
  EXPECT_TRUE(has(update, "Usage: gradproof baseline update ")) << update;
  EXPECT_EQ(shell(front() + " help", "help-all").out, shell(front() + " --help", "help-flag").out);
  EXPECT_EQ(shell(front() + " help chekc", "help-unknown").code, 2);
  const Finished version = shell(front() + " --version", "version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(shell(front() + " -V", "version-short").out, version.out);
}

// gradproof-worker has no mutants; the lab, which has, may not have been built.
TEST(Usage, AMutantWithoutTheLabSaysWhereMutantsAre) {
  const std::string folder = scratch_directory("usage-lab");
  std::filesystem::copy_file(front(), folder + "/gradproof");
  std::filesystem::create_symlink(fake_worker(), folder + "/gradproof-worker");
  const std::string check = folder + "/gradproof check ";
  for (const std::string how : {"'sample mutant=missing'", "sample --with mutant=missing"}) {
    const Finished done = shell(check + how, "lab-mutant");
    EXPECT_EQ(done.code, 2);
    EXPECT_TRUE(has(done.err,
                    "bad value 'missing' for key 'mutant'; known: none worse; mutants are in "
                    "gradproof-lab, which is not built: cmake --build --preset cpu --target "
                    "gradproof-lab\n"))
        << done.err;
  }
  EXPECT_FALSE(has(shell(check + "'sample row=3'", "lab-key").err, "lab")) << "the control";
  const Finished known = shell(check + "'sample mutant=worse rows=1'", "lab-known");
  EXPECT_EQ(known.err, "gradproof: rows=1 cannot train in 'sample mutant=worse rows=1'\n");
}

}  // namespace
}  // namespace gradproof
