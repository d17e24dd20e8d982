#include "structtensor/io/remote_files/shared/listed_files.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/base/shared/temporaries.h"

namespace structtensor::remote_files_internal {
namespace {

constexpr int kMaxPartitionFolders = 100;  // inside each other

absl::Status AddFilesIn(const ListFolder& list, const std::string& folder, int max_depth, std::vector<std::string>& files) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Listed> entries, list(folder));
  for (const Listed& entry : entries) {
    if (entry.name.empty() || entry.name.starts_with('.') || base_internal::IsTemporaryName(entry.name)) continue;
    std::string path = absl::StrCat(folder, entry.name);
    if (!entry.is_folder) {
      if (!entry.name.starts_with('_')) files.push_back(std::move(path));
    } else if (max_depth > 0 && entry.name.find('=', 1) != std::string::npos && !entry.is_link) {
      STRUCTTENSOR_RETURN_IF_ERROR(AddFilesIn(list, absl::StrCat(path, "/"), max_depth - 1, files));
    }
  }
  return absl::OkStatus();
}

// Adds the files below `folder` that fit. `found`: `folder` comes after a '*', so it need not exist.
absl::Status AddFitting(const ListFolder& list, const HasFile& has_file, const std::string& folder, std::string_view pattern,
                        bool found, std::vector<std::string>& files) {
  const std::string_view step = pattern.substr(0, pattern.find('/'));
  const bool last = step.size() == pattern.size();
  const std::string_view rest = last ? "" : pattern.substr(step.size() + 1);
  const bool literal = step.find('*') == std::string_view::npos;
  if (literal && !last) return AddFitting(list, has_file, absl::StrCat(folder, ToAbsl(step), "/"), rest, found, files);
  if (literal && has_file != nullptr) {
    std::string path = absl::StrCat(folder, ToAbsl(step));
    if (has_file(path)) files.push_back(std::move(path));
    return absl::OkStatus();
  }
  const absl::StatusOr<std::vector<Listed>> entries = list(folder);
  if (found && absl::IsNotFound(entries.status())) return absl::OkStatus();
  STRUCTTENSOR_RETURN_IF_ERROR(entries.status());
  for (const Listed& entry : *entries) {
    if (entry.name.empty() || !FitsPattern(entry.name, step)) continue;
    if (!literal && base_internal::IsTemporaryName(entry.name)) continue;
    // A folder does not fit the last step of a pattern, and a file fits no other.
    if (last == entry.is_folder) continue;
    if (last) {
      files.push_back(absl::StrCat(folder, entry.name));
    } else {
      const std::string below = absl::StrCat(folder, entry.name, "/");
      STRUCTTENSOR_RETURN_IF_ERROR(AddFitting(list, has_file, below, rest, /*found=*/true, files));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool FitsPattern(std::string_view name, std::string_view pattern) {
  if (name.starts_with('.') && !pattern.starts_with('.')) return false;
  size_t at = 0;
  size_t next = 0;  // in the pattern
  // The place of the last '*', and the place in the name where the pattern after it was tried last.
  size_t star = std::string_view::npos;
  size_t tried = 0;
  while (at < name.size()) {
    if (next < pattern.size() && pattern[next] == '*') {
      star = next++;
      tried = at;
    } else if (next < pattern.size() && pattern[next] == name[at]) {
      ++at;
      ++next;
    } else if (star != std::string_view::npos) {
      next = star + 1;
      at = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', next) == std::string_view::npos;
}

absl::StatusOr<std::vector<std::string>> FilesInFolder(const ListFolder& list, const std::string& folder) {
  std::vector<std::string> files;
  STRUCTTENSOR_RETURN_IF_ERROR(AddFilesIn(list, folder, kMaxPartitionFolders, files));
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<std::vector<std::string>> FilesThatFit(const ListFolder& list, const HasFile& has_file,
                                                      std::string_view pattern) {
  std::vector<std::string> files;
  STRUCTTENSOR_RETURN_IF_ERROR(AddFitting(list, has_file, "", pattern, /*found=*/false, files));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace structtensor::remote_files_internal
