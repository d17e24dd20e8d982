#!/usr/bin/env bash
# Compares what the plugin generates with protoc's own C++ output of the same schemas: text, compile time, machine code.
set -euo pipefail

usage() {
  cat <<'END'
usage: benchmarks/generated_cost.sh [--build-dir DIR] [--help]

For gtfs-realtime.proto and the OpenTelemetry trace schema of STRUCTTENSOR_DATA (default: ../shared/data beside the repository),
prints of ours and of protoc --cpp_out: bytes of generated text, seconds to compile all of it one file after another (-O2, the
best of three) and bytes of machine code and constants in the objects ("text" of size(1)). CXX names the compiler (default g++).

  --build-dir DIR   a build tree with the plugin (default: build/default)
  --help            print this text
END
}

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir="$root/build/default"
while (($# > 0)); do
  case "$1" in
    --help | -h) usage && exit ;;
    --build-dir) build_dir="$(realpath "${2:?--build-dir needs a folder}")" && shift ;;
    *) echo "generated_cost.sh: unknown argument '$1' (see --help)" >&2 && exit 2 ;;
  esac
  shift
done
data="${STRUCTTENSOR_DATA:-$(dirname "$root")/shared/data}"
plugin="$build_dir/bin/protoc-gen-structtensor"
if [[ ! -x "$plugin" ]]; then
  echo "generated_cost.sh: $plugin is not built; run tools/test build, or pass --build-dir" >&2
  exit 1
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# One include directory a folder: see cmake/StructtensorLibrary.cmake. The last one is for protobuf's own imported files.
our_includes=()
for folder in "$build_dir"/include/* "$build_dir/proto_schemas/well_known"; do our_includes+=("-I$folder"); done

# compile DIR [FLAG...]: compiles every source below DIR and prints the seconds that it took.
compile() {
  local folder="$1" source start=$EPOCHREALTIME
  shift
  while IFS= read -r source; do
    "${CXX:-g++}" -std=c++20 -O2 -c "-I$folder" "$@" "$source" -o "$source.o"
  done < <(find "$folder" -name '*.cc')
  awk -v from="$start" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f\n", to - from }'
}

# report SCHEMA NAME DIR [FLAG...]
report() {
  local schema="$1" name="$2" folder="$3" bytes seconds text
  shift 3
  bytes="$(find "$folder" \( -name '*.h' -o -name '*.cc' \) -exec cat {} + | wc -c)"
  seconds="$(for _ in 1 2 3; do compile "$folder" "$@"; done | sort -n | head -n 1)"
  text="$(find "$folder" -name '*.o' -exec size {} + | awk '$1 ~ /^[0-9]+$/ && $6 != "(TOTALS)" { sum += $1 } END { print sum }')"
  printf '%-14s %-12s %12d %10.2f %12d\n' "$schema" "$name" "$bytes" "$seconds" "$text"
}

# schema NAME FOLDER PROTO...
schema() {
  local name="$1" folder="$data/$2"
  shift 2
  if [[ ! -d "$folder" ]]; then
    echo "generated_cost.sh: $folder is not there (set STRUCTTENSOR_DATA)" >&2
    return
  fi
  mkdir -p "$work/$name/ours" "$work/$name/protoc"
  protoc "--plugin=$plugin" "-I$folder" --structtensor_opt=warnings=off "--structtensor_out=$work/$name/ours" \
    "--cpp_out=$work/$name/protoc" "$@"
  report "$name" structtensor "$work/$name/ours" "${our_includes[@]}"
  report "$name" protoc "$work/$name/protoc"
}

printf '%-14s %-12s %12s %10s %12s\n' schema generator 'text bytes' 'compile s' 'object bytes'
schema gtfs-realtime gtfsrt_nyct gtfs-realtime.proto
schema otlp otlp_traces_astronomy opentelemetry/proto/{common/v1/common,resource/v1/resource,trace/v1/trace}.proto
