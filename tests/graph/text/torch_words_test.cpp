// SPDX-License-Identifier: Apache-2.0
// Messages about words, arguments and operators that torch and Python have and a line has not.
#include "core/graph/text/torch_words.h"

#include <array>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/graph.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

std::string refusal_of(const std::string& line) {
  try {
    parse_graph(line);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TorchWord, IsNoStageAndItsLineIsALine) {
  for (const TorchWord& w : torch_words()) {
    EXPECT_FALSE(is_graph_stage(w.word)) << w.word;
    EXPECT_EQ(w.line.empty(), !w.reason.empty()) << w.word;
    if (w.line.empty()) continue;
    EXPECT_NO_THROW(parse_graph(w.line)) << w.line;
  }
}

struct Led {
  std::string line;
  std::string part;  ///< of the refusal
};

TEST(TorchWord, LeadsToOurs) {
  for (const auto& [line, part] : std::array{
           Led{"y = mul(x, z)",
               "unknown stage 'mul'; 'gradproof list stages' names them; in a "
               "line it is 'y = multiply(x, z)'"},
           Led{"y = torch.div(x, z)", "in a line it is 'y = divide(x, z)'"},
           Led{"y = matmul(a, b)", "'y = contract(a[i,k], b[k,j], k)'"},
           Led{"y = bmm(a, b)", "'y = contract(a[b,i,k], c[b,k,j], k)'"},
           Led{"y = sub(x, z)", "'y = subtract(x, z)'"},
           Led{"y = std(x, cols)", "'y = sqrt(var(x, cols))'"},
           Led{"y = celu(x)", "'y = elu(x, alpha=1)'"},
           Led{"y = F.cross_entropy(x, t)", "'y = nll_loss(log_softmax(x), labels)'"},
           Led{"y = torch.cat(x, z)", "'y = concat(a[rows,p], b[rows,q], p, q, cols)'"},
           Led{"y = x.view(z)", "'s = split(x[b,t,c], c, h, d, parts=4)'"},
           Led{"y = masked_fill(x, m, z)", "'y = where(mask, -inf, x)'"},
           Led{"y = Conv2d(x, w)", "'y = conv(x[n,c,h,w], weight, bias, stride=2, padding=1)'"},
           Led{"y = F.relu(x)", "in a line it is 'relu'"},
           Led{"y = Softmax(x)", "in a line it is 'softmax'"},
           Led{"y = x.mul_(z)", "'y = multiply(x, z)'"},
           Led{"y = unsqueeze(x)", "no step is needed"},
           Led{"x -> mul(z) -> y", "'y = multiply(x, z)'"}})
    EXPECT_NE(refusal_of(line).find(part), std::string::npos) << line << "\n" << refusal_of(line);
}

TEST(TorchArgument, LeadsToOurs) {
  for (const auto& [line, part] : std::array{
           Led{"y = mean(x, -1)",
               "'-1' is too many; axes are said by name, as in 'y = mean(x, "
               "cols)'"},
           Led{"y = softmax(x[n,c,h], 1)", "as in 'y = softmax(x, c)'"},
           Led{"y = sum(x, 0)", "as in 'y = sum(x, rows)'"},
           Led{"y = softmax(x, dim=1)", "unknown option 'dim' of softmax"},
           Led{"y = softmax(x, dim=1)", "axes are said by name behind the operands"},
           Led{"y = sum(x, cols, keepdim=True)", "leave it out: operands are joined by the names"},
           Led{"y = var(x, cols, unbiased=0)", "correction=0 by N"},
           Led{"y = clamp(x, 0, 1)", "as in 'y = hardtanh(x, min=NUMBER, max=NUMBER)'"},
           Led{"y = linear(x, w.T)", "'w.T' is no tensor: the axes of 'w' have names"},
           Led{"y = add(x, inf)", "'inf' is no tensor: a line has finite numbers"}})
    EXPECT_NE(refusal_of(line).find(part), std::string::npos) << line << "\n" << refusal_of(line);
}

TEST(PythonOperator, IsAStage) {
  for (const auto& [line, part] :
       std::array{Led{"y = x * z", "'*' is a stage, as in 'y = multiply(x, z)'"},
                  Led{"y = x @ z", "'@' is a stage, as in 'y = contract(a[i,k]"},
                  Led{"y = 2 * x", "'*' is a stage"},
                  Led{"y = relu(x) + z", "'+' is a stage, as in 'y = add(x, z)'"},
                  Led{"y = exp(x) / sum(exp(x), cols)", "'/' is a stage"},
                  Led{"y = x - z", "'-' is a stage"}})
    EXPECT_NE(refusal_of(line).find(part), std::string::npos) << line << "\n" << refusal_of(line);
  EXPECT_EQ(refusal_of("y = x -> relu").find("'-' is a stage"), std::string::npos);
}

/// The controls: words that nobody has are told nothing, and what looks like a word of torch but is
/// a name in the line is taken.
TEST(TorchWord, OfNobodyLeadsNowhere) {
  EXPECT_EQ(advice_on_torch("qwerty"), "");
  EXPECT_EQ(advice_on_torch("relu"), "");
  EXPECT_EQ(advice_on_torch_key("eps"), "");
  EXPECT_EQ(advice_on_operator('('), "");
  EXPECT_EQ(refusal_of("mul = relu(x); y = tanh(mul)"), "accepted");
  EXPECT_EQ(refusal_of("y = add(x, gn.beta)"), "accepted");
  EXPECT_EQ(refusal_of("f(t) := {T = exp(t); multiply(T, t)}; y = f(x); z = add(y, y.T)"),
            "accepted");
}

}  // namespace
}  // namespace gradproof
