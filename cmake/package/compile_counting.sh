#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CMake's launcher of the compiler for a unit that counts additions (GradproofKernelTest.cmake): its arguments are the
# compiler's command. Sources that do not compile with a number that counts are no error of the build: the unit is compiled
# without them, and the reason is in it.
errors=$(mktemp) || exit 1
trap 'rm -f "$errors"' EXIT
if "$@" 2> "$errors"; then
  exit 0
fi
reason=$(grep -m 1 'error:' "$errors" | sed -e 's|^[^ :]*/||' -e 's/:[0-9]*: \(fatal \)\{0,1\}error:/:/' | tr -c 'A-Za-z0-9 _.:,()<>*&=+-' ' ' |
  tr -s ' ' | cut -c 1-160 | sed 's/ *$//')
reason="they do not compile with a number that counts ($reason)"
echo "gradproof: the sums of these sources are not counted: $reason" >&2
"$@" "-DGRADPROOF_NOT_COUNTED=\"$reason\""
