// SPDX-License-Identifier: Apache-2.0
// Files that are cut, changed, full or not to be written.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "tests/faults/fault.h"
#include "tests/faults/fault_runs.h"

namespace gradproof {
namespace {

constexpr int kPlaces = 40;

/// Copies of the text, each with a bit flipped or cut at a seeded place; one in the first line and
/// one in the last are among them. The last line feed stays: without it nothing is missing.
std::vector<std::string> damaged(const std::string& text, bool cut) {
  std::mt19937_64 draws(kSeed);
  std::vector<std::string> all;
  const std::size_t last = text.size() - 1;
  for (int i = 0; i < kPlaces; ++i) {
    const std::size_t at = i == 0 ? 9 : i == 1 ? last - 9 : draws() % last;
    std::string one = text;
    if (cut)
      one.resize(at);
    else
      one[at] = static_cast<char>(one[at] ^ (1 << draws() % 8));
    all.push_back(std::move(one));
  }
  return all;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Runs `command` with every damaged text in the file's place: it must refuse the text or find what
/// it finds in the whole one, as where the last line of a run is torn.
Observed all_refused(const std::string& path, bool cut, const std::string& command,
                     const std::string& name) {
  const std::string whole = text_of(path);
  const Finished right = shell(command, name);
  const std::string result = timeless(last_line_of(right.out));
  std::set<int> codes;
  std::size_t accepted = right.code == 0 ? 0 : 1;  // the control
  for (const std::string& text : damaged(whole, cut)) {
    write_file(path, text);
    const Finished done = shell(command, name);
    codes.insert(done.code);
    accepted += done.code == 0 && timeless(last_line_of(done.out)) != result;
  }
  write_file(path, whole);
  return {accepted == 0 ? "told each time" : fmt::format("{} accepted", accepted),
          codes_text(codes), 0};
}

std::string six_cases() {
  return "sample 'sample seed=2' 'sample seed=3' plain 'plain rows=4' 'sample rows=9'";
}

Observed damaged_records(bool cut) {
  const std::string name = cut ? "records-cut" : "records-flipped";
  const std::string folder = scratch_directory("fault-" + name);
  const std::string check = "check " + six_cases() + " --records " + folder;
  with_fake(check, "fault-" + name + "-run");
  const std::string path = run_files(folder).at(0);
  Observed observed =
      all_refused(path, cut, front() + " report " + folder, "fault-" + name + "-report");
  if (!cut) return observed;
  for (const std::string& text : damaged(text_of(path), cut)) {
    const std::string own = scratch_directory("fault-" + name + "-resumed");
    write_file(own + path.substr(path.rfind('/')), text);
    const Finished resumed =
        with_fake("check " + six_cases() + " --resume --records " + own, "fault-resumed");
    // Cases whose Records stand whole in front of the cut are not judged again.
    const std::size_t whole = count_of(text, R"("part":[2,2],"crc":")");
    const std::string has_them = fmt::format(", which has {} of 6 cases", whole);
    observed.lost += whole > 1 && !has(resumed.err, has_them) &&
                     !has(resumed.err, fmt::format(", which has {} of 6 cases", whole - 1));
    observed.lost += resumed.code != 0 || lost_cases(own, {"sample", "plain rows=4"}) > 0;
  }
  return observed;
}

Observed damaged_plan(bool cut) {
  const std::string name = cut ? "plan-cut" : "plan-flipped";
  const std::string path = scratch_directory("fault-" + name) + "/plan.jsonl";
  const Finished plan = with_fake("plan " + six_cases(), "fault-" + name + "-made");
  write_file(path, plan.out);
  return all_refused(path, cut, front() + " check --plan " + path + " --worker " + fake_worker(),
                     "fault-" + name + "-check");
}

Observed damaged_baseline(bool cut) {
  const std::string name = cut ? "baseline-cut" : "baseline-flipped";
  const std::string folder = scratch_directory("fault-" + name);
  const std::string path = folder + "/b";
  with_fake("check " + six_cases() + " --records " + folder + "/r", "fault-" + name + "-run");
  shell(front() + " baseline update " + path + " --reason r --from " + folder + "/r",
        "fault-" + name + "-update");
  return all_refused(path, cut, front() + " report " + folder + "/r --against " + path,
                     "fault-" + name + "-report");
}

/// A limit on the size of files is a disk that is full for whoever writes them.
Observed disk_full(const std::string& setup, const std::string& records, const std::string& reason,
                   const std::string& name) {
  // The limit does not hold for what the program prints, which goes into a pipe.
  const Finished done = shell("( " + setup + " " + front() + " check " + six_cases() +
                                  " --verbose --workers 1 --records " + records + " --worker " +
                                  fake_worker() + "; echo code $? ) 2>&1 | cat",
                              name);
  const std::string last = last_line_of(done.out);
  const std::size_t printed = count_of(done.out, " d_x  max");
  const std::size_t kept = all_records(records).size() / 2;
  return {has(done.out, reason) ? reason : "not told", last.substr(5, last.find('\n') - 5),
          printed > kept ? printed - kept : 0};
}

}  // namespace

std::vector<Fault> file_faults() {
  std::vector<Fault> all{
      {"disk full", "files may have 4 KiB (ulimit -f), a check into records",
       [] {
         return disk_full("ulimit -f 8;", scratch_directory("fault-full"), "File too large",
                          "fault-full-run");
       }},
      {"read-only folder", "a check into records in /proc",
       [] { return disk_full("", "/proc", "cannot write", "fault-read-only"); }},
  };
  for (const bool cut : {true, false}) {
    const std::string how =
        fmt::format("{} at 40 random places, then ", cut ? "the file ends" : "a bit is flipped");
    const std::string word = cut ? "truncated" : "bit-flipped";
    all.push_back({word + " records", how + (cut ? "report and --resume" : "report"),
                   [cut] { return damaged_records(cut); }});
    all.push_back({word + " plan", how + "check --plan", [cut] { return damaged_plan(cut); }});
    all.push_back(
        {word + " baseline", how + "report --against", [cut] { return damaged_baseline(cut); }});
  }
  return all;
}

}  // namespace gradproof
