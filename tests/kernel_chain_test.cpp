// SPDX-License-Identifier: Apache-2.0
// The contract's chains of additions against those that the kernel really has: its own source runs
// on a number that counts, launch by launch.
#define GRADPROOF_UNIT counting
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/inputs.h"
#include "kernels/batchnorm_bias_divide_swish.cu"
#include "kernels/kernel.h"
#include "simt/counted.h"

namespace gradproof {
namespace {

using simt::Counted;

/// What one element goes through outside all reductions: ((weight xhat + beta) + bias) on the way
/// there, (g - mean) - xhat mean on the way back.
constexpr std::int64_t kPointwise = 2;

std::vector<Counted> counted(const Tensor& tensor) {
  std::vector<Counted> numbers;
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    numbers.emplace_back(static_cast<float>(tensor.at(i)));
  return numbers;
}

/// The kernel's tensors for a Case, contiguous, in numbers that count.
struct Memory {
  explicit Memory(const Case& c) : claim(kernel_of(c).claim(c)) {
    for (const auto& [name, tensor] : make_inputs(c, claim)) numbers[name] = counted(tensor);
    const auto cols = static_cast<std::size_t>(claim.cols);
    numbers["y"] = numbers["d_x"] = numbers["x"];
    for (const char* name : {"mean", "rstd", "d_weight", "d_beta", "d_bias"})
      numbers[name] = std::vector<Counted>(cols);
    const std::int64_t scratch = batchnorm::workspace_elements(claim.rows, claim.cols);
    numbers["workspace"] = std::vector<Counted>(static_cast<std::size_t>(scratch));
    bias_stride = c.is("bias", "one") ? 0 : 1;
  }

  Counted* at(const std::string& name) { return numbers.at(name).data(); }
  Matrix<Counted> matrix(const std::string& name) { return {at(name), claim.cols, 1}; }
  Matrix<const Counted> input(const std::string& name) { return {at(name), claim.cols, 1}; }

  BatchNormForward<Counted> forward() {
    BatchNormForward<Counted> a{};
    a.rows = claim.rows, a.cols = claim.cols;
    a.x = input("x"), a.y = matrix("y");
    a.weight = at("weight"), a.beta = at("beta"), a.bias = at("bias");
    a.bias_stride = bias_stride;
    a.running_mean = at("running_mean"), a.running_var = at("running_var");
    a.mean = at("mean"), a.rstd = at("rstd");
    a.eps = 1e-5f, a.momentum = 0.1f, a.divide = 1.75f;
    a.training = true;
    a.workspace = at("workspace");
    return a;
  }

  BatchNormBackward<Counted> backward() {
    BatchNormBackward<Counted> a{};
    a.rows = claim.rows, a.cols = claim.cols;
    a.x = input("x"), a.dy = input("dy"), a.d_x = matrix("d_x");
    a.weight = at("weight"), a.beta = at("beta"), a.bias = at("bias");
    a.bias_stride = bias_stride;
    for (const char* name : {"mean", "rstd"}) numbers[name].assign(numbers[name].size(), 0.5f);
    a.mean = at("mean"), a.rstd = at("rstd");
    a.d_weight = at("d_weight"), a.d_beta = at("d_beta"), a.d_bias = at("d_bias");
    a.divide = 1.75f;
    a.batch_statistics = claim.pipeline.batch_statistics;
    a.workspace = at("workspace");
    return a;
  }

  std::int64_t declared(const std::string& reduction) const {
    return claim.contract.reduction(reduction).chain;
  }

  Claim claim;
  std::map<std::string, std::vector<Counted>> numbers;
  std::int64_t bias_stride = 1;
};

/// A number that counts is twice as large as the one it stands for, and so is the shared memory.
simt::Options twice_the_shared_memory() {
  simt::Options options;
  options.profile.opt_in_shared_bytes *= sizeof(Counted) / sizeof(float);
  return options;
}

/// The longest chain over several launches; numbers keep their depth in memory from one to the
/// next.
template <class... Launch>
std::int64_t longest_of(const Launch&... launches) {
  const simt::Scope scope(twice_the_shared_memory());
  std::int64_t longest = 0;
  ((launches(), longest = std::max<std::int64_t>(longest, simt::max_addition_chain())), ...);
  return longest;
}

std::int64_t measured_forward(Memory& memory) {
  const BatchNormForward<Counted> a = memory.forward();
  if (a.rows <= batchnorm::kResidentRows) return longest_of([&] { launch_forward_resident(a); });
  return longest_of([&] { launch_moments(a); }, [&] { launch_finish_statistics(a); },
                    [&] { launch_normalize(a); });
}

std::int64_t measured_backward(Memory& memory) {
  const BatchNormBackward<Counted> a = memory.backward();
  if (!a.batch_statistics)
    return longest_of([&] { launch_sums<true>(a); }, [&] { launch_finish_gradients(a); });
  if (a.rows <= batchnorm::kResidentRows) return longest_of([&] { launch_backward_resident(a); });
  return longest_of([&] { launch_sums<false>(a); }, [&] { launch_finish_gradients(a); },
                    [&] { launch_d_x(a); });
}

/// A declaration is right when no chain is longer and one is as long.
bool is_right(std::int64_t declared, std::int64_t measured) {
  return measured == std::max(declared, kPointwise);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::string word = "batchnorm_bias_divide_swish dy=normal";
  for (const int rows : {2,   3,    5,    8,    31,   32,   33,   64,   100,  127,   128,   129,
                         257, 1000, 1024, 1025, 1030, 1537, 2048, 2049, 4100, 16384, 16897, 40000})
    for (const char* rest : {" cols=4", " cols=5 bias=one", " cols=3 mode=eval"})
      all.push_back(parse_case(word + " rows=" + std::to_string(rows) + rest, schemas()));
  all.push_back(parse_case(word + " rows=40 cols=300 bias=one", schemas()));
  all.push_back(parse_case(word + " rows=1200 cols=700 bias=one", schemas()));
  return all;
}

TEST(KernelChain, DeclaredStatisticsChainIsTheKernelsOwn) {
  for (const Case& c : cases()) {
    if (!c.is("mode", "train")) continue;
    Memory memory(c);
    const std::int64_t measured = measured_forward(memory);
    const std::int64_t declared = memory.declared("statistics");
    EXPECT_TRUE(is_right(declared, measured))
        << to_string(c) << " declared " << declared << " measured " << measured;
  }
}

TEST(KernelChain, DeclaredGradientChainIsTheKernelsOwn) {
  for (const Case& c : cases()) {
    Memory memory(c);
    const std::int64_t measured = measured_backward(memory);
    const std::int64_t declared = memory.declared("gradients");
    EXPECT_TRUE(is_right(declared, measured))
        << to_string(c) << " declared " << declared << " measured " << measured;
  }
}

TEST(KernelChain, DeclaredBiasChainFollowsThatOfTheColumns) {
  for (const Case& c : cases()) {
    if (!c.is("bias", "one")) continue;
    Memory memory(c);
    measured_backward(memory);
    const std::int64_t measured = longest_of([&] { launch_bias_gradient(memory.backward()); });
    const std::int64_t declared = memory.declared("gradients") + memory.declared("bias_gradient");
    EXPECT_EQ(declared, measured) << to_string(c);
  }
}

TEST(KernelChain, ControlAChainDeclaredOneShorterOrLongerIsCaught) {
  int caught = 0;
  for (const Case& c : cases()) {
    Memory memory(c);
    const std::int64_t declared = memory.declared("gradients");
    if (declared <= kPointwise) continue;
    const std::int64_t measured = measured_backward(memory);
    EXPECT_FALSE(is_right(declared - 1, measured)) << to_string(c);
    EXPECT_FALSE(is_right(declared + 1, measured)) << to_string(c);
    ++caught;
  }
  EXPECT_GT(caught, 0);
}

}  // namespace
}  // namespace gradproof
