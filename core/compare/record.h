// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/compare/audit_row.h"
#include "core/compare/discrepancy.h"
#include "core/compare/known_truth.h"
#include "core/compare/sum_chain.h"
#include "core/compare/verdict.h"
#include "core/graph/contract/error_bound.h"
#include "core/graph/contract/rung.h"

namespace gradproof {

/// The place and the programs with which a Case ran. Different contexts cannot be compared.
struct Context {
  std::string backend;  ///< "cpu" or "cuda"
  std::string device;   ///< "executor sm_90" or the GPU's name
  std::string toolkit;  ///< compiler and CUDA toolkit of the kernel
  std::string version;  ///< of gradproof
  friend bool operator==(const Context&, const Context&) = default;
};

/// The subject of a Record: a kernel's tensor beside the truth and its bound (`check`), or the
/// oracle's gradient beside differences of the value (`audit`).
enum class Measured { comparison, differences };
/// The name: "comparison" or "differences".
std::string_view name_of(Measured measured);
/// Throws InstrumentError for a name of no subject.
Measured parse_measured(std::string_view name);

/// One judged tensor of one Case: one JSON line, the only thing that reports read. A Record of the
/// whole Case (a crash, a finding of the executor) has the tensor name "execution".
struct Record {
  std::string case_text;
  std::string
      kernel;  ///< the Case's word, with the mutant's name behind a slash where there is one
  std::string dtype;
  std::string mode;  ///< "train", "eval"; kAnyMode where the system has none
  std::string tensor;
  std::string witness;  ///< what the tensor was compared with: "double-double, ...", "differences"
  Shape shape;
  std::variant<Discrepancy, AuditFigures> figures;  ///< in the order of Measured
  std::string why;                                  ///< of the bound
  Verdict verdict;
  Context context;
  /// If the code declares nothing of its roundings: the first rung on which the tensor is within
  /// its bound, also where it would pass on that rung and is Failed.
  std::optional<Rung> rung = {};
  /// The bound that the figures are of; absent for a system that is no graph (the certain one).
  std::optional<ErrorBound> bound = {};
  /// The chain of additions, where code leaves the order of its sums open and it was looked for.
  std::optional<SumChain> chain = {};
  /// Set if the line gives the truth (a bias before a BatchNorm has a gradient of 0): no Case
  /// of these sizes can make a pass prove more.
  std::optional<KnownTruth> known = {};
  /// A sentence that explains a wrong tensor of a graph, where the diagnosis found one
  /// (docs/diagnosis.md).
  std::optional<std::string> diagnosis = {};
  /// Elements whose truth is double-double with a certified radius, and those that needed 50
  /// digits; both 0 where the truth is another witness's.
  std::int64_t certified = 0;
  std::int64_t escalated = 0;
  /// The system that a pass counts for, where this is not the kernel as it is called: a training
  /// step is of its candidate.
  std::optional<std::string> part_of = {};
  /// The part that stands for a tensor of which not all is judged: "256 of 4096 along m". Indices
  /// are those of the whole tensor.
  std::optional<std::string> sample = {};
  std::string digest;  ///< of the tensor's bits as the kernel wrote them, hex
  double seconds = 0;  ///< of the whole Case; of an audit the tensor's processor time

  Measured measured() const { return static_cast<Measured>(figures.index()); }
  /// The figures; each throws std::bad_variant_access of a Record about the other subject.
  Discrepancy& discrepancy() { return std::get<Discrepancy>(figures); }
  const Discrepancy& discrepancy() const { return std::get<Discrepancy>(figures); }
  AuditFigures& audit() { return std::get<AuditFigures>(figures); }
  const AuditFigures& audit() const { return std::get<AuditFigures>(figures); }
};

/// True for Passed, Regressed and certified.
bool is_pass(Outcome outcome);
/// True if the Record is a pass after which a run needs no more of that tensor: a trusted one, or
/// one whose truth the line gives. A tensor of no elements proves nothing.
bool is_proof(const Record& record);
/// True if the Record is a proof by the inputs of the Case: is_proof(), and its truth is not known
/// from the line alone.
bool is_trusted(const Record& record);

/// The Record of an audited tensor. `blank` has the Case and the context in which it ran, `row` the
/// results of the differences.
Record audit_record(Record blank, AuditRow row);

/// Adds a witness's finding to an audit's Record. A wrong witness makes the Record wrong. Where
/// LibTorch's gradient is out of its own bound, the oracle that it is held against is in doubt, and
/// with it all that the oracle says of the kernel: InstrumentBroken, whatever else is wrong. The
/// finding of a wrong or mistrusted witness stands behind the Record's own reason:
/// "kernel: 4191 of 4191 entries, the worst [3,7]; off by 1/d".
void add_witness(Record& record, AuditWitness witness);

/// The parts that Records have besides their verdicts, the cheapest first: nothing of a pass; the
/// chains of additions and declarations that a graph's tensor is consistent with, a judgement for
/// each that is tried; the largest part of its bound, some ten evaluations of the bound. A failure
/// has all parts.
enum class Detail { of_verdicts, of_failures, of_all };

inline constexpr const char* kExecution = "execution";
inline constexpr const char* kAnyMode = "any";  ///< of a system that has no modes

}  // namespace gradproof
