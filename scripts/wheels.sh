# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by scripts/setup: what pip installs. Each set of wheels is a folder of the cache, named by the hash of its
# pins; it is made beside its place and moved there, so it is there in full or not at all.

cache=${GRADPROOF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gradproof}

# hash_of <word>...: the name of a folder of the cache.
hash_of() { printf '%s\n' "$@" | sort | sha256sum | cut -c1-16; }

# make_venv <directory>: sets stage, a folder beside the directory, and makes the virtual environment $stage/venv.
make_venv() {
  mkdir -p "$cache"
  stage=$(mktemp -d "$1.XXXXXX")
  trap 'rm -rf "$stage"' EXIT
  python3 -m venv "$stage/venv" || fail 3 "python3 -m venv failed; on Debian and Ubuntu: apt-get install python3-venv"
  mkdir "$stage/tmp"
}

# pip_install <argument>...: into $stage/venv. It compiles nothing: torch alone has thousands of modules.
pip_install() {
  # TMPDIR: pip unpacks there and then moves, which is a rename only within one file system.
  TMPDIR=$stage/tmp "$stage/venv/bin/pip" install --quiet --disable-pip-version-check --no-compile "$@" ||
    fail 3 "pip could not install: $*"
}

# publish <made> <directory>
publish() {
  # Another run may have been faster: its result is as good.
  mv -T "$1" "$2" 2>/dev/null || [ -d "$2" ]
  rm -rf "$stage"
  trap - EXIT
}

# make_slim <directory> <requirement>...: the files of these wheels alone, for C++; nothing there can be imported.
make_slim() {
  local directory=$1
  shift
  say "downloading into $directory: $*"
  make_venv "$directory"
  pip_install --no-deps --target "$stage/site" "$@"
  # nvcc looks for its libraries in lib64, the wheels have lib.
  [ ! -d "$stage/site/nvidia/cu13/lib" ] || ln -sfn lib "$stage/site/nvidia/cu13/lib64"
  publish "$stage/site" "$directory"
}

# borrow_slim <slim> <site>: hard links to what the slim folder has; pip takes it as installed. Where that is not
# possible, pip downloads it again.
borrow_slim() {
  local extension
  extension=$(python3 -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
  [ -e "$1/torch/_C$extension" ] || return 0  # the folder was made by another Python
  if cp -al "$1" "$stage/borrowed" 2>/dev/null; then
    mv "$stage/borrowed"/* "$2"
  fi
}

# make_python <directory> <slim, may be empty> <requirement>...: a virtual environment in which torch can be imported.
make_python() {
  local directory=$1 slim=$2 site
  shift 2
  say "installing into $directory: $*"
  make_venv "$directory"
  site=$("$stage/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  borrow_slim "$slim" "$site"
  pip_install "$@"
  "$stage/venv/bin/python" -c 'import numpy, pytest, torch' || fail 3 "torch was installed but cannot be imported"
  # Now once, on all cores; the first import would do it otherwise. A file for another Python is no error.
  "$stage/venv/bin/python" -m compileall -qq -j 0 "$site" || true
  # An environment knows its own path, and moves now.
  grep -rlIZ "$stage/venv" "$stage/venv/bin" "$stage/venv/pyvenv.cfg" |
    xargs -0 sed -i "s|$stage/venv|$directory|g"
  publish "$stage/venv" "$directory"
}
