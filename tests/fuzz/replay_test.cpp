// SPDX-License-Identifier: Apache-2.0
// Every file of tests/fuzz/corpus goes once through its reader, without libFuzzer.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/fuzz/kept.h"
#include "tests/fuzz/targets.h"

namespace gradproof {
namespace {

std::filesystem::path corpus() {
  return std::filesystem::path(GRADPROOF_SOURCE_DIR) / "tests/fuzz/corpus";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Fuzz : public testing::TestWithParam<FuzzTarget> {};

TEST_P(Fuzz, CorpusKeepsThePromise) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus() / GetParam().name)) {
    ++files;
    EXPECT_NO_THROW(GetParam().run(bytes_of(entry.path()))) << entry.path();
  }
  EXPECT_GT(files, 0);
}

// No corpus should be needed for the texts of one byte and the empty one.
TEST_P(Fuzz, ShortTextsKeepThePromise) {
  EXPECT_NO_THROW(GetParam().run(""));
  for (int byte = 0; byte < 256; ++byte)
    EXPECT_NO_THROW(GetParam().run(std::string(1, static_cast<char>(byte)))) << byte;
}

INSTANTIATE_TEST_SUITE_P(Readers, Fuzz, testing::ValuesIn(fuzz_targets()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(FuzzCorpus, EveryFolderHasItsReader) {
  for (const auto& folder : std::filesystem::directory_iterator(corpus())) {
    const auto named = [&](const FuzzTarget& t) { return t.name == folder.path().filename(); };
    const auto& all = fuzz_targets();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), named)) << folder.path();
  }
}

// The controls are readers that the law must convict.
TEST(FuzzLaw, AnUndocumentedErrorPasses) {
  const auto read = [](const std::string&) -> int { throw std::out_of_range("undocumented"); };
  const auto write = [](int value) { return std::to_string(value); };
  EXPECT_THROW(require_inverse<UsageError>("7", read, write), std::out_of_range);
}

TEST(FuzzLaw, ATextThatReadsBackToAnotherValueIsFound) {
  const auto read = [](const std::string& text) { return std::stoi(text) + 1; };
  const auto write = [](int value) { return std::to_string(value); };
  EXPECT_THROW(require_inverse<UsageError>("7", read, write), BrokenLaw);
}

TEST(FuzzLaw, ATextOfAValueThatIsRefusedIsFound) {
  const auto read = [](const std::string& text) -> int {
    if (text == "8") throw UsageError("8");
    return std::stoi(text) + 1;
  };
  const auto write = [](int value) { return std::to_string(value); };
  EXPECT_THROW(require_inverse<UsageError>("7", read, write), BrokenLaw);
  EXPECT_NO_THROW(require_inverse<UsageError>("8", read, write));
}

TEST(FuzzLaw, ANumberThatIsReadAsAnotherIsFound) {
  const auto read = [](const std::string& text) { return Json::parse(text)[0].get<std::int8_t>(); };
  const auto write = [](std::int8_t value) { return "[" + std::to_string(value) + "]"; };
  EXPECT_THROW(require_kept("[257]", read, write), BrokenLaw);
  EXPECT_NO_THROW(require_kept("[1]", read, write));
}

}  // namespace
}  // namespace gradproof
