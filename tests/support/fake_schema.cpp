// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_schema.h"

namespace gradproof {
namespace {

const std::vector<std::string> kBehaviours{"pass",
                                           "fail",
                                           "mistrust",
                                           "broken",
                                           "differ",
                                           "skip",
                                           "usage",
                                           "instrument",
                                           "nothing",
                                           "crash",
                                           "exit",
                                           "hang",
                                           "garbage",
                                           "partial",
                                           "elsewhere",
                                           "kernel_crash",
                                           "slow",
                                           "meet",
                                           "work",
                                           "brief",
                                           "stuck",
                                           "killed",
                                           "killed_once",
                                           "terminated_once",
                                           "crash_once",
                                           "kernel_killed",
                                           "kernel_killed_once",
                                           "endless_line",
                                           "endless_records",
                                           "endless_lines",
                                           "half"};

}  // namespace

Schema fake_schema() {
  Schema schema;
  schema.word = "sample";
  schema.summary = "a kernel that is not there";
  schema.pipeline = "BatchNorm, Swish";
  schema.contract = "two-pass, made up";
  schema.keys = {
      {"rows", KeyType::integer, "5", {}, 0, INT64_MAX, "how many"},
      {"cols", KeyType::integer, "3", {}, 1, INT64_MAX, ""},
      {"dtype", KeyType::word, "f32", {"f32"}, 0, 0, ""},
      {"mode", KeyType::word, "train", {"train", "eval"}, 0, 0, ""},
      {"momentum", KeyType::real, "0.1", {"none"}, 0, 0, ""},
      {"behave", KeyType::word, "pass", kBehaviours, 0, 0, ""},
      {"mutant", KeyType::word, "none", {"none", "worse"}, 0, 0, ""},
      {"law", KeyType::word, "none", {"none", "sum"}, 0, 0, ""},
      {"seed", KeyType::integer, "0", {}, 0, INT64_MAX, ""},
  };
  schema.refusals = {{{{"mode", "=", "train"}, {"rows", "=", "1"}}, "rows=1 cannot train"},
                     {{{"behave", "=", "exit"}, {"rows", "=", "2"}}, "two rows cannot exit"},
                     {{{"behave", "=", "fail"}, {"rows", "=", "1"}}, "rows=1 cannot train"}};
  schema.size_keys = {"rows", "cols"};
  schema.bytes_per_element = 100;
  schema.tensors = {"y", "d_x"};
  return schema;
}

Schema plain_schema() {
  Schema schema;
  schema.word = "plain";
  schema.keys = {
      {"rows", KeyType::integer, "5", {}, 0, INT64_MAX, "how many"},
      {"cols", KeyType::integer, "3", {}, 1, INT64_MAX, ""},
      {"dtype", KeyType::word, "f32", {"f32", "f16"}, 0, 0, ""},
      {"seed", KeyType::integer, "0", {}, 0, INT64_MAX, ""},
  };
  schema.size_keys = {"rows", "cols"};
  schema.tensors = {"y", "d_x"};
  return schema;
}

}  // namespace gradproof
