// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

namespace gradproof {

/// A reader of text and its promise about every text.
struct FuzzTarget {
  std::string_view name;  ///< of its folder in tests/fuzz/corpus too
  /// Returns where the promise holds. Throws, or ends the process, where the reader does not refuse
  /// with its documented error or returns a value that its own text does not give back.
  void (*run)(std::string_view text);
};

/// All readers of text that comes from outside the process.
const std::vector<FuzzTarget>& fuzz_targets();

// Each target has one function, in the files *_targets.cpp.
void fuzz_case(std::string_view text);
void fuzz_case_file(std::string_view text);
void fuzz_graph(std::string_view text);
void fuzz_element(std::string_view text);
void fuzz_inputs(std::string_view text);
void fuzz_record(std::string_view text);
void fuzz_run(std::string_view text);
void fuzz_plan(std::string_view text);
void fuzz_baseline(std::string_view text);
void fuzz_message(std::string_view text);
void fuzz_request(std::string_view text);
void fuzz_schema(std::string_view text);
void fuzz_tensors(std::string_view text);
void fuzz_line(std::string_view text);

/// True if the text is a small Case about a graph that was judged. Throws as a target does.
bool line_is_judged(std::string_view text);

}  // namespace gradproof
