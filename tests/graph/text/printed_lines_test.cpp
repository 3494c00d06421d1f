// SPDX-License-Identifier: Apache-2.0
// A line that was printed is read as the same graph: steps, tensors, and the order of axes.
#include <array>

#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "core/error.h"
#include "core/graph/draw/draw_graph.h"
#include "core/graph/graph_case.h"

namespace gradproof {
namespace {

/// As people write them: axes said early, late and of the second operand alone, chains, calls in
/// calls, definitions, outputs in another order.
constexpr std::array kNaturalLines{
    "h = add(x, residual); y = rms_norm(h, weight)",
    "y = add(b[cols], x[rows,cols])",
    "y = softmax(divide(sum(multiply(q[h,m,d], k[h,n,d]), d), 8), n)",
    "y = add(x[a,b], z[b,a])",
    "y = multiply(x[i,j], z[j,k])",
    "p = softmax(sum(multiply(q[b,h,i,d], k[b,h,j,d]), d), j); y = sum(multiply(p, v[b,h,j,d]), j)",
    "y = sum(multiply(a[i,k], b[k,j]), k)",
    "y = contract(a[i,k], b[k,j], k)",
    "y = max_pool(x[n,c,h,w], window=2x3, stride=1x2, dilation=2)",
    "y = conv(x[n,c,h,w], weight, bias, stride=2x1, padding=1)",
    "h = conv(x[n,c,h,w], w1[m,c,a,b]); y = conv(relu(h), w2[out,m,kh,kw], groups=1)",
    "y = conv(x[n,c,l], weight[out,in,k], groups=4, dilation=2)",
    "y = conv_transpose(x[n,c,h,w], weight[c,out,kh,kw], groups=2, stride=2, output_padding=1)",
    "x[n,c,h,w] -> conv(w1[m,c,kh,kw]) -> max_pool(window=2) -> y",
    "y[j,b,i] = contract(a[b,i,k], w[b,k,j], k)",
    "s = split(x[b,t,c], c, heads, d, parts=4); q[b,heads,t,d] = permute(s); y = softmax(q, d)",
    "y = swiglu(slice(x[t,c], c, d, count=8), slice(x, c, d, from=8))",
    "prev = slice(pad(x[b,t], t, tp, before=1), tp, t); y = subtract(x, prev)",
    "y = concat(a[r,p], relu(b[r,q]), p, q, c)",
    "y = contract(a[i,k], rename(a, i, j), k)",
    "e = take(table[v,d], ids[b,t], v); y = rms_norm(e, weight)",
    "p = take(log_softmax(x[t,v]), labels[t], v, ignore=-100); y = sum(p, t)",
    "m = put(x[t,d], ids[t], g, size=3); y = subtract(x, take(m, ids, g))",
    "y[m] = contract(a[m,k,j], w[j,k], k, j); z = relu(y)",
    "f(t, u, k) := contract(t, u, k); y[n,m] = f(a[m,c], b[c,n], c)",
    "p = softmax(contract(q[b,h,i,d], k[b,h,j,d], d), j); y = contract(p, v[b,h,j,d], j)",
    "y = linear(relu(linear(x, w1[hidden,cols], b1)), w2[out,hidden], b2)",
    "y = mean(square(subtract(x, mean(x, cols))), cols)",
    "m = max(x, cols); e = exp(subtract(x, m)); y = divide(e, sum(e, cols))",
    "y = add(b[c], mean(x[n,c,h,w], h, w))",
    "y = multiply(scale[], x)",
    "y = multiply(g[h], x[t,h,d])",
    "y = rotary(x[t,h,d], cos[t,d], sin[t,d])",
    "y = rotary(x[t,h,d], fixed(cos[t,d]), fixed(sin[t,d]))",
    "y = batch_norm(x[n,c,h,w], g, b); m = running_mean(x, mean); v = running_var(x, var)",
    "y = group_norm(x[n,c,h,w], weight, beta, groups=2)",
    "y = max_pool(relu(x[n,c,h,w]), window=2)",
    "x[n,c,h,w] -> max_pool(window=2) -> mean(h, w) -> add(b[c]) -> y",
    "l = nll_loss(log_softmax(x), labels)",
    "y = add(z[k], sum(x[i,j,k], i, j))",
    "y = add(sum(x[i,j,k], i), sum(x, j))",
    "y = multiply(sum(a[i,j], j), sum(b[j,i], j))",
    "y = divide(x, sqrt(add(sum(square(x), cols), eps[])))",
    "y = softmax(add(multiply(0.125, s[b,h,i,j]), bias[h,i,j]), j)",
    "y = softmax(add(scores[h,i,j], fixed(mask[i,j])), j, empty=zero)",
    "y = softmax(add(fixed(mask[i,j]), scores[h,i,j]), j, empty=nan)",
    "y = multiply(softmax(x), fixed(keep)); z = multiply(y, keep)",
    "a = relu(x); y = multiply(a, fixed(x))",
    "y = multiply(x, keep); z = multiply(y, fixed(keep, kind=coin))",
    "y = softmax(add(s[h,i,j], fixed(m[i,j], kind=causal)), j)",
    "y = mean(square(subtract(x, fixed(target))), rows, cols)",
    "y = layer_norm(add(attn[t,d], x[t,d]), weight, beta)",
    "y = max(x[b,t,d], t); z = mean(x, d)",
    "y = sum(multiply(x[i,j,k], w[k]), k); z = sum(multiply(x, u[j]), j)",
    "a = multiply(x[i,j], u[j]); b = multiply(x, v[i]); y = add(a, b)",
    "y = add(u[j,k], x[i,j])",
    "y = softmax(x[i,j], i)",
    "y = log_softmax(x[n,c,h,w], c)",
    "y = logsumexp(x[n,c,h], c, h, empty=zero)",
    "y = subtract(sum(x[i,j], i), sum(x, j))",
    "serf(t) := multiply(t, erf(softplus(t))); y = serf(x)",
    "peak(t, a) := divide(t, max(abs(t), a)); y = peak(x[r,c], c)",
    "f(t, u) := {h = multiply(t, u); add(h, u)}; y = f(x[i,j], w[j,k])",
    "f(t, u) := add(t, u); y = f(b[k], x[i,k])",
    "f(t, u) := multiply(t, u); g(t, u) := {h = f(t, u); exp(h)}; y = g(x[i], fixed(w[j])); z = "
    "f(y, v[k])",
    "swoosh(t, a=1) := log(add(1, exp(multiply(t, a)))); y = swoosh(swoosh(x, a=4)); outputs y",
    "h = add(b[k], c[i]); g = add(e[k,j], h); y = sum(g, i, j)",
    "y = linear(mean(x[b,t,d], t), w[e,d])",
    "y = linear(x[b,d], w[e,d]); z = add(v[e], y)",
    "h = relu(x); y = tanh(h); z = exp(h); outputs z y h",
    "y = hardtanh(add(x, -0.1), min=-1e-30, max=1e+30)",
    "y = add(x[out], linear(z[cols], w))",
    "r = detach(rstd(x, cols)); y = multiply(subtract(x, mean(x, cols)), r)",
    "y = avg_pool(add(b[c], x[n,c,h]), window=3, stride=1, padding=1)",
    "outputs = relu(outs); y = tanh(outputs)",
};

void expect_same_again(const Graph& graph, const std::string& line) {
  const Graph again = parse_graph(to_string(graph));
  EXPECT_EQ(again, graph) << line << "\n  " << to_string(graph) << "\n  " << to_string(again);
  EXPECT_EQ(to_string(again), to_string(graph)) << line;
}

TEST(PrintedLine, IsTheGraphThatItWas) {
  static_assert(kNaturalLines.size() >= 40);
  for (const char* line : kNaturalLines) expect_same_again(parse_graph(line), line);
}

TEST(PrintedLine, OfEverySuiteIsTheGraphThatItWas) {
  int read = 0;
  for (const char* suite : {"level2", "language", "norms", "elementwise"})
    for (const Case& c :
         read_cases(std::string(GRADPROOF_SOURCE_DIR "/fixtures/cases/") + suite + ".cases", {})) {
      expect_same_again(graph_of(c), to_string(c));
      EXPECT_EQ(parse_case(to_string(c), {}), c);
      ++read;
    }
  EXPECT_GT(read, 150);
}

TEST(PrintedLine, OfADrawnGraphIsTheGraphThatItWas) {
  int fixed = 0;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const std::string line = drawn_long_graph_case(29, k);
    try {
      expect_same_again(graph_of(parse_case(line, {})), line);
    } catch (const UsageError&) {
      continue;
    }
    fixed += line.find("fixed(") != std::string::npos;
  }
  EXPECT_GT(fixed, 50);
}

/// The control: graphs that differ in the order of axes, in an axis or in what is fixed are not the
/// same.
TEST(PrintedLine, OfAnotherGraphIsAnother) {
  const Graph one = parse_graph("y = add(x[i,j], z[j])");
  for (const char* other : {"y = add(x[j,i], z[j])", "y = add(x[i,j], z[i])",
                            "y = add(x[i,j], fixed(z[j]))", "y = add(z[j], x[i,j])"})
    EXPECT_FALSE(parse_graph(other) == one) << other;
}

}  // namespace
}  // namespace gradproof
