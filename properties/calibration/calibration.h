// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "core/compare/verdict.h"
#include "kernels/kernel.h"

namespace gradproof {

/// What the judge says of a tensor of code that declares nothing.
struct UndeclaredVerdict {
  Outcome outcome = Outcome::incomplete;
  double ratio = 0;      ///< largest error/bound
  bool is_fused = true;  ///< passed on the ladder's first rung
};
using UndeclaredVerdicts = std::map<std::string, UndeclaredVerdict, std::less<>>;

/// What a calibration is asked for.
struct CalibrationPlan {
  Catalog catalog;         ///< what is calibrated; mutants are planted where it has them
  std::int64_t cases = 0;  ///< how many; 0: the default of the calibration
  std::uint64_t seed = 1;
  std::vector<std::string> kernels = {};  ///< words; empty: all
  std::vector<Case> suite = {};           ///< of power: the Cases that mutants run on
  /// For the calibration audit: the Records of a Case, without its kernel and on one thread.
  std::function<std::vector<Record>(const Case&)> audited = {};
  /// For the calibration sizes: what the judge says of outputs and gradients that somebody computed
  /// for the Case.
  std::function<UndeclaredVerdicts(const Case&, const Tensors& inputs, const Tensors& got)>
      undeclared = {};
  std::vector<std::int64_t> sizes = {};  ///< of sizes: terms of long sums; empty: its own
  bool is_likely = false;                ///< of graphs: long axes, judged by likely errors
  /// Called now and then with a line that says how far it is.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  /// Called as often as they get on with how many of their "cases" ("searches", "mutants") are
  /// done.
  std::function<void(const std::string& what, std::int64_t done, std::int64_t of)> counted =
      [](const std::string&, std::int64_t, std::int64_t) {};
  /// For the calibration audit: a Case that takes longer is named while it runs.
  std::chrono::milliseconds slow = std::chrono::seconds(20);
  /// Faults of the calibration itself, for its own tests: all bounds are multiplied by this, and
  /// every result of the kernels is so many bounds off.
  double widened = 1;
  double biased = 0;
  double blunted = 1;     ///< the same: what is planted in gradients is changed so many times
  bool unranged = false;  ///< judges as if no arithmetic ever left its range
  /// The same: runs in the process of each mutant, before it.
  std::function<void()> before_mutant = [] {};
};

struct CalibrationTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct CalibrationReport {
  std::vector<std::string> findings;  ///< one line each: what is wrong, and how to see it again
  std::vector<CalibrationTable> tables;
  std::vector<std::pair<std::string, std::string>> result;  ///< of the last line, in order
  int code = 0;
};

/// The finding of a calibration that judged nothing.
inline constexpr const char* kNothingJudged = "incomplete: nothing was judged";

/// Correct kernels, and LibTorch's own operators under their contracts, on random Cases: not one
/// false alarm is allowed (code 1), and faults planted in the same run must be convicted (code 3;
/// also where judging a mutant throws), each kind that the kernels can have planted at least once
/// (code 4). Beside it, what allclose and assert_close say of the same results.
CalibrationReport calibrate_fair(const CalibrationPlan& plan);

/// How near a correct kernel comes to its bound, tensor by tensor (code 1 above it, 4 where it
/// stays below 5% or nothing was judged), and the smallest faults that are still convicted.
CalibrationReport calibrate_tight(const CalibrationPlan& plan);

/// The audit on Cases whose numbers are hard: no gradient that the oracle's adjoint claims may be
/// called wrong (code 1), and none with a wrong entry planted may be certified (code 3); 4 where
/// nothing was audited, or some kind of wrong entry was never planted.
CalibrationReport calibrate_audit(const CalibrationPlan& plan);

/// Which mutants each form of the bound convicts, beside allclose and assert_close, on the Cases of
/// the suite: code 1 where a mutant survives executor and bound, 3 where judging one throws, 4
/// where the suite has no Case for it.
CalibrationReport calibrate_power(const CalibrationPlan& plan);

/// Which mutants each law convicts, without any oracle's answer, on drawn Cases of few
/// elements: code 1 where a law convicts none, 3 where one
/// convicts the right kernel on the shrunk Case, 4 where there are no mutants.
CalibrationReport calibrate_laws(const CalibrationPlan& plan);

/// Drawn graphs (core/graph/draw_graph.h), LibTorch's operators the accused: code 1 for a false
/// alarm, 3 where a result three bounds off passes, 4 where a stage never came, or where of a stage
/// alone no result comes near its bound. `kernels` and `suite` have no meaning.
CalibrationReport calibrate_graphs(const CalibrationPlan& plan);

/// Right and wrong programs with long sums (sizes/programs/computations.h), in float32 arithmetic
/// that declares nothing, judged beside the rules that the field uses (sizes/rules.h): code 1 where
/// a right one is convicted, 3 where no wrong one is. `cases` is how many draws of the inputs each
/// row has; `kernels` and `suite` have no meaning.
CalibrationReport calibrate_sizes(const CalibrationPlan& plan);

}  // namespace gradproof
