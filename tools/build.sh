# Functions that configure, build and test a preset for the other scripts. Sourced, from the top folder, after tools/setup.

# Compilers' results serve all build trees and clones: paths are taken relative to the repository.
export CCACHE_BASEDIR="${CCACHE_BASEDIR-$PWD}" CCACHE_NOHASHDIR=1

# structtensor_configure PRESET [CMAKE OPTION...]: its output is shown only if it fails.
structtensor_configure() {
  local preset="$1" log="build/$1-configure.log" python
  shift
  python="$(structtensor_python)" || return
  mkdir -p build
  if ! cmake --preset "$preset" "-DSTRUCTTENSOR_PYTHON=$python" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

# structtensor_build PRESET [TARGET...]: with progress on a terminal, otherwise only with what the compilers say.
structtensor_build() {
  local preset="$1" targets=() quiet=()
  shift
  if (($# > 0)); then targets=(--target "$@"); fi
  if [[ ! -t 1 ]]; then quiet=(-- --quiet); fi
  cmake --build --preset "$preset" "${targets[@]}" "${quiet[@]}"
}

# structtensor_run_tests PRESET [CTEST OPTION...]: ends with how many googletests ran in the programs that ctest counts, which of them
# failed, and why some were skipped. Fails if one failed or none ran.
structtensor_run_tests() {
  local preset="$1" log="build/$1/Testing/Temporary/LastTest.log" status=0 ran skipped
  shift
  rm -f "$log"
  ctest --preset "$preset" --parallel "${STRUCTTENSOR_JOBS:-$(nproc)}" "$@" || status=$?
  # GTEST_BRIEF leaves of each program what failed, what was skipped, and the counts.
  sed -nE 's/^\[  FAILED  \] ([A-Za-z].*)/failed: \1/p; /: Skipped$/{n; s/^/skipped: /p}' "$log" | sort | uniq
  ran="$(awk '/^\[==========\] [0-9]+ tests? from .* ran\./ {ran += $2} END {print ran + 0}' "$log")"
  skipped="$(awk '/^\[  SKIPPED \] [0-9]+ tests?\./ {skipped += $4} END {print skipped + 0}' "$log")"
  echo "googletest: $((ran - skipped)) tests ran, $skipped were skipped"
  if ((status == 0 && ran == skipped)); then
    echo "tools/test: no googletest ran, so nothing was tested" >&2
    status=1
  fi
  return "$status"
}

# structtensor_install_package FOLDER: builds the wheel of the Python package and installs it there, in place of what was there.
structtensor_install_package() {
  local site="$1" wheel
  wheel="$(tools/wheel build/package)" || return
  rm -rf "$site"
  "$(structtensor_python)" -m pip install --quiet --disable-pip-version-check --no-deps --target "$site" "$wheel"
}
