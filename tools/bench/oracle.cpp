// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/oracle.h"

#include <functional>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/gather.h"
#include "oracles/truth/stored_rounding.h"
#include "tools/bench/claims.h"
#include "tools/bench/graphs.h"
#include "tools/bench/rate.h"
#include "tools/bench/reader.h"

namespace gradproof {
namespace {

using BinFloat = boost::multiprecision::cpp_bin_float_50;

/// All rows of one pipeline.
class PipelineBench {
 public:
  PipelineBench(BenchClaim made, const std::function<void(const OracleBenchRow&)>& on_row)
      : on_row_(on_row),
        name_(std::move(made.name)),
        claim_(std::move(made.claim)),
        inputs_(std::move(made.inputs)),
        compiled_(claim_),
        unit_(gather<double>(claim_, inputs_, 0)) {
    numbers_.count = static_cast<std::int64_t>(unit_.x.size());
    numbers_.x.numbers = unit_.x.data();
    numbers_.dy.numbers = unit_.dy.data();
  }

  void run() {
    in_text("plain float64", *reader<Plain<double>>());
    for (const TierCompilation& compilation : tier_compilations())
      if (runs_here(compilation.set)) in_compilation(compilation);
    whole_judge();
    in_text("50 digits, MPFR", *reader<Plain<Real>>());
    in_text("50 digits, cpp_bin_float", *reader<Plain<BinFloat>>());
  }

 private:
  template <class A>
  std::unique_ptr<UnitReader> reader() {
    return std::make_unique<TextReader<A, double>>(compiled_, A());
  }

  void in_compilation(const TierCompilation& compilation) {
    const std::string name = name_of(compilation.set);
    const auto all = compilations_of([]<InstructionSet set>() { return &readers_of<set>; });
    const ReaderPair readers = of(all, compilation.set).make(claim_, compiled_);
    in_text("truth, " + name, *readers.truth);
    in_text("bound, " + name, *readers.bound);
    const std::vector<Output> outputs{
        {Output::Part::y, 0, StoredRounding(claim_, claim_.tensor("y")).type(), false},
        {Output::Part::input_gradient, 0, StoredRounding(claim_, claim_.tensor("d_x")).type(),
         false}};
    const auto tier = compilation.make({claim_, compiled_, outputs});
    tier->take_numbers(unit_);
    add(
        "truth, bound and ruling, " + name, [&] { sink_ = sink_ + tier->judge(numbers_); },
        static_cast<double>(numbers_.count));
  }

  void in_text(const std::string& what, UnitReader& reader) {
    reader.take_numbers(unit_);
    add(
        what, [&] { sink_ = sink_ + reader.read(numbers_); }, static_cast<double>(numbers_.count));
  }

  /// On all cores; the rate is that of one.
  void whole_judge() {
    Tensors got;
    for (const TensorSpec& spec : claim_.tensors) {
      if (spec.role == Role::input || spec.role == Role::parameter || spec.role == Role::cotangent)
        continue;
      got.emplace(spec.name, Tensor(spec.dtype, spec.layout));
    }
    for (const auto& [name, answer] : evaluate(claim_, inputs_, std::nullopt))
      for (std::int64_t i = 0; i < answer.size(); ++i)
        got.at(name).set(i, answer.hi[static_cast<std::size_t>(i)]);
    add(
        "whole judge, comparison included",
        [&] {
          for (const auto& [name, judged] : compare_with_truth(claim_, inputs_, std::nullopt, got))
            sink_ = sink_ + judged.discrepancy.max_ratio;
        },
        static_cast<double>(claim_.rows() * claim_.cols()));
  }

  void add(const std::string& what, const std::function<void()>& work, double elements) {
    const double rate = rate_of(work, elements);
    if (plain_rate_ == 0) plain_rate_ = rate;
    on_row_({name_ + ": " + what, rate, rate / plain_rate_});
  }

  const std::function<void(const OracleBenchRow&)>& on_row_;
  std::string name_;
  Claim claim_;
  Tensors inputs_;
  CompiledPipeline compiled_;
  Unit<double> unit_;
  UnitNumbers numbers_;
  double plain_rate_ = 0;  ///< of plain float64, the first row
  volatile double sink_ = 0;
};

}  // namespace

void bench_oracle(const std::function<void(const OracleBenchRow&)>& on_row) {
  for (BenchClaim& made : bench_claims()) PipelineBench(std::move(made), on_row).run();
  bench_graphs(on_row);
}

}  // namespace gradproof
