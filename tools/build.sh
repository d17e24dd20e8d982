# Functions that configure, build and test a build tree. Other scripts source this file from the top folder, after tools/setup.

# Paths are taken relative to the repository, so that all build trees and clones share ccache's results.
export CCACHE_BASEDIR="${CCACHE_BASEDIR-$PWD}" CCACHE_NOHASHDIR=1

# structtensor_configure NAME [--preset PRESET] [CMAKE OPTION...]: configures the build tree build/NAME with the preset (default: NAME).
# The output is shown only if it fails. If the options have a CMAKE_PREFIX_PATH that the build tree was not configured with, packages
# that were found before are looked for again.
structtensor_configure() {
  local name="$1" preset="$1" log="build/$1-configure.log" python
  shift
  if [[ "${1-}" == --preset ]]; then
    preset="$2"
    shift 2
  fi
  python="$(structtensor_python)" || return
  mkdir -p build
  local option fresh=()
  for option in "$@"; do
    if [[ "$option" == -DCMAKE_PREFIX_PATH=* && -e "build/$name/CMakeCache.txt" ]] &&
      ! grep --quiet --fixed-strings --line-regexp "CMAKE_PREFIX_PATH:UNINITIALIZED=${option#*=}" "build/$name/CMakeCache.txt"; then
      fresh=(--fresh)
    fi
  done
  if ! cmake "${fresh[@]}" --preset "$preset" -B "build/$name" "-DSTRUCTTENSOR_PYTHON=$python" \
    "-DSTRUCTTENSOR_SIMDJSON_SOURCE=$(structtensor_simdjson)" "-DSTRUCTTENSOR_DATA=${STRUCTTENSOR_DATA-}" --no-warn-unused-cli "$@" \
    >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

# structtensor_build NAME [TARGET...]: builds in build/NAME. Shows progress on a terminal, otherwise only the compilers' messages.
structtensor_build() {
  local name="$1" targets=() quiet=()
  shift
  if (($# > 0)); then targets=(--target "$@"); fi
  if [[ ! -t 1 ]]; then quiet=(-- --quiet); fi
  cmake --build "build/$name" "${targets[@]}" "${quiet[@]}"
}

# structtensor_run_tests NAME [CTEST OPTION...]: runs the tests in build/NAME. At the end it prints how many googletests ran in ctest's
# programs, which tests failed, and why tests were skipped. Fails if a test failed or no test ran.
structtensor_run_tests() {
  local name="$1" log="build/$1/Testing/Temporary/LastTest.log" status=0 ran skipped
  shift
  rm -f "$log"
  ctest --test-dir "build/$name" --output-on-failure --parallel "${STRUCTTENSOR_JOBS:-$(nproc)}" "$@" || status=$?
  # With GTEST_BRIEF, each program's log only has the failed tests, the skipped tests, and the counts.
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

# structtensor_install_package FOLDER: builds the Python package in build/python and installs it in FOLDER, which is emptied first.
# It is compiled with the flags of the preset `default`, so ccache provides the objects that both have in common. These flags are for
# tests: to measure speed, take the wheel. The extension module is linked with the protobuf that CMake finds. So it works on this
# machine, but not in one process with TensorFlow, which needs the wheel.
structtensor_install_package() {
  structtensor_configure python --preset default -DSTRUCTTENSOR_BUILD_PYTHON=ON \
    -DSTRUCTTENSOR_BUILD_{CONVERTER,EXAMPLES,TESTS}=OFF
  structtensor_build python _core structtensor_tensorflow
  structtensor_copy_package python "$1"
}

# structtensor_copy_package NAME FOLDER: installs the Python package that was built in build/NAME in FOLDER, which is emptied first.
structtensor_copy_package() {
  rm -rf "$2" && mkdir -p "$2"
  cp -r python/structtensor "$2/"
  cmake --install "build/$1" --component python --prefix "$2" >/dev/null
}

# structtensor_install_wheel FOLDER: installs the wheel of the Python package in FOLDER, which is emptied first.
structtensor_install_wheel() {
  local site="$1" wheel
  wheel="$(structtensor_wheel)" || return
  rm -rf "$site"
  "$(structtensor_python)" -m pip install --quiet --disable-pip-version-check --no-deps --target "$site" "$wheel"
}

# Prints the path of a wheel of the Python package: STRUCTTENSOR_WHEEL, or one that is built now.
structtensor_wheel() {
  if [[ -n "${STRUCTTENSOR_WHEEL-}" ]]; then echo "$STRUCTTENSOR_WHEEL"; else tools/wheel; fi
}
