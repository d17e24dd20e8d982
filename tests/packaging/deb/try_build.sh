# Runs on a bare system on which all packages were installed: builds examples/ingest against the static and the shared library.
set -eu
cd "$(dirname "$0")"
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(try_packages CXX)
find_package(structtensor CONFIG REQUIRED COMPONENTS runtime compiler)
add_executable(ingest ingest.cc)
structtensor_generate(TARGET ingest PROTOS recipe.proto)
add_executable(ingest_shared ingest.cc)
structtensor_generate(TARGET ingest_shared PROTOS recipe.proto SHARED)
END
cmake -B build >/dev/null
cmake --build build >/dev/null
protoc --structtensor_out=. recipe.proto
g++ -std=c++20 -o build/by_pkg_config ingest.cc recipe.structtensor.cc $(pkg-config --cflags --libs structtensor)
for program in ingest ingest_shared by_pkg_config; do
  "build/$program" >printed.txt
  grep -q '^  sugar, 1 CUP$' printed.txt || {
    echo "$program printed:" && cat printed.txt && exit 1
  }
done
