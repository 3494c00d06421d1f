// SPDX-License-Identifier: Apache-2.0
// The contract's chains of additions against those that the kernels really have: their own source
// runs on a number that counts.
#include <gtest/gtest.h>

#include "kernels/counted/counted.h"
#include "kernels/harness/counted_run.h"

namespace gradproof {
namespace {

const Catalog& counted() {
  static const Catalog all = counted_catalog(catalog());
  return all;
}

/// A declaration is right when no chain is longer and one is as long.
bool is_right(const CountedReduction& r) {
  return r.declared > kAdditionsOfElement ? r.counted == r.declared
                                          : r.counted <= kAdditionsOfElement;
}

Case case_of(const Kernel& kernel, const std::string& keys) {
  return parse_case(kernel.schema->word + " dy=normal " + keys, {kernel.schema});
}

std::string with_rows(int rows) { return "rows=" + std::to_string(rows); }

/// The parameter that may have one number for all columns; empty: there is none.
std::string vector_of(const Kernel& kernel) {
  for (const char* name : {"bias", "scale", "multiply"})
    if (kernel.schema->has(name)) return name;
  return "";
}

/// Cases on both sides of every size where a column kernel's path changes.
std::vector<Case> in_columns(const Kernel& kernel) {
  std::vector<Case> all;
  const std::string shared = vector_of(kernel) + "=one";
  for (const int rows : {2,   3,   5,    8,    31,   32,   33,   64,   100,   128,  129,
                         257, 512, 1024, 1025, 1030, 1537, 2048, 4100, 16897, 20000}) {
    all.push_back(case_of(kernel, with_rows(rows) + " cols=4"));
    all.push_back(case_of(kernel, with_rows(rows) + " cols=5 " + shared));
    if (kernel.schema->has("mode"))
      all.push_back(case_of(kernel, with_rows(rows) + " cols=3 mode=eval"));
  }
  all.push_back(case_of(kernel, "rows=40 cols=300 " + shared));
  all.push_back(case_of(kernel, "rows=1200 cols=700 " + shared));
  return all;
}

/// One row of a group of every kind of width; a group of one channel in every kind of number of
/// rows; and a parameter of one number.
std::vector<Case> in_groups(const Kernel& kernel) {
  std::vector<Case> all;
  for (const int width : {1,  2,  3,  4,   5,   7,   8,    9,    12,   16,   17,   32,   33,  64,
                          65, 96, 99, 128, 255, 512, 1000, 1024, 1025, 1500, 2048, 2049, 5000})
    all.push_back(case_of(kernel, "rows=1 groups=3 cols=" + std::to_string(3 * width)));
  for (const int rows : {1,   2,   3,   4,   5,    8,    9,    33,   100,  127,  128,
                         129, 320, 639, 640, 1000, 2047, 2048, 2049, 4096, 9000, 20000})
    all.push_back(case_of(kernel, with_rows(rows) + " cols=2 groups=2"));
  const std::string vector = vector_of(kernel);
  if (vector.empty()) return all;
  for (const int cols : {2, 3, 255, 256, 257, 700, 2100})
    for (const int rows : {1, 9, 300})
      all.push_back(case_of(kernel, with_rows(rows) + " cols=" + std::to_string(cols) +
                                        " groups=1 " + vector + "=one"));
  return all;
}

std::vector<Case> cases_of(const Kernel& kernel) {
  return kernel.schema->has("groups") ? in_groups(kernel) : in_columns(kernel);
}

class KernelChain : public testing::TestWithParam<std::string> {
 protected:
  const Kernel& kernel() const { return counted().named(GetParam()); }
};

TEST_P(KernelChain, DeclaredIsTheKernelsOwn) {
  std::map<std::string, int> judged;
  for (const Case& c : cases_of(kernel()))
    for (const CountedReduction& r : count_reductions(kernel(), c)) {
      EXPECT_TRUE(is_right(r)) << to_string(c) << " " << r.name << " declared " << r.declared
                               << " counted " << r.counted;
      ++judged[r.name];
    }
  EXPECT_GT(judged["gradients"], 10);
  EXPECT_EQ(judged.contains("statistics"), GetParam().find("norm") != std::string::npos);
  EXPECT_EQ(judged.contains("shared"), !vector_of(kernel()).empty());
}

TEST_P(KernelChain, ControlAChainDeclaredOneShorterOrLongerIsCaught) {
  std::map<std::string, int> caught;
  for (const Case& c : cases_of(kernel()))
    for (const CountedReduction& r : count_reductions(kernel(), c)) {
      if (r.declared <= kAdditionsOfElement + 1) continue;
      EXPECT_FALSE(is_right({r.name, r.declared - 1, r.counted})) << to_string(c) << r.name;
      EXPECT_FALSE(is_right({r.name, r.declared + 1, r.counted})) << to_string(c) << r.name;
      ++caught[r.name];
    }
  EXPECT_GT(caught["gradients"], 10);
}

std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const Kernel& kernel : counted().kernels()) all.push_back(kernel.schema->word);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelChain, testing::ValuesIn(words()),
                         [](const auto& made) { return made.param; });

}  // namespace
}  // namespace gradproof
