# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: where things are, how phases are timed, how pins are read.
set -euo pipefail

script=$(basename "$0")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '%s: %s\n' "$script" "$*"; }

# fail <exit code> <message>...
fail() {
  local code=$1
  shift
  printf '%s: %s\n' "$script" "$*" >&2
  exit "$code"
}

# phase <name> <command>...: runs it, then prints one line with its seconds.
phase() {
  local name=$1 start=$EPOCHREALTIME
  shift
  "$@"
  local micros=$((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}))
  printf '%s: %-24s %7d.%d s\n' "$script" "$name" $((micros / 1000000)) $((micros % 1000000 / 100000))
}

# pinned <kind> <group>...: what scripts/pins lists for these groups, separated by blanks.
pinned() {
  local kind=$1 group
  shift
  for group in "$@"; do
    awk -v kind="$kind" -v group="$group" \
      '$1 == kind && $2 == group { for (i = 3; i <= NF; i++) printf "%s ", $i }' scripts/pins
  done
}

# Compiler processes at once: one for each core, as long as each has 2 GB (LibTorch's headers take 1.3).
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '$1 == "MemAvailable:" { print int($2 / 2000000) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# build <preset> [<target>...]: configures and builds. A warning stops CI, and nobody else. Where $native is ON or OFF, for this
# machine alone or for any (cmake/GradproofInstructionSets.cmake); else as the tree is.
build() {
  local preset=$1 strict=()
  shift
  [ "${CI:-}" != true ] || strict=(-D GRADPROOF_WARNINGS_AS_ERRORS=ON)
  phase "configure $preset" cmake --preset "$preset" "${strict[@]}" ${native:+-D GRADPROOF_NATIVE="$native"} --log-level=WARNING
  phase "build $preset" compile "build/$preset.log" cmake --build --preset "$preset" --parallel "$(jobs)" ${1:+--target "$@"}
}

# compile <log> <command>...: on a terminal as it is; elsewhere a line every half minute in place of one for each file, and at the
# end what compilers said.
compile() {
  local log=$1 code=0 watcher
  shift
  if [ -t 1 ]; then "$@" && return || return; fi
  (while sleep 30; do tail -n 1 "$log" | sed -n "s|^\[\([0-9]*\)/\([0-9]*\)\].*|$script: \1 of \2 steps|p"; done) &
  watcher=$!
  "$@" >"$log" 2>&1 || code=$?
  kill "$watcher"
  wait "$watcher" 2>/dev/null || true
  sed '/^\[[0-9]*\/[0-9]*\]/d' "$log"
  return "$code"
}

# list_sources [<pattern>...]: all C++ and CUDA sources, and what else fits, NUL-terminated: the tracked ones, and new
# ones that Git does not ignore.
list_sources() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cpp' '*.cu' "$@"
  else
    find . -path ./build -prune -o \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0
  fi
}
