#include "structtensor/io/duckdb/internal/c_api.h"

#include <dlfcn.h>

#include <memory>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"

namespace structtensor::duckdb_internal {
namespace {

struct LoadedLibrary {
  void* library = nullptr;
  std::string name;
  CApi api;
};

std::mutex loading;
// Set once, and never destroyed: threads of DuckDB may outlive main.
const LoadedLibrary* loaded = nullptr;

// "is DuckDB v1.3.2", or "is not DuckDB".
std::string WhatItIs(void* library) {
  void* const version = dlsym(library, "duckdb_library_version");
  if (version == nullptr) return "is not DuckDB";
  return absl::StrCat("is DuckDB ", reinterpret_cast<const char* (*)()>(version)());
}

}  // namespace

absl::Status LoadApi(const std::string& library) {
  const std::lock_guard<std::mutex> lock(loading);
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const problem = dlerror();
    return absl::NotFoundError(absl::StrCat("cannot load the library of DuckDB: ", problem == nullptr ? library : problem));
  }
  if (loaded != nullptr) {
    if (loaded->library == handle) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("cannot load ", library, ": this process has already loaded DuckDB from ", loaded->name));
  }
  auto now = std::make_unique<LoadedLibrary>();
  now->library = handle;
  now->name = library;
  const char* missing = nullptr;
#define STRUCTTENSOR_DUCKDB_FIND(result, name, parameters)                                \
  now->api.name = reinterpret_cast<result(*) parameters>(dlsym(handle, "duckdb_" #name)); \
  if (now->api.name == nullptr && missing == nullptr) missing = "duckdb_" #name;
  STRUCTTENSOR_DUCKDB_FUNCTIONS(STRUCTTENSOR_DUCKDB_FIND)
#undef STRUCTTENSOR_DUCKDB_FIND
  if (missing != nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(library, " ", WhatItIs(handle), ": it has no function ", missing,
                                                      "; expected the library of DuckDB 1.4 or newer"));
  }
  loaded = now.release();
  return absl::OkStatus();
}

const CApi& Api() { return loaded->api; }

}  // namespace structtensor::duckdb_internal
