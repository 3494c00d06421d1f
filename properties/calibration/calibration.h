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

/// The judge's verdict on a tensor of code that declares nothing.
struct UndeclaredVerdict {
  Outcome outcome = Outcome::incomplete;
  double ratio = 0;      ///< largest error/bound
  bool is_fused = true;  ///< passed on the ladder's first rung
};
using UndeclaredVerdicts = std::map<std::string, UndeclaredVerdict, std::less<>>;

/// The request for a calibration.
struct CalibrationPlan {
  Catalog catalog;         ///< what is calibrated; mutants are planted where it has them
  std::int64_t cases = 0;  ///< how many; 0: the default of the calibration
  std::uint64_t seed = 1;
  std::vector<std::string> kernels = {};  ///< words; empty: all
  std::vector<Case> suite = {};           ///< of power: the Cases that mutants run on
  /// The calibration audit needs it: the Records of a Case, without its kernel and on one thread.
  std::function<std::vector<Record>(const Case&)> audited = {};
  /// The calibration sizes needs it: the judge's verdicts on outputs and gradients that somebody
  /// computed for the Case.
  std::function<UndeclaredVerdicts(const Case&, const Tensors& inputs, const Tensors& got)>
      undeclared = {};
  std::vector<std::int64_t> sizes = {};  ///< of sizes: terms of long sums; empty: its own
  bool is_likely = false;                ///< of graphs: long axes, judged by likely errors
  /// This is called now and then with a line that says how far the calibration is.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  /// This is called as the calibration gets on, with how many of its "cases" ("searches",
  /// "mutants") are done.
  std::function<void(const std::string& what, std::int64_t done, std::int64_t of)> counted =
      [](const std::string&, std::int64_t, std::int64_t) {};
  /// The calibration audit names a Case that takes longer than this while the Case runs.
  std::chrono::milliseconds slow = std::chrono::seconds(20);
  /// Faults of the calibration itself, for its own tests: all bounds are multiplied by `widened`,
  /// and every result of the kernels is `biased` bounds off.
  double widened = 1;
  double biased = 0;
  double blunted = 1;     ///< the same: what is planted in gradients is changed so many times
  bool unranged = false;  ///< judges as if no arithmetic ever left its range
  /// For the same tests: this runs in the process of each mutant, before the mutant.
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

/// Judges correct kernels, and LibTorch's own operators under their contracts, on random Cases: not
/// one false alarm is allowed (code 1). Faults planted in the same run must be convicted (code 3;
/// also where judging a mutant throws), each kind that the kernels can have planted at least once
/// (code 4). The report also has what allclose and assert_close say of the same results.
CalibrationReport calibrate_fair(const CalibrationPlan& plan);

/// Measures how near a correct kernel comes to its bound, tensor by tensor (code 1 above it, 4 if
/// it stays below 5% or nothing was judged), and the smallest faults that are still convicted.
CalibrationReport calibrate_tight(const CalibrationPlan& plan);

/// Audits Cases whose numbers are hard: no gradient that the oracle's adjoint claims may be called
/// wrong (code 1), and none with a wrong entry planted may be certified (code 3); code 4 if nothing
/// was audited, or if some kind of wrong entry was never planted.
CalibrationReport calibrate_audit(const CalibrationPlan& plan);

/// Counts the mutants that each form of the bound, allclose and assert_close convict on the Cases
/// of the suite: code 1 if a mutant survives executor and bound, 3 if judging one throws, 4 if the
/// suite has no Case for it.
CalibrationReport calibrate_power(const CalibrationPlan& plan);

/// Finds the mutants that each law convicts, without any oracle's answer, on drawn Cases of few
/// elements: code 1 if a law convicts none, 3 if a law convicts the right kernel on the shrunk
/// Case, 4 if there are no mutants.
CalibrationReport calibrate_laws(const CalibrationPlan& plan);

/// Judges LibTorch's operators on drawn graphs (core/graph/draw/draw_graph.h): code 1 for a false
/// alarm, 3 if a result three bounds off passes, 4 if a stage never came, or if of a stage alone no
/// result comes near its bound. `kernels` and `suite` have no meaning.
CalibrationReport calibrate_graphs(const CalibrationPlan& plan);

/// Judges right and wrong programs with long sums (sizes/programs/computations.h), in float32
/// arithmetic that declares nothing, and compares with the rules that the field uses
/// (sizes/rules.h): code 1 if a right one is convicted, 3 if no wrong one is. `cases` is how many
/// draws of the inputs each row has; `kernels` and `suite` have no meaning.
CalibrationReport calibrate_sizes(const CalibrationPlan& plan);

}  // namespace gradproof
