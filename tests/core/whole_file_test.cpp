// SPDX-License-Identifier: Apache-2.0
#include "core/whole_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

std::string text_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::string& path, const std::string& text) {
  write_whole_file(path, [&](std::ostream& file) { file << text; });
}

std::ptrdiff_t files_in(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}

TEST(WholeFile, IsNewOrReplacesAndLeavesNoOther) {
  const std::string folder = scratch_directory("whole-file");
  write_text(folder + "/a", "first");
  EXPECT_EQ(text_at(folder + "/a"), "first");
  write_text(folder + "/a", "2");
  EXPECT_EQ(text_at(folder + "/a"), "2");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WholeFile, OfALinkIsTheFileThatItPointsTo) {
  const std::string folder = scratch_directory("whole-file-link");
  write_text(folder + "/a", "first");
  std::filesystem::create_symlink("a", folder + "/link");
  write_text(folder + "/link", "second");
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
  EXPECT_EQ(text_at(folder + "/a"), "second");
}

TEST(WholeFile, StaysWhereTheNewOneFailsHalfway) {
  const std::string folder = scratch_directory("whole-file-half");
  write_text(folder + "/a", "first");
  const auto half = [](std::ostream& file) {
    file << "sec";
    file.setstate(std::ios::badbit);
  };
  EXPECT_THROW(write_whole_file(folder + "/a", half), InstrumentError);
  EXPECT_EQ(text_at(folder + "/a"), "first");
  EXPECT_EQ(files_in(folder), 1);
  EXPECT_THROW(write_text(folder + "/none/a", "first"), InstrumentError);
}

// A rename would take the pipe's place, or that of /dev/null for every later program.
TEST(WholeFile, LeavesAPipeWhereItIs) {
  const std::string path = scratch_directory("whole-file-pipe") + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  write_text(path, "first");
  std::array<char, 8> bytes{};
  EXPECT_EQ(::read(reader, bytes.data(), bytes.size()), 5);
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(WholeFile, OfNoNameIsWrittenInPlace) {
  const MemoryFile file("first");
  write_text(file.path(), "2");
  EXPECT_EQ(text_at(file.path()), "2");
}

}  // namespace
}  // namespace gradproof
