// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/stages.h"
#include "core/graph/text/written_call.h"

namespace gradproof {

/// The arguments that the names of a definition stand for in one call of it.
using Bindings = std::map<std::string, WrittenArgument, std::less<>>;

/// A stage that a graph's text defines by others: `serf(t) := multiply(t, erf(softplus(t)))`, or
/// with values of its own `f(t, a=1) := {h = exp(t); divide(h, add(h, a))}`.
class Definition {
 public:
  struct Statement {
    std::string value;  ///< empty: that of the definition
    WrittenCall call;
  };

  /// `head` is what stands left of `:=`, and `tokens` stand behind it. `earlier` are the
  /// definitions that this one may take. Throws UsageError, which quotes the text.
  Definition(const WrittenArgument& head, Tokens& tokens, const std::vector<Definition>& earlier);

  const GraphDefinition& described() const { return described_; }
  const std::string& word() const { return described_.word; }
  const std::vector<Statement>& statements() const { return statements_; }

  /// Binds the arguments of a call, none of which is a call itself. Throws UsageError for other
  /// arguments than the definition has; `line` is quoted.
  Bindings bound(const WrittenCall& call, std::string_view line) const;

 private:
  void take_parameters(const WrittenCall& head, Tokens& tokens);
  void read_body(Tokens& tokens);
  void bind_number(Bindings& all, const WrittenArgument& number, std::string_view line) const;
  void check_names(const std::vector<Definition>& earlier, Tokens& tokens) const;

  GraphDefinition described_;
  std::vector<Statement> statements_;
};

/// The definition of that word, null where there is none.
const Definition* find_definition(const std::vector<Definition>& all, std::string_view word);

/// A call of a definition as the graph keeps it (Graph::calls); `value` is what it makes.
GraphStep noted_call(const std::string& value, const WrittenCall& call);

/// The row of a stage that no definition has. Throws UsageError with the nearest word.
const GraphStage& stage_beside(const std::vector<Definition>& definitions, std::string_view word);

/// The call with its names replaced by what is bound to them; a name that nothing binds is marked.
WrittenCall substituted(const WrittenCall& call, const Bindings& bound);

}  // namespace gradproof
