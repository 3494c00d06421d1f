// SPDX-License-Identifier: Apache-2.0
#include "cli/front/runs/run_facts.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/line_splitter.h"
#include "reports/runs/sealed_line.h"

namespace gradproof {
namespace {

std::vector<std::string> options_that_matter(const Options& o, Measured kind) {
  std::vector<std::string> texts;
  if (!o.known_failures.empty())
    texts.push_back("--known-failures " + content_of_file(o.known_failures));
  if (kind == Measured::comparison) return texts;
  if (o.entries > 0) texts.push_back(fmt::format("--entries sample:{}", o.entries));
  if (o.digits != Options().digits) texts.push_back(fmt::format("--digits {}", o.digits));
  if (o.direct) texts.emplace_back("--direct");
  return texts;
}

Checkout checkout_by_git() {
  Checkout checkout;
  std::FILE* pipe = popen(
      "git --no-optional-locks status --porcelain=v2 --branch --untracked-files=no 2>/dev/null",
      "r");
  if (pipe == nullptr) return checkout;
  LineSplitter lines;
  std::array<char, 4096> bytes;
  while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), pipe))
    lines.append({bytes.data(), count});
  const bool failed = pclose(pipe) != 0;
  constexpr std::string_view kCommit = "# branch.oid ";
  while (const auto line = lines.next()) {
    if (line->starts_with(kCommit)) checkout.commit = line->substr(kCommit.size());
    checkout.dirty = checkout.dirty || !line->starts_with('#');
  }
  if (failed || checkout.commit.empty()) return {};
  checkout.from = "git";
  return checkout;
}

Checkout checkout_here() {
  if (Checkout checkout = checkout_by_git(); !checkout.commit.empty()) return checkout;
  for (const char* name : {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"})
    if (const char* commit = std::getenv(name); commit != nullptr && *commit != '\0')
      return {commit, false, name};
  return {};
}

}  // namespace

std::string content_of_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  std::string id;
  if (descriptor >= 0 && fstat(descriptor, &info) == 0 && info.st_size > 0) {
    const auto size = static_cast<std::size_t>(info.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      id = content_id({static_cast<const char*>(bytes), size});
      munmap(bytes, size);
    }
  }
  if (descriptor >= 0) close(descriptor);
  return id;
}

static RunHeader header_of(Session& session, RunKind kind, const Scope& scope) {
  RunHeader header;
  header.kind = kind;
  header.worker = content_of_file(session.program());
  header.context = session.hello().context;
  header.plan = scope.plan;
  header.plan_cases = scope.cases;
  header.shards = scope.shards;
  return header;
}

RunHeader identity_of_run(const Options& options, Session& session, const Planned& planned,
                          Measured kind) {
  RunHeader header = header_of(session, kind, planned.scope);
  header.options = options_that_matter(options, kind);
  header.cases = texts_of(planned.cases);
  return header;
}

RunHeader identity_of_cells(Session& session, const RunPlan& plan, const Scope& scope,
                            const std::vector<std::string>& cells) {
  RunHeader header = header_of(session, plan.kind, scope);
  header.options = {plan.request};
  header.cases = cells;
  return header;
}

void add_surroundings(RunHeader& header, const Options& options) {
  header.command = options.command;
  header.checkout = checkout_here();
  utsname system{};
  if (uname(&system) != 0) return;
  header.host = system.nodename;
  header.system = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
}

}  // namespace gradproof
