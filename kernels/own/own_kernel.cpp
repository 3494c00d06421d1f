// SPDX-License-Identifier: Apache-2.0
#include "kernels/own/own_kernel.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/case/law_key.h"
#include "core/case/schema_fault.h"
#include "core/case/witnessed_case.h"
#include "core/error.h"
#include "core/graph/contract/declared_contract.h"
#include "core/graph/graph_case.h"
#include "core/graph/graph_types.h"
#include "kernels/execution_keys.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

/// Replaces blanks by commas, so that a Case line can hold the text.
std::string without_blanks(std::string text) {
  std::replace(text.begin(), text.end(), ' ', ',');
  return text;
}

std::vector<std::string> names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(name_of(dtype));
  return names;
}

/// Returns read() for one of the kernel's texts; an error names the kernel and the text's key.
template <typename Read>
auto read_text(const OwnKernel& own, const char* key, const Read& read) {
  try {
    return read();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("the kernel '{}': {}: {}", own.word, key, error.what()));
  }
}

SchemaPtr schema_of(const OwnKernel& own, const Graph& graph, bool on_host) {
  if (own.dtypes.empty()) throw UsageError(fmt::format("'{}' has no dtype", own.word));
  if (own.word.starts_with('{'))
    throw UsageError(fmt::format("'{}' is no word: with '{{' a graph begins", own.word));
  if (own.word == kWitnessed)
    throw UsageError(fmt::format("'{}' is the word of Cases whose truths are given", own.word));
  Schema schema = schema_of_graph(graph, names_of(own.dtypes));
  schema.word = own.word;
  schema.summary = schema.pipeline;
  schema.contract = read_text(
      own, "contract", [&] { return to_string(parse_declared_contract(own.contract, graph)); });
  schema.keys.push_back({"contract",
                         KeyType::text,
                         without_blanks(schema.contract),
                         {},
                         0,
                         0,
                         "of the kernel (docs/contracts.md)",
                         {},
                         true});
  schema.keys.push_back(schedule_key());
  schema.keys.push_back(device_key(on_host ? "cpu" : "cuda"));
  schema.keys.push_back(streams_key());
  schema.keys.push_back(law_key());
  schema.keys.push_back(calls_key());
  schema.refusals.push_back(calls_without_law());
  require_axes_apart(schema);
  if (own.backward) add_gradients(graph, schema);
  if (const std::string fault = fault_of(schema); !fault.empty())
    throw UsageError(fmt::format("the kernel '{}': {}", own.word, fault));
  return std::make_shared<const Schema>(std::move(schema));
}

Role role_of(const GraphTensor& tensor) {
  return has_gradient(tensor.part) && tensor.part != TensorPart::input ? Role::parameter
                                                                       : Role::input;
}

/// The tensors of a Case, all of them contiguous.
class CaseTensors {
 public:
  CaseTensors(const Graph& graph, const Case& c)
      : graph_(graph), extents_(extents_of(graph, c)), types_(types_of(graph, c)) {}

  std::vector<TensorSpec> all(const OwnKernel& own) {
    for (const GraphTensor& t : graph_.tensors) add(t.name, role_of(t), types_.of(t.name), t.axes);
    for (const std::string& output : graph_.outputs)
      add(output, Role::output, types_.of(output), graph_.axes_of(output));
    for (const SavedTensor& saved : own.saved)
      add(saved.name, Role::output, saved.dtype, saved.axes);
    if (!own.backward) return std::move(specs_);
    for (const std::string& output : graph_.outputs)
      add("d" + output, Role::cotangent, types_.of("d" + output), graph_.axes_of(output));
    for (const GraphTensor& t : graph_.tensors)
      if (has_gradient(t.part))
        add("d_" + t.name, Role::gradient, types_.of("d_" + t.name), t.axes);
    return std::move(specs_);
  }

 private:
  void add(const std::string& name, Role role, DType dtype, const std::vector<std::string>& axes) {
    for (const TensorSpec& spec : specs_)
      if (spec.name == name) throw UsageError(fmt::format("two tensors are called '{}'", name));
    Shape shape;
    for (const std::string& axis : axes) {
      const auto extent = extents_.find(axis);
      if (extent == extents_.end())
        throw UsageError(fmt::format("the pipeline has no axis '{}' of '{}'", axis, name));
      shape.push_back(extent->second);
    }
    specs_.push_back({name, role, dtype, Layout::contiguous(shape), axes});
  }

  const Graph& graph_;
  GraphExtents extents_;
  GraphTypes types_;
  std::vector<TensorSpec> specs_;
};

Claim claim_of(const OwnKernel& own, const Graph& graph, const Case& c) {
  Claim claim;
  claim.graph = graph;
  claim.extents = extents_of(graph, c);
  claim.backward = static_cast<bool>(own.backward);
  claim.by_graph = true;
  claim.contract.deterministic = own.deterministic;
  claim.tensors = CaseTensors(graph, c).all(own);
  return claim;
}

Call call_of(const Graph& graph, const Case& c) {
  Call call;
  for (const auto& [axis, extent] : extents_of(graph, c)) call.extents.emplace(axis, extent);
  call.dtype = parse_dtype(c.text("dtype"));
  call.parameters = call.dtype;
  return call;
}

/// Turns an InstrumentError into a UsageError: the kernel asked for what the Call does not have.
void call_own(const std::string& word, const EntryPoints::Function& function, const Call& call) {
  try {
    function(call);
  } catch (const InstrumentError& error) {
    throw UsageError(fmt::format("the kernel '{}': {}", word, error.what()));
  }
}

/// The function that chooses the compilation for the call's back-end.
EntryPoints::Function either(const std::string& word, const EntryPoints::Function& host,
                             const EntryPoints::Function& device) {
  if (!host && !device) return {};
  return [=](const Call& call) {
    const bool cuda = call.backend == simt::Backend::cuda;
    const EntryPoints::Function& function = cuda ? device : host;
    if (!function)
      throw simt::NoDevice(
          fmt::format("'{}' was not compiled for device={}", word, cuda ? "cuda" : "cpu"));
    call_own(word, function, call);
  };
}

}  // namespace

Kernel system_of(const std::optional<OwnKernel>& host, const std::optional<OwnKernel>& device,
                 const CountingKernel& counting) {
  if (!host && !device) throw UsageError("a kernel has a compilation for the host or the device");
  const OwnKernel own = host ? *host : *device;
  if (!own.forward) throw UsageError(fmt::format("the kernel '{}' has no forward", own.word));
  const Graph graph = read_text(own, "pipeline", [&] { return parse_graph(own.pipeline); });
  Kernel kernel;
  kernel.schema = schema_of(own, graph, host.has_value());
  kernel.pipeline = graph;
  kernel.claim = [own, graph](const Case& c) { return claim_of(own, graph, c); };
  kernel.claim(Case(kernel.schema));  // refuses tensors of axes that the pipeline does not have
  kernel.call = [graph](const Case& c) { return call_of(graph, c); };
  kernel.workspace = [own](const Call& call) { return own.workspace ? own.workspace(call) : 0; };
  const EntryPoints none;
  const EntryPoints on_host = host ? EntryPoints{host->forward, host->backward} : none;
  const EntryPoints on_device = device ? EntryPoints{device->forward, device->backward} : none;
  kernel.entry = {either(own.word, on_host.forward, on_device.forward),
                  either(own.word, on_host.backward, on_device.backward)};
  kernel.counting.lack = counting.lack;
  if (const auto& counted = counting.kernel) {
    kernel.counting.entry = {counted->forward, counted->backward};
    kernel.counting.workspace = counted->workspace;
  }
  return kernel;
}

}  // namespace gradproof
