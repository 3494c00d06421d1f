// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/scans.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "core/graph/stages.h"
#include "oracles/libtorch/graph_operators.h"

namespace gradproof {

at::Tensor scanned(const Graph& graph, const GraphStep& s, const TensorsByName& values) {
  const Axes& own = graph.axes_of(s.operands.front().name);
  const auto operand = [&](std::size_t k, const Axes& to) {
    return aligned(values.at(s.operands[k].name), graph.axes_of(s.operands[k].name), to);
  };
  const at::Tensor x = operand(0, own);
  const std::int64_t dim = place_of(own, s.axes.front());
  if (s.stage == "cumsum") return at::cumsum(x, dim);
  if (graph_stage(s.stage).form == StageForm::sorts)
    return std::get<0>(at::sort(x, dim, s.word("order") == "descending"));
  const std::vector<at::Tensor> factors = operand(1, own).expand_as(x).unbind(dim);
  const std::vector<at::Tensor> numbers = x.unbind(dim);
  Axes others = own;
  std::erase(others, s.axes.front());
  at::Tensor last = s.operands.size() > 2 ? operand(2, others) : at::zeros_like(x.select(dim, 0));
  std::vector<at::Tensor> all;
  for (std::size_t t = 0; t < numbers.size(); ++t) {
    last = factors[t] * last + numbers[t];
    all.push_back(last);
  }
  return at::stack(all, dim);
}

}  // namespace gradproof
