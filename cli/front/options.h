// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "reports/runs/run_header.h"

namespace gradproof {

/// The command line, read. Empty text and 0 mean that an option was not given.
struct Options {
  std::string verb;
  std::vector<std::string> cases;    ///< of check, replay, audit
  std::string pipeline;              ///< a graph that every case is about
  std::string claim;                 ///< the name of such a graph (fixtures/claims)
  std::vector<std::string> inputs;   ///< of judge: files of tensors
  std::vector<std::string> outputs;  ///< of judge: files of outputs and gradients, one for each
  std::string contract;              ///< of judge: words
  std::string elements;              ///< of judge: sampled or all; empty: the Case's default
  std::string bound;                 ///< of judge: which error is permitted
  std::string name;                  ///< of judge: what reports call it
  std::string python;                ///< of check: file of a candidate
  std::string reference;             ///< of check: file of its reference; empty: the same
  std::string function;              ///< of check: what in them is called; empty: Model, ModelNew
  bool described = false;            ///< of python: JSON of the line, in place of code
  std::string library;               ///< of check and describe: file of operators of LibTorch
  std::string op;                    ///< of them: "mine::fused"
  std::string backward_op;           ///< of check and describe: what backward is; empty: autograd
  std::string mapping;               ///< of check and describe: file of arguments by names
  std::string python_program = "python3";  ///< of check and describe: that has torch
  bool forward_alone = false;              ///< of check
  std::string which_inputs = "hard";       ///< of check of a candidate: given, hard, all
  std::int64_t training_steps = 3;         ///< of check: before buffers are judged; 0: none
  std::string candidate_device;  ///< of check: cpu, cuda, executor; empty: where it has a kernel
  std::string candidate_stream = "own";  ///< of check: default: launches there are no fault
  std::string sandbox = "auto";          ///< of check and describe: auto, require, none
  std::string cases_file;
  std::string suite;
  std::string rerun_failed;          ///< of check and audit: directory with a run
  std::string known_failures;        ///< of check and audit: file
  std::vector<std::string> changes;  ///< key=value for every case
  std::string records;               ///< directory
  std::string plan;                  ///< file of `gradproof plan`, or of --print-plan
  bool print_plan = false;           ///< of exhaustive, calibrate, search
  Shard shard;                       ///< of the plan
  std::string kind = "check";        ///< of plan: the verb that it is for
  std::string worker;
  std::string kernel;                ///< of list
  std::string bench;                 ///< of bench
  std::string element;               ///< of explain: "d_x[3,7]", "d_x", "3,7"
  std::string calibration;           ///< of calibrate: fair, tight, sizes, ...
  std::vector<std::string> kernels;  ///< of calibrate, exhaustive, search; empty: all
  std::string dtype;                 ///< of exhaustive, search
  std::string shell;                 ///< of completion
  std::string part;                  ///< of exhaustive: "3/16"
  std::int64_t entries = 0;          ///< of audit, of each tensor; 0: all
  int digits = 20;                   ///< of audit: 20 or 33
  std::string column;                ///< of audit: "x[3,7]"; empty: gradients
  std::int64_t count = 0;            ///< cases of a calibration, a search; 0: its default
  std::int64_t seed = 1;             ///< of a calibration, a search
  std::vector<std::int64_t> sizes;   ///< of `calibrate sizes`; empty: its own
  double seconds = 0;                ///< of a search; 0: its default
  std::string keep;                  ///< of a search: file for the worst Cases
  std::string write;                 ///< of coverage: folder for the Cases that are missing
  std::string directory;             ///< of report; --from of baseline update; --into of merge
  std::vector<std::string> folders;  ///< of merge
  std::string run;                   ///< of report, baseline update; empty: the last
  std::string format = "text";       ///< of report: names with commas
  std::string output;                ///< of report: file or folder; of inputs: file
  std::vector<std::string> history;  ///< of report: folders of runs before
  std::string source;                ///< of report: "kernels/{kernel}.cu"
  std::string against;
  std::string ledger;  ///< of baseline update; empty: beside the baseline
  std::string baseline;
  std::string reason;
  /// The names of the Cases that are of a candidate's own inputs; an option of check.
  std::vector<std::string> own_cases;
  /// The Cases that are asked which factors of their line's numbers are seen; an option of check.
  std::vector<std::string> number_cases;
  bool numbers = false;   ///< of check: all are
  double deadline = 120;  ///< seconds for each case
  double memory = 0;      ///< GiB
  int workers = 0;        ///< of check and audit; 0: as many as cores
  bool no_shrink = false;
  bool fail_fast = false;
  int further = 0;  ///< of judge: sets of further calls, behind the first
  bool verbose = false;
  bool quiet = false;  ///< of check and audit
  bool json = false;
  bool all = false;                  ///< of audit: every system, mode and dtype
  bool direct = false;               ///< of audit
  bool resume = false;               ///< of check and audit
  bool runs = false;                 ///< of report: a list of the runs
  bool repeated = false;             ///< of baseline update
  std::vector<std::string> command;  ///< the words as they were given
};

/// The largest number that `--further` takes.
inline constexpr int kMostFurther = 1000;
/// The largest number that `--workers` takes.
inline constexpr int kMostWorkers = 256;

/// The text that `--help` or `--version` asks for; the program then has nothing else to do.
struct HelpRequest {
  std::string text;
};

/// Throws UsageError with one line, or HelpRequest.
Options parse_options(int count, const char* const* arguments);

}  // namespace gradproof
