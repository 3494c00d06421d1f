// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/calls.h"

#include <new>
#include <system_error>

#include "core/error.h"
#include "core/float_mode.h"
#include "core/tensor/digest.h"
#include "simt/device.h"
#include "simt/launch.h"

namespace gradproof {
namespace {

bool is_result(const TensorSpec& spec) {
  return spec.role == Role::output || spec.role == Role::gradient;
}

/// Returns what the exception in flight says against the entry point that threw it. Rethrows it if
/// it says nothing: want of memory or threads, an impossible Case or device, our own fault.
simt::Findings findings_of_exception() {
  try {
    throw;
  } catch (const simt::ExecutionError& error) {
    return error.findings();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::system_error&) {
    throw;
  } catch (const UsageError&) {
    throw;
  } catch (const InstrumentError&) {
    throw;
  } catch (const simt::NoDevice&) {
    throw;
  } catch (const simt::NoRoom&) {
    throw;
  } catch (const simt::LaunchError&) {
    throw;
  } catch (const std::exception& error) {
    return {{"exception", error.what()}};
  } catch (...) {
    return {{"exception", "without a text"}};
  }
}

/// Restores the mode that this thread had; a call that left another mode is wrong, and so would be
/// everything that is computed after it.
class KeptFloatMode {
 public:
  ~KeptFloatMode() { set_float_mode(before_); }
  KeptFloatMode() = default;
  KeptFloatMode(const KeptFloatMode&) = delete;
  KeptFloatMode& operator=(const KeptFloatMode&) = delete;

  simt::Findings changed() const {
    const std::string change = change_of(before_, float_mode());
    if (change.empty()) return {};
    return {{"float-mode", "the call left " + change}};
  }

 private:
  FloatMode before_ = float_mode();
};

}  // namespace

void append(simt::Findings& all, simt::Findings more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<GuardedTensor> place_given(const Claim& claim, simt::Backend backend, std::byte poison,
                                       const std::string& of) {
  std::vector<GuardedTensor> all;
  for (const TensorSpec& spec : claim.tensors)
    if (!is_result(spec)) all.emplace_back(spec, backend, poison, of);
  return all;
}

std::vector<GuardedTensor> place_results(const Claim& claim, simt::Backend backend,
                                         std::byte poison, const std::string& of) {
  std::vector<GuardedTensor> all;
  for (const TensorSpec& spec : claim.tensors)
    if (is_result(spec)) all.emplace_back(spec, backend, poison, of);
  return all;
}

simt::Findings replace(std::vector<GuardedTensor>& given, const Tensors& numbers) {
  simt::Findings findings;
  for (GuardedTensor& placed : given) {
    const auto found = numbers.find(placed.spec().name);
    if (found == numbers.end()) continue;
    append(findings, placed.changed());
    placed.put(found->second);
  }
  return findings;
}

KernelRun leave(std::vector<GuardedTensor>& given, std::vector<GuardedTensor>& results, Keep keep,
                simt::Findings findings) {
  KernelRun run;
  run.findings = std::move(findings);
  for (std::vector<GuardedTensor>* all : {&given, &results}) {
    for (GuardedTensor& placed : *all) {
      const std::string& name = placed.spec().name;
      GuardedTensor::Left left = placed.leave(run.findings);
      append(run.findings, std::move(left.findings));
      if (!placed.is_written()) continue;
      run.digests.emplace(name, digest(left.tensor));
      if (keep == Keep::tensors) run.tensors.emplace(name, std::move(left.tensor));
    }
  }
  return run;
}

simt::Findings run_steps(const Steps& steps) {
  for (const auto& step : steps)
    if (simt::Findings findings = step(); !findings.empty()) return findings;
  return {};
}

Caller::Caller(const Kernel& kernel, const Case& c, const Execution& execution, std::byte poison)
    : kernel_(kernel),
      entry_(kernel.entry_of(c)),
      plain_(kernel.call(c)),
      execution_(execution),
      poison_(poison),
      stream_(execution.backend) {
  plain_.backend = execution.backend;
  plain_.stream = stream_.handle();
}

simt::Options Caller::options() const {
  simt::Options options = execution_.options;
  options.stream = stream_.handle();
  return options;
}

Call Caller::call_on(std::vector<GuardedTensor>& given, std::vector<GuardedTensor>& results) const {
  Call call = plain_;
  for (GuardedTensor& placed : given) call.views.emplace(placed.spec().name, placed.view());
  for (GuardedTensor& placed : results) call.views.emplace(placed.spec().name, placed.view());
  return call;
}

KernelPass Caller::forward_pass(const Call& call) const {
  return {entry_.forward, call, kernel_.workspace(call), "workspace of forward", poison_, stream_};
}

KernelPass Caller::backward_pass(const Call& call) const {
  return {entry_.backward,         call,    kernel_.workspace(call),
          "workspace of backward", poison_, stream_};
}

simt::Findings Caller::run(KernelPass pass) const {
  simt::synchronize(backend());
  pass.launch();
  return pass.finish();
}

/// The workspace begins as poison, so that no number of another pass can serve this one.
KernelPass::KernelPass(const EntryPoints::Function& entry, Call call, std::size_t workspace,
                       const std::string& name, std::byte poison, const simt::Stream& stream)
    : entry_(entry),
      call_(std::move(call)),
      workspace_(call_.backend, workspace, name),
      stream_(stream) {
  fill_with(workspace_, poison);
  const auto floats = static_cast<std::int64_t>(workspace / sizeof(float));
  call_.views.insert_or_assign("workspace", View{workspace_.data(), DType::f32, {floats}, {1}});
}

void KernelPass::launch() {
  const KeptFloatMode mode;
  try {
    entry_(call_);
  } catch (...) {
    findings_ = findings_of_exception();
  }
  append(findings_, mode.changed());
}

simt::Findings KernelPass::finish() {
  try {
    stream_.synchronize();
  } catch (const simt::ExecutionError& error) {
    append(findings_, error.findings());
  }
  append(findings_, damage_of(workspace_, findings_));
  return std::move(findings_);
}

}  // namespace gradproof
