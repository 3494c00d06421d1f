// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/progress.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "cli/front/terminal/paint.h"
#include "core/printable.h"

namespace gradproof {
namespace {

TEST(ProgressText, HasCountsRateAndTimeLeft) {
  WorkDone done{.cases = 0, .of_cases = 200, .of_cost = 1000};
  EXPECT_EQ(progress_text(done, 3), "0/200 cases") << "no rate before the first Case";
  done.cases = 50;
  done.cost = 250;
  EXPECT_EQ(progress_text(done, 10), "50/200 cases, 5 a second, 30 s left");
  done.cost = 10;
  EXPECT_EQ(progress_text(done, 2), "50/200 cases, 25 a second, 3 min 18 s left") << "by cost";
  EXPECT_EQ(progress_text(done, 200), "50/200 cases, 0.25 a second, 5 h 30 min left");
  done.wrong = 2;
  EXPECT_EQ(progress_text(done, 2), "50/200 cases, 25 a second, 3 min 18 s left, 2 wrong");
}

/// The text that a Progress writes until it has drawn at least once.
std::string drawn(ProgressStyle style) {
  std::FILE* const file = std::tmpfile();
  {
    Progress progress(style, {.of_cases = 7, .of_cost = 7}, file, std::chrono::milliseconds(1));
    progress.done(1, true);
    progress.tell("FAILED  k y");
    const long told = std::ftell(file);
    while (style != ProgressStyle::hidden && std::ftell(file) < told + 40)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(Progress, IsPlainLinesInAPipeAndOneLineOnATerminal) {
  const std::string lines = drawn(ProgressStyle::lines);
  EXPECT_NE(lines.find("progress  1/7 cases, "), std::string::npos) << lines;
  EXPECT_EQ(lines.find('\x1b'), std::string::npos);
  EXPECT_EQ(lines.back(), '\n');
  const std::string line = drawn(ProgressStyle::line);
  EXPECT_NE(line.find("1/7 cases, "), std::string::npos) << printable(line);
  EXPECT_TRUE(line.ends_with("\r\x1b[K")) << "the last is wiped: " << printable(line);
  for (const std::string& text : {lines, line})
    EXPECT_NE(text.find("FAILED  k y\n"), std::string::npos) << printable(text);
  EXPECT_EQ(drawn(ProgressStyle::hidden), "");
}

TEST(Paint, ColoursTheVerdictThatALineStartsWith) {
  EXPECT_EQ(painted("FAILED  k y"), "\x1b[1;31mFAILED\x1b[0m  k y");
  EXPECT_EQ(painted("  certified x"), "  \x1b[32mcertified\x1b[0m x");
  EXPECT_EQ(painted("incomplete: k"), "\x1b[33mincomplete\x1b[0m: k");
  EXPECT_EQ(painted("k  8 of 24 WRONG  3 ok  12"),
            "k  \x1b[1;31m8 of 24 WRONG\x1b[0m  \x1b[32m3 ok\x1b[0m  12");
  for (const char* plain :
       {"k  8 of 24 WRONGS  12", "", "RESULT passed=1", "FAILEDX", "  replay: gradproof", "okay"})
    EXPECT_EQ(painted(plain), plain);
}

TEST(Printable, WritesOutWhatATerminalWouldObey) {
  EXPECT_EQ(printable("plain \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\t"),
            "plain \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\t");
  EXPECT_EQ(printable(std::string_view("\0\n\r\x1b[31m\x7f", 9)), "\\x00\\n\\x0d\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xEF\xBB\xBF \xE2\x80\xAE \xC2\x9B"), "\\u{feff} \\u{202e} \\u{9b}");
  EXPECT_EQ(printable("\xFF \xC3 \xC0\x80 \xED\xA0\x80"), "\\xff \\xc3 \\xc0\\x80 \\xed\\xa0\\x80")
      << "no UTF-8";
  EXPECT_EQ(printable(printable("\x1b")), printable("\x1b"));
}

}  // namespace
}  // namespace gradproof
