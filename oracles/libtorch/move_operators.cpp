// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/move_operators.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <ATen/ATen.h>

#include "core/graph/axes/moves.h"
#include "core/graph/stages.h"
#include "oracles/libtorch/graph_operators.h"

namespace gradproof {
namespace {

using namespace move_options;

Axes joined(std::initializer_list<Axes> parts) {
  Axes all;
  for (const Axes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::int64_t whole(const GraphStep& s, std::string_view key) {
  return static_cast<std::int64_t>(s.number(key));
}

/// The operators of one move; each leaves its axes in the order of `left`.
class Move {
 public:
  Move(const Graph& graph, const GraphStep& s, const GraphExtents& extents,
       const TensorsByName& values)
      : s_(s), extents_(extents) {
    for (const GraphOperand& o : s.operands) {
      axes_.push_back(graph.axes_of(o.name));
      operands_.push_back(values.at(o.name));
    }
  }

  at::Tensor view() {
    const MoveOrder order = order_of_move(s_, axes_[0]);
    left = order.left;
    const at::Tensor x = aligned(operands_[0], axes_[0], order.taken);
    Dims dims;
    for (const std::string& axis : s_.axes) dims.push_back(place_of(order.taken, axis));
    const Dims made = sizes(s_.made);
    if (s_.stage == "split") return x.unflatten(dims[0], made);
    if (s_.stage == "join") return x.flatten(dims.front(), dims.back());
    if (s_.stage == "slice")
      return x.slice(dims[0], whole(s_, kFirst),
                     whole(s_, kFirst) + (made[0] - 1) * whole(s_, kEvery) + 1, whole(s_, kEvery));
    if (s_.stage == "select") return x.select(dims[0], whole(s_, kAt));
    if (s_.stage == "flip") return x.flip(dims);
    if (s_.stage == "roll") return x.roll(whole(s_, kShift), dims[0]);
    if (s_.stage == "diagonal") return x.diagonal(0, dims[0], dims[1]);
    if (s_.stage == "concat") return concatenated(x, dims[0]);
    if (s_.stage == "repeat") return x.expand(sizes(left));
    if (const KeptBand band = kept_band(s_); !band.keeps_all()) return within(band, x);
    return s_.stage == "pad" ? padded(x) : x.clone();
  }

  at::Tensor count(at::ScalarType storage) const {
    return left_out().logical_not().sum().to(storage);
  }

  /// index_add of rows to zeros; those of labels that are left out are zeros themselves.
  at::Tensor put() {
    const LabelAxes of = label_axes(s_, axes_[0], axes_[1]);
    const Axes order = joined({axes_[1], of.rest});
    left = joined({{of.along}, of.rest});
    const std::int64_t rest = count_of(of.rest);
    const at::Tensor rows = aligned(operands_[0], axes_[0], order)
                                .masked_fill(aligned(left_out(), axes_[1], order), 0)
                                .reshape({-1, rest});
    const at::Tensor none =
        at::zeros({extents_.at(of.along), rest}, operands_[0].options().requires_grad(false));
    return none.index_add(0, labels().reshape({-1}), rows).reshape(sizes(left));
  }

  /// embedding, or gather where x has axes of the labels too.
  at::Tensor taken() {
    const LabelAxes of = label_axes(s_, axes_[0], axes_[1]);
    const at::Tensor x = aligned(operands_[0], axes_[0], joined({of.batch, {of.along}, of.rest}));
    const std::int64_t classes = extents_.at(of.along);
    const std::int64_t batch = count_of(of.batch);
    const std::int64_t rest = count_of(of.rest);
    left = joined({of.batch, of.fresh, of.rest});
    const auto numbers = [&] {
      if (of.batch.empty()) return at::embedding(x.reshape({classes, rest}), labels());
      const at::Tensor index = aligned(labels(), axes_[1], joined({of.batch, of.fresh}))
                                   .reshape({batch, -1, 1})
                                   .expand({-1, -1, rest});
      return at::gather(x.reshape({batch, classes, rest}), 1, index);
    };
    return numbers().reshape(sizes(left)).masked_fill(aligned(left_out(), axes_[1], left), 0);
  }

  Axes left;

 private:
  Dims sizes(const Axes& of) const {
    Dims all;
    for (const std::string& axis : of) all.push_back(extents_.at(axis));
    return all;
  }
  std::int64_t count_of(const Axes& of) const {
    std::int64_t all = 1;
    for (const std::string& axis : of) all *= extents_.at(axis);
    return all;
  }
  at::Tensor concatenated(const at::Tensor& x, std::int64_t dim) const {
    Axes second = axes_[0];
    std::ranges::replace(second, s_.axes.front(), s_.axes.back());
    return at::cat({x, aligned(operands_[1], axes_[1], second)}, dim);
  }
  /// The step's number as x's type has it: LibTorch refuses one beyond its range.
  double fill(const at::Tensor& x) const {
    return at::scalar_tensor(fill_of_move(s_), at::kDouble).to(x.scalar_type()).item<double>();
  }
  /// x with the step's number beside the band of its last two axes.
  at::Tensor within(const KeptBand& band, const at::Tensor& x) const {
    if (s_.stage == "tril") return at::tril(x, band.most);
    if (s_.stage == "triu") return at::triu(x, band.least);
    at::Tensor kept = at::ones({x.size(-2), x.size(-1)}, at::kBool).tril(band.most);
    if (whole(s_, kBand) > 0) kept = kept.triu(band.least);
    return x.masked_fill(kept.logical_not(), fill(x));
  }
  at::Tensor padded(const at::Tensor& x) const {
    const std::string mode = s_.word(kMode);
    const Dims around{whole(s_, kBefore), whole(s_, kAfter)};
    const at::Tensor rows = x.reshape({1, -1, x.size(-1)});
    const at::Tensor wide =
        mode == "zeros" ? at::pad(rows, around, "constant", fill(x)) : at::pad(rows, around, mode);
    return wide.reshape(sizes(left));
  }
  at::Tensor left_out() const { return operands_.back().eq(s_.number(kIgnore)); }
  at::Tensor labels() const { return operands_.back().masked_fill(left_out(), 0); }

  const GraphStep& s_;
  const GraphExtents& extents_;
  std::vector<at::Tensor> operands_;
  std::vector<Axes> axes_;
};

}  // namespace

GraphExtents extents_of_tensors(const Graph& graph, const TensorsByName& tensors) {
  GraphExtents given;
  for (const GraphTensor& t : graph.tensors)
    for (std::size_t k = 0; k < t.axes.size(); ++k)
      given[t.axes[k]] = tensors.at(t.name).size(static_cast<std::int64_t>(k));
  return graph.extents(given);
}

at::Tensor moved(const Graph& graph, const GraphStep& s, const GraphExtents& extents,
                 const TensorsByName& values, at::ScalarType storage) {
  const GraphStage& row = graph_stage(s.stage);
  Move move(graph, s, extents, values);
  if (row.labels() == 0) return move.count(storage);
  const at::Tensor value = !row.takes_labels() ? move.view()
                           : row.move.adds     ? move.put()
                                               : move.taken();
  return aligned(value, move.left, s.value_axes);
}

}  // namespace gradproof
