// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/compare/record.h"
#include "core/second_witness.h"
#include "reports/runs/found_cell.h"

namespace gradproof {

/// The requests of the front to a worker, one struct for each verb; each travels as a JSON object
/// with a field for each member (docs/cli.md). `json` asks for lines of JSON instead of text.

/// Asks for Records of the Case's tensors.
struct CheckRequest {
  static constexpr const char* kVerb = "check";
  std::string case_text;
  Detail detail = Detail::of_all;
  int threads = 0;  ///< that the answer may take; 0: all cores
  SecondWitness witness = SecondWitness::of_all;
};

/// Asks for Records of the Case's gradients, after the phases of the audit.
struct AuditRequest {
  static constexpr const char* kVerb = "audit";
  std::string case_text;
  std::int64_t entries = 0;  ///< of each tensor; 0: all
  int digits = 20;
  bool direct = false;  ///< every number is moved by itself
  bool kernel = true;   ///< whether the kernel runs
  int threads = 0;      ///< as above
};

/// Asks for lines about one column of the Jacobian.
struct ColumnRequest {
  static constexpr const char* kVerb = "column";
  std::string case_text;
  std::string column;  ///< "x[3,7]"
  bool json = false;
};

/// Asks for lines about one element.
struct ExplainRequest {
  static constexpr const char* kVerb = "explain";
  std::string case_text;
  std::string element;  ///< "d_x[3,7]", "d_x", "3,7"; empty: the worst there is
  bool json = false;
  std::string replay = {};  ///< the command that runs the Case once more, to print
};

/// Asks for the table of laws by kernels, or for the laws that hold of each of these Cases.
struct LawsRequest {
  static constexpr const char* kVerb = "laws";
  std::vector<std::string> cases = {};
  int width = 80;  ///< columns that lines may have, of words that are no longer
};

/// Asks for the table of the chains of sources and of those that they declare, line by line.
struct ChainsRequest {
  static constexpr const char* kVerb = "chains";
  std::vector<std::string> cases = {};  ///< empty: the table's own of each kernel
};

/// Asks for lines of the table of what a suite covers.
struct CoverageRequest {
  static constexpr const char* kVerb = "coverage";
  std::vector<std::string> kernels = {};  ///< words; empty: all
  std::vector<std::string> files = {};    ///< case files
  int of_f32 = 2;                         ///< so many classes must be together, of f32: 1 to 3
  int of_others = 2;                      ///< and of every other combination of types
  std::string ledger = {};                ///< file; what may be missing
  std::string lines = {};                 ///< file; what scripts/coverage measured
  std::string write = {};                 ///< folder that takes what is missing; empty: none
  bool json = false;
};

/// A Case that took a worker down when it was asked about alone.
struct LostCase {
  std::string case_text;
  std::string how;  ///< "Crashed SIGSEGV"
};

/// Asks that these Cases are not run for later requests: each counts as a finding.
struct AvoidRequest {
  static constexpr const char* kVerb = "avoid";
  std::vector<LostCase> cases = {};
};

/// Asks the worker to load LibTorch, so that the front knows how long that takes and the next
/// request that needs it does not wait.
struct LoadRequest {
  static constexpr const char* kVerb = "load";
};

/// Asks for a line for each row of a benchmark.
struct BenchRequest {
  static constexpr const char* kVerb = "bench";
  std::string name;                     ///< executor, kernels, oracle
  std::vector<std::string> parts = {};  ///< rows of an earlier answer (AnswerPart::state)
};

/// Asks for a calibration's lines.
struct CalibrateRequest {
  static constexpr const char* kVerb = "calibrate";
  std::string name;        ///< fair, tight, power, audit, laws, graphs, likely, sizes
  std::int64_t cases = 0;  ///< 0: the default of the calibration
  std::int64_t seed = 1;
  std::vector<std::string> kernels = {};  ///< words; empty: all
  std::string suite;                      ///< of power: a case file
  bool json = false;
  std::vector<std::int64_t> sizes = {};  ///< of sizes: terms of long sums; empty: its own
};

/// Asks for lines about elementwise kernels on every number of a dtype.
struct ExhaustiveRequest {
  static constexpr const char* kVerb = "exhaustive";
  std::vector<std::string> kernels = {};  ///< WORD or WORD/MUTANT; empty: all
  std::string dtype;                      ///< empty: f16 and bf16
  std::string part;                       ///< "3/16"; empty: all
  bool json = false;
};

/// Asks for lines about a search for the largest error/bound.
struct SearchRequest {
  static constexpr const char* kVerb = "search";
  std::vector<std::string> kernels = {};  ///< WORD or WORD/MUTANT; empty: all
  std::string dtype;                      ///< f32, f64, f16, bf16 or mixed; empty: all
  std::int64_t cases = 0;                 ///< of each kernel and dtype; 0: by the clock
  double seconds = 0;                     ///< of all together
  std::int64_t seed = 1;
  std::string keep = {};  ///< file that takes the worst Cases; empty: none
  bool json = false;
  std::vector<std::string> parts = {};  ///< of an earlier answer (AnswerPart::state)
};

/// Asks for the cells that a verb can be cut into: lines of JSON with `cell` and `cost`.
struct CellsRequest {
  static constexpr const char* kVerb = "cells";
  std::string request;  ///< the verb's own request, as a line
};

/// Asks for the verb in these cells: a FoundCell for each, in any order.
struct RunCellsRequest {
  static constexpr const char* kVerb = "run_cells";
  std::string request;
  std::vector<std::string> cells = {};
};

/// Asks for lines and exit code of the verb, from what was found in all of its cells.
struct SumCellsRequest {
  static constexpr const char* kVerb = "sum_cells";
  std::string request;
  std::vector<FoundCell> found = {};
  double seconds = 0;  ///< that finding it took
};

using Request = std::variant<CheckRequest, AuditRequest, ColumnRequest, ExplainRequest, LawsRequest,
                             ChainsRequest, CoverageRequest, AvoidRequest, LoadRequest,
                             BenchRequest, CalibrateRequest, ExhaustiveRequest, SearchRequest,
                             CellsRequest, RunCellsRequest, SumCellsRequest>;

std::string verb_of(const Request& request);

/// True if the request is about a Case: only then what happens to the worker is the Case's.
bool asks_about_case(const Request& request);

/// The subject that a worker announces before it answers: the Case, else the verb.
std::string subject_of(const Request& request);

/// One JSON line without a line feed.
std::string to_line(const Request& request);

/// Throws InstrumentError for text that is no request.
Request parse_request(std::string_view line);

}  // namespace gradproof
