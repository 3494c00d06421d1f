// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pair_support.h"

namespace gradproof {
namespace {

using Shape = std::vector<std::int64_t>;
using Changes = std::vector<std::function<void(LinearModel&)>>;

/// No size but the published ones is a multiple of anything, and K is never N.
const std::vector<Size> kColumnSizes{{128, 1024, 512, 0}, {33, 19, 67, 0}, {2, 5, 3, 0}};
std::vector<Size> group_sizes(std::int64_t published_groups) {
  return {{128, 512, 1024, published_groups}, {33, 19, 66, 3}, {2, 5, 12, 4}, {3, 7, 10, 1}};
}

template <class B>
Changes batch_norm_changes() {
  using Options = torch::nn::BatchNorm1dOptions;
  const auto replace = [](LinearModel& m, const std::function<Options(Options)>& with) {
    auto& base = dynamic_cast<B&>(m);
    base.replace_bn(with(Options(m.linear()->options.out_features())));
  };
  return {[](LinearModel& m) { dynamic_cast<B&>(m).bn->options.eps(0.5); },
          [](LinearModel& m) { m.eval(); }, [](LinearModel& m) { dynamic_cast<B&>(m).bn->eval(); },
          [=](LinearModel& m) { replace(m, [](Options o) { return o.affine(false); }); },
          [=](LinearModel& m) {
            replace(m, [](Options o) { return o.track_running_stats(false).eps(0.1); });
          }};
}

template <class B>
Changes group_norm_changes() {
  return {
      [](LinearModel& m) { dynamic_cast<B&>(m).group_norm->options.eps(0.5); },
      [](LinearModel& m) {
        auto& base = dynamic_cast<B&>(m);
        const auto& options = base.group_norm->options;
        base.replace_norm(torch::nn::GroupNormOptions(options.num_groups(), options.num_channels())
                              .affine(false));
      },
      [](LinearModel& m) { dynamic_cast<B&>(m).group_norm->options.num_groups(1); }};
}

p97::Arguments p97_arguments(const Size& s, const Shape& vector) {
  return {s.in_features, s.out_features, 1e-3, 0.3, vector, -2.5};
}
p39::Arguments p39_arguments(const Size& s, const Shape& vector) {
  return {s.in_features, s.out_features, vector, 1e-3, 0.3};
}
p37::Arguments p37_arguments(const Size& s, const Shape& vector) {
  return {s.in_features, s.out_features, s.groups, vector};
}
p88::Arguments p88_arguments(const Size& s, const Shape& vector) {
  return {s.in_features, s.out_features, s.groups, vector};
}

template <class M, class N, class A>
PairUnderTest row(const std::string& name, double tolerance,
                  A (*arguments)(const Size&, const Shape&), A (*init)(Edition),
                  std::vector<at::Tensor> (*inputs)(std::uint64_t, Edition),
                  const std::vector<Size>& sizes, const Changes& changes) {
  PairUnderTest pair;
  pair.name = name;
  pair.tolerance = tolerance;
  pair.whole = name.ends_with("_ModelNew");
  pair.batch_norm = sizes[0].groups == 0;
  const auto make = [](bool fused, const A& a) -> ModelPtr {
    if (fused) return std::make_shared<N>(a);
    return std::make_shared<M>(a);
  };
  pair.build = [=](bool fused, const Size& size, const Shape& vector) {
    return make(fused, arguments(size, vector));
  };
  pair.published = [=](bool fused, Edition edition) { return make(fused, init(edition)); };
  pair.inputs = inputs;
  pair.sizes = sizes;
  pair.changes = changes;
  return pair;
}

Changes p97_changes() {
  Changes changes = batch_norm_changes<p97::Base>();
  changes.push_back([](LinearModel& m) { dynamic_cast<p97::Base&>(m).divide_value = 0.3; });
  return changes;
}

template <class N>
PairUnderTest p97_row(const std::string& name) {
  return row<p97::Model, N>("P97_" + name, 1e-4, p97_arguments, p97::get_init_inputs,
                            p97::get_inputs, kColumnSizes, p97_changes());
}
PairUnderTest p39_row() {
  return row<p39::Model, p39::ModelNew>("P39_ModelNew", 1e-4, p39_arguments, p39::get_init_inputs,
                                        p39::get_inputs, kColumnSizes,
                                        batch_norm_changes<p39::Base>());
}
template <class N>
PairUnderTest p37_row(const std::string& name) {
  return row<p37::Model, N>("P37_" + name, 1e-5, p37_arguments, p37::get_init_inputs,
                            p37::get_inputs, group_sizes(32), group_norm_changes<p37::Base>());
}
template <class N>
PairUnderTest p88_row(const std::string& name) {
  return row<p88::Model, N>("P88_" + name, 1e-4, p88_arguments, p88::get_init_inputs,
                            p88::get_inputs, group_sizes(16), group_norm_changes<p88::Base>());
}

std::vector<PairUnderTest> those(bool PairUnderTest::*quality) {
  std::vector<PairUnderTest> some;
  for (const PairUnderTest& pair : pairs())
    if (pair.*quality) some.push_back(pair);
  return some;
}

}  // namespace

const std::vector<PairUnderTest>& pairs() {
  static const std::vector<PairUnderTest> all{p97_row<p97::ModelNew>("ModelNew"),
                                              p97_row<p97::TailNew>("TailNew"),
                                              p39_row(),
                                              p37_row<p37::ModelNew>("ModelNew"),
                                              p37_row<p37::HeadNew>("HeadNew"),
                                              p88_row<p88::ModelNew>("ModelNew"),
                                              p88_row<p88::TailNew>("TailNew"),
                                              p88_row<p88::NormNew>("NormNew")};
  return all;
}

std::vector<PairUnderTest> whole_pairs() { return those(&PairUnderTest::whole); }
std::vector<PairUnderTest> batch_norm_pairs() { return those(&PairUnderTest::batch_norm); }

bool close(const at::Tensor& got, const at::Tensor& want, double tolerance) {
  return got.sizes() == want.sizes() &&
         at::allclose(got.to(at::kDouble), want.to(at::kDouble), tolerance, tolerance);
}

void randomize(LinearModel& model, std::uint64_t seed) {
  const at::NoGradGuard no_gradients;
  torch::manual_seed(seed);
  for (auto& [name, tensor] : state_dict(model)) {
    const at::Tensor& into = tensor;
    if (name.starts_with(model.names().linear + ".")) continue;
    if (name.ends_with("num_batches_tracked"))
      into.fill_(7);
    else if (name.ends_with("running_var"))
      into.uniform_(0.5, 2);
    else
      into.uniform_(0.5, 1.5).mul_(at::randn_like(into).sign_());
  }
}

Built::Built(const PairUnderTest& pair, const Size& size, const Shape& vector_shape) {
  torch::manual_seed(5);
  model = pair.build(false, size, vector_shape);
  fused = pair.build(true, size, vector_shape);
  randomize(*model, 7);
  copy_weights(*model, *fused);
}

at::Tensor input(const Size& size, std::uint64_t seed) {
  torch::manual_seed(seed);
  return at::randn({size.batch, size.in_features});
}

at::Tensor cotangent(const Size& size) {
  torch::manual_seed(9);
  return at::randn({size.batch, size.out_features});
}

std::string differing(const torch::nn::Module& a, const torch::nn::Module& b, double tolerance) {
  const StateDict other = state_dict(b);
  std::string names;
  for (const auto& [name, tensor] : state_dict(a))
    if (!close(tensor, other.at(name), tolerance)) names += name + " ";
  return names;
}

torch::nn::BatchNorm1dImpl* bn_of(LinearModel& model) {
  const auto modules = model.named_modules();
  const auto* found = modules.find("bn");
  return found ? (*found)->as<torch::nn::BatchNorm1dImpl>() : nullptr;
}

}  // namespace gradproof
