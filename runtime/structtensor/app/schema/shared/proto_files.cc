#include "structtensor/app/schema/shared/proto_files.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/core/base/shared/printable_path.h"

namespace structtensor::schema_internal {

namespace fs = std::filesystem;

absl::StatusOr<std::vector<std::string>> FindProtoFiles(const std::vector<std::string>& folders) {
  constexpr size_t kMaxFiles = 2000;
  std::vector<std::string> protos;
  std::set<std::string> seen;
  for (const std::string& folder : folders) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      std::error_code of_entry;
      if (entry->path().extension() == ".proto" && seen.insert(fs::weakly_canonical(entry->path(), of_entry).string()).second) {
        protos.push_back(entry->path().string());
      }
      if (protos.size() > kMaxFiles) {
        return absl::InvalidArgumentError(absl::StrCat(base_internal::PrintablePath(folder), ": more than ", kMaxFiles,
                                                       " .proto files; name the ones to read"));
      }
    }
    if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot read ", base_internal::PrintablePath(folder)));
  }
  if (protos.empty()) {
    return absl::NotFoundError(absl::StrCat("no .proto file below ", absl::StrJoin(folders, ", ")));
  }
  std::sort(protos.begin(), protos.end());
  return protos;
}

}  // namespace structtensor::schema_internal
