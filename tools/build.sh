# Functions that configure and build a preset for tools/demo and tools/test. Sourced, from the top folder, after tools/setup.

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
