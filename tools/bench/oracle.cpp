// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/oracle.h"

#include "core/graph/contract/declared_contract.h"
#include "core/graph/graph_case.h"
#include "core/graph/graph_parts.h"
#include "core/graph/graph_types.h"
#include "oracles/claim/graph_of_claim.h"
#include "oracles/graph/arithmetic.h"
#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/graph/runner.h"
#include "oracles/graph/segments/segment_blocks.h"
#include "tools/bench/claims.h"
#include "tools/bench/rate.h"

namespace gradproof {
namespace {

double same(double x) { return x; }

/// All rows of one claim, with one block as the judge has it.
class GraphBench {
 public:
  GraphBench(std::string name, GraphClaim claim, Tensors inputs,
             const std::function<void(const OracleBenchRow&)>& on_row)
      : on_row_(on_row),
        name_(std::move(name)),
        claim_(std::move(claim)),
        inputs_(std::move(inputs)),
        axis_(block_axis(claim_.graph, claim_.extents)) {}

  void run() {
    plain();
    for (const GraphCompilation& compilation : graph_compilations())
      if (runs_here(compilation.set)) in_compilation(compilation);
    whole_judge();
  }

 private:
  Block block(std::int64_t length) const { return {0, length, claim_.extents.at(axis_)}; }
  std::int64_t elements_of_one() const {
    return numel(claim_.shape_of("x")) / claim_.extents.at(axis_);
  }

  using Plain = TruthArithmetic<PlainFunctions<double>>;

  /// The evaluation in float64 of the first numbers along the axis.
  class PlainRun {
   public:
    PlainRun(const GraphBench& bench, std::int64_t length)
        : plan_(bench.claim_.graph, bench.claim_.extents, length, same),
          numbers_(plan_, bench.inputs_, {bench.axis_, bench.block(length), 1}),
          view_(numbers_.view()) {}

    GraphRunner<Plain> run() const {
      GraphRunner<Plain> runner(plan_, arithmetic_, view_.chosen, view_.length);
      for (std::size_t k = 0; k < view_.tensors.size(); ++k)
        runner.tensor(k) = field(static_cast<int>(k), view_.tensors[k]);
      runner.forward();
      runner.backward({field(plan_.outputs.front(), view_.cotangents.front())});
      return runner;
    }
    int output() const { return plan_.outputs.front(); }

   private:
    Field<double> field(int place, const double* from) const {
      const PlanValue& value = plan_.values[static_cast<std::size_t>(place)];
      return {FieldNumbers<double>(from, from + value.count)};
    }

    GraphPlan plan_;
    PackedNumbers numbers_;
    BlockNumbers view_;
    Plain arithmetic_;
  };

  void plain() {
    const PlainRun one(*this, 1);
    add(
        "plain float64", [&] { sink_ = sink_ + one.run().gradient(0).v.front(); },
        elements_of_one());
  }

  void in_compilation(const GraphCompilation& compilation) {
    const auto tier = compilation.make({claim_.contract, {}});
    const SegmentBlocks blocks(claim_, tier->lanes());
    const GraphPlan plan = blocks.plan_of(blocks.packs_of(0));
    const Block first = blocks.at(0);
    const PackedNumbers numbers(plan, inputs_, {axis_, first, tier->lanes()});
    const BlockNumbers view = numbers.view();
    add(
        "truth and bound, " + name_of(compilation.set),
        [&] {
          tier->evaluate(plan, view);
          sink_ = sink_ + static_cast<double>(tier->uses());
        },
        first.length * elements_of_one() / first.strips);
  }

  /// The judge runs on all cores; the rate is that of one core.
  void whole_judge() {
    const PlainRun all(*this, claim_.extents.at(axis_));
    const GraphRunner<Plain> runner = all.run();
    Tensors got;
    const auto put = [&](const std::string& name, const std::string& of, const auto& numbers) {
      Tensor& to = got.emplace(name, Tensor(DType::f32, claim_.shape_of(of))).first->second;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        to.set(static_cast<std::int64_t>(i), numbers[i]);
    };
    put(claim_.graph.outputs.front(), claim_.graph.outputs.front(), runner.value(all.output()).v);
    for (std::size_t k = 0; k < claim_.graph.tensors.size(); ++k) {
      const std::string& name = claim_.graph.tensors[k].name;
      put(gradient_name(name), name, runner.gradient(k).v);
    }
    for (const auto& use : runner.summed_uses()) {
      std::vector<double> sums;
      for (const auto& sum : use.sums) sums.push_back(sum.total);
      const std::string& name = claim_.graph.tensors[static_cast<std::size_t>(use.tensor)].name;
      put(gradient_name(name), name, sums);
    }
    add(
        "whole judge, comparison included",
        [&] {
          for (const auto& [name, judged] : judge_graph(claim_, inputs_, got))
            sink_ = sink_ + judged.discrepancy.max_ratio;
        },
        numel(claim_.shape_of("x")));
  }

  void add(const std::string& what, const std::function<void()>& work, std::int64_t elements) {
    const double rate = rate_of(work, static_cast<double>(elements));
    if (plain_rate_ == 0) plain_rate_ = rate;
    on_row_({name_ + ": " + what, rate, rate / plain_rate_});
  }

  const std::function<void(const OracleBenchRow&)>& on_row_;
  std::string name_;
  GraphClaim claim_;
  Tensors inputs_;
  std::string axis_;
  double plain_rate_ = 0;  ///< of plain float64, the first row
  volatile double sink_ = 0;
};

void bench_line(const std::string& name, const std::string& line,
                const std::function<void(const OracleBenchRow&)>& on_row) {
  const Case c = parse_case(line, {});
  const Graph graph = graph_of(c);
  const std::string said = c.text("contract");
  GraphContract contract;
  if (!said.empty())
    contract = graph_contract(graph, types_of(graph, c), parse_declared_contract(said, graph));
  GraphBench(name, {graph, extents_of(graph, c), contract}, make_graph_inputs(graph, c), on_row)
      .run();
}

}  // namespace

void bench_oracle(const std::function<void(const OracleBenchRow&)>& on_row) {
  for (BenchClaim& made : bench_claims())
    GraphBench(made.name, graph_of_claim(made.claim, made.inputs), made.inputs, on_row).run();
  bench_line("layer_norm rows of 4096", "{y = layer_norm(x, weight, beta)} rows=32 cols=4096",
             on_row);
  bench_line("layer_norm rows of 4096, as the kernels' contracts",
             "{y = layer_norm(x, weight, beta)} rows=32 cols=4096 contract=stored=none,"
             "functions=rounded,sums=lanes:32,variance=two_pass,xhat=subtracted,affine=plain,"
             "adjoint=standardized,weight_gradient=standardized",
             on_row);
  bench_line("softmax rows of 4096", "{y = softmax(x)} rows=32 cols=4096", on_row);
  bench_line("batch_norm 1024 rows", "{y = batch_norm(x, weight, beta)} rows=1024 cols=128",
             on_row);
  bench_line("gelu", "{y = gelu(x)} rows=128 cols=1024", on_row);
}

}  // namespace gradproof
