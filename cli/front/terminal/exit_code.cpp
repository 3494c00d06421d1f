// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/exit_code.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include "cli/front/options.h"
#include "cli/front/terminal/paint.h"
#include "cli/process/interrupt.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"

namespace gradproof {
namespace {

/// A shell gives this exit code to a program that a broken pipe ended.
constexpr int kBrokenPipe = 128 + SIGPIPE;

int report_error(const std::string& reason, int code) {
  complain("gradproof: " + reason);
  return code;
}

int code_or_help(const std::function<int()>& verb) {
  try {
    return verb();
  } catch (const HelpRequest& help) {
    say(help.text);
    return 0;
  }
}

}  // namespace

int exit_code_of(const std::function<int()>& verb) {
  try {
    const int code = code_or_help(verb);
    flush_output();
    return code;
  } catch (const UsageError& error) {
    return report_error(error.what(), 2);
  } catch (const Interrupted& error) {
    return report_error(error.what(), kExitInterrupted);
  } catch (const std::system_error& error) {
    // A reader that closes the pipe has read enough: `gradproof list | head -n 1`.
    if (error.code().value() == EPIPE) return kBrokenPipe;
    // {fmt} throws where it cannot print, and cannot know what it printed to.
    if (std::ferror(stdout) == 0) return report_error(error.what(), 3);
    return report_error("cannot write standard output: " + error.code().message(), 3);
  } catch (const std::exception& error) {
    return report_error(error.what(), 3);
  }
}

}  // namespace gradproof
