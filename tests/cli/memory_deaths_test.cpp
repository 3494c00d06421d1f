// SPDX-License-Identifier: Apache-2.0
#include "cli/process/memory_deaths.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace gradproof {
namespace {

TEST(MemoryDeaths, FilesAreThoseOfTheGroupThatAccountsMemory) {
  const MemoryGroup second = memory_group("0::/user.slice/a\n", "/c");
  EXPECT_EQ(second.deaths_file, "/c/user.slice/a/memory.events");
  EXPECT_EQ(second.limit_file, "/c/user.slice/a/memory.max");
  EXPECT_EQ(memory_group("0::/\n", "/c").deaths_file, "/c/memory.events");
  const MemoryGroup first = memory_group("5:cpu,memory:/job\n1:cpu:/other\n0::/\n", "/c");
  EXPECT_EQ(first.deaths_file, "/c/memory/job/memory.oom_control");
  EXPECT_EQ(first.limit_file, "/c/memory/job/memory.limit_in_bytes");
  EXPECT_EQ(memory_group("", "/c").deaths_file, "");
  EXPECT_EQ(memory_group("no colon\n", "/c").deaths_file, "");
}

TEST(MemoryDeaths, OnlyThoseSinceTheBeginningCount) {
  const std::string folder = scratch_directory("memory-deaths");
  const MemoryGroup group{folder + "/events", folder + "/max"};
  const auto counted = [&](int deaths, const std::string& limit) {
    std::ofstream(group.deaths_file) << "low 0\noom 9\noom_kill " << deaths << "\n";
    std::ofstream(group.limit_file) << limit << "\n";
  };
  constexpr pid_t kNobody = 0;
  counted(4, "536870912");
  const MemoryDeaths deaths(group);
  EXPECT_EQ(deaths.evidence(kNobody), "nothing says that it was memory") << "the control";
  counted(5, "536870912");
  EXPECT_EQ(deaths.evidence(kNobody),
            "its control group ended a process for memory; limit 0.5 GiB");
  counted(7, "max");
  EXPECT_EQ(deaths.evidence(kNobody), "its control group ended processes for memory");
}

TEST(MemoryDeaths, AGroupThatCannotBeReadSaysNothing) {
  EXPECT_EQ(MemoryDeaths({"/no/such/file", "/no/such/file"}).evidence(0),
            "nothing says that it was memory");
}

}  // namespace
}  // namespace gradproof
