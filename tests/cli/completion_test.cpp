// SPDX-License-Identifier: Apache-2.0
// Completion in a real bash and, where there is one, zsh; the manual page; the examples of --help.
#include <algorithm>

#include <gtest/gtest.h>
#include <wordexp.h>

#include "cli/front/options.h"
#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

/// The words that bash offers for the last of these words, one a line.
std::string offered(const std::string& words) {
  const std::string script =
      "PATH=" GRADPROOF_BIN_DIR ":$PATH; source <(gradproof completion bash); COMP_WORDS=(" +
      words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gradproof; printf '%s\\n' \"${COMPREPLY[@]}\"";
  return shell("cat >script <<'END'\n" + script + "\nEND\nbash script; rm script", "bash").out;
}

TEST(Completion, OfBashOffersVerbsOptionsAndWords) {
  EXPECT_EQ(offered("gradproof ex"), "explain\nexhaustive\n");
  EXPECT_EQ(offered("gradproof check --rec"), "--records\n");
  EXPECT_EQ(offered("gradproof check --suite pu"), "published\npush\n");
  EXPECT_EQ(offered("gradproof report --format m"), "markdown\n");
  EXPECT_EQ(offered("gradproof baseline u"), "update\n");
  EXPECT_EQ(offered("gradproof baseline update --fr"), "--from\n");
  EXPECT_EQ(offered("gradproof help aud"), "audit\n");
  EXPECT_EQ(offered("gradproof check --records " GRADPROOF_SOURCE_DIR "/cor"),
            GRADPROOF_SOURCE_DIR "/core\n");
  EXPECT_EQ(offered("gradproof chekc --rec"), "\n") << "the control";
}

TEST(Completion, OfZshIsAScriptThatZshReads) {
  const std::string file = scratch_directory("zsh") + "/_gradproof";
  ASSERT_EQ(shell(front() + " completion zsh >" + file, "zsh-write").code, 0);
  EXPECT_TRUE(text_of(file).starts_with("#compdef gradproof\n"));
  EXPECT_TRUE(has(text_of(file), "'--records[directory that takes the records, for report]:DIR:"));
  if (shell("command -v zsh", "zsh-there").code != 0) GTEST_SKIP() << "no zsh here";
  const Finished read = shell("zsh -f -n " + file, "zsh-read");
  EXPECT_EQ(read.code, 0) << read.err;
}

TEST(ManPage, HasEveryVerbAndNothingThatMandocWarnsOf) {
  const std::string page = shell(front() + " man", "man").out;
  EXPECT_TRUE(page.starts_with(".TH GRADPROOF 1 ")) << page.substr(0, 80);
  for (const std::string verb : {"check", "baseline update", "completion", "man"})
    EXPECT_TRUE(has(page, "\n.SS " + verb + "\n")) << verb;
  if (shell("command -v mandoc", "mandoc-there").code != 0) GTEST_SKIP() << "no mandoc here";
  const Finished lint = shell(front() + " man | mandoc -Tlint -Wwarning", "mandoc");
  EXPECT_EQ(lint.out + lint.err, "");
  const Finished control = shell("echo .XY | mandoc -Tlint -Wwarning", "mandoc-control");
  EXPECT_NE(control.out + control.err, "");
}

/// The command lines under "Example:" of every verb's help.
std::vector<std::string> examples() {
  std::vector<std::string> found;
  std::istringstream page(shell(front() + " man", "man-examples").out);
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == ".SH EXIT STATUS") break;
    if (line.starts_with(".SS ")) {
      const Finished help = shell(front() + " help " + line.substr(4), "example-help");
      const std::size_t at = help.out.find("\nExample:\n  ");
      EXPECT_NE(at, std::string::npos) << line;
      if (at != std::string::npos) found.push_back(help.out.substr(at + 12));
      inside = true;
    }
  }
  EXPECT_TRUE(inside);
  return found;
}

TEST(Help, ExamplesAreCommandLines) {
  EXPECT_GE(examples().size(), 18u);
  for (std::string example : examples()) {
    example.pop_back();
    wordexp_t words;
    ASSERT_EQ(wordexp(example.c_str(), &words, WRDE_NOCMD), 0) << example;
    try {
      parse_options(static_cast<int>(words.we_wordc), words.we_wordv);
    } catch (const HelpRequest& help) {
      EXPECT_FALSE(help.text.empty()) << example;
    }
    wordfree(&words);
  }
}

}  // namespace
}  // namespace gradproof
