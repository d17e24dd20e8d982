#include "structtensor/io/remote_files/remote_files.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "structtensor/core/base/shared/printable_path.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/remote_files/shared/listed_files.h"

namespace structtensor {
namespace {

using remote_files_internal::Listed;
using remote_files_internal::ListFolder;
using Entry = RemoteFiles::Entry;

constexpr std::string_view kSchemeEnd = "://";

std::atomic<RemoteFiles*> remote_files{nullptr};

// Files that listings have named. The code that reads the files expands the same paths again: a thousand files would cost a
// thousand requests. If a file has disappeared meanwhile, opening it reports that.
class KnownFiles {
 public:
  void Clear() {
    const std::lock_guard lock(mutex_);
    paths_.clear();
  }
  void Add(const std::string& path) {
    constexpr size_t kMaxPaths = 100'000;
    const std::lock_guard lock(mutex_);
    if (paths_.size() < kMaxPaths) paths_.insert(path);
  }
  bool Has(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return paths_.contains(path);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> paths_;
};

KnownFiles& Known() {
  static auto* const known = new KnownFiles;
  return *known;
}

std::string Joined(const RemotePath& path, std::string_view key) {
  return absl::StrCat(ToAbsl(path.bucket), key.empty() ? "" : "/", ToAbsl(key), ToAbsl(path.options));
}

std::string_view NameOf(std::string_view key) { return key.substr(key.rfind('/') + 1); }

absl::Status InPath(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(DisplayPath(path), ": ", status.message()));
}

// "a/b" for "/a//b": the keys of objects are taken to have no empty names, as the libraries take them.
std::string WithoutEmptyNames(std::string_view key) {
  return absl::StrJoin(absl::StrSplit(ToAbsl(key), '/', absl::SkipEmpty()), "/");
}

// Lists folders of the bucket of `path`, by their keys.
ListFolder FoldersOf(RemoteFiles& files, const RemotePath& path) {
  return [&files, &path](const std::string& folder) -> absl::StatusOr<std::vector<Listed>> {
    const std::string full = Joined(path, std::string_view(folder).substr(0, folder.size() - (folder.empty() ? 0 : 1)));
    absl::StatusOr<std::vector<Entry>> entries = files.List(full);
    if (!entries.ok()) return InPath(full, entries.status());
    std::vector<Listed> listed;
    for (const Entry& entry : *entries) listed.push_back({std::string(NameOf(entry.key)), entry.is_folder});
    return listed;
  };
}

}  // namespace

bool IsRemotePath(std::string_view path) { return path.starts_with("s3://") || path.starts_with("gs://"); }

RemotePath SplitRemotePath(std::string_view path) {
  RemotePath parts;
  // The options begin at the first '?', so keys with a '?' are not supported. They are not needed.
  const size_t options = std::min(path.find('?'), path.size());
  parts.options = path.substr(options);
  path = path.substr(0, options);
  const size_t slash = std::min(path.find('/', path.find(kSchemeEnd) + kSchemeEnd.size()), path.size());
  parts.bucket = path.substr(0, slash);
  parts.key = path.substr(std::min(slash + 1, path.size()));
  while (parts.key.ends_with('/')) parts.key.remove_suffix(1);
  return parts;
}

std::string RemotePathBelow(const std::string& path, std::string_view name) {
  const RemotePath parts = SplitRemotePath(path);
  return Joined(parts, absl::StrCat(ToAbsl(parts.key), parts.key.empty() ? "" : "/", ToAbsl(name)));
}

std::string DisplayPath(std::string_view path) {
  if (!IsRemotePath(path)) return base_internal::PrintablePath(path);
  const RemotePath parts = SplitRemotePath(path);
  const size_t authority = parts.bucket.find(kSchemeEnd) + kSchemeEnd.size();
  const size_t user_end = parts.bucket.rfind('@');
  const size_t bucket = user_end == std::string_view::npos ? authority : user_end + 1;
  return base_internal::PrintablePath(absl::StrCat(ToAbsl(parts.bucket.substr(0, authority)),
                                                   ToAbsl(parts.bucket.substr(bucket)), parts.key.empty() ? "" : "/",
                                                   ToAbsl(parts.key)));
}

std::string_view PathWithoutOptions(std::string_view path) {
  return IsRemotePath(path) ? path.substr(0, path.find('?')) : path;
}

void UseRemoteFiles(RemoteFiles* files) {
  Known().Clear();
  remote_files = files;
}

absl::StatusOr<RemoteFiles*> FindRemoteFiles() {
  if (RemoteFiles* const files = remote_files) return files;
  return absl::UnimplementedError(
      "this program has no access to s3:// and gs:// paths: it needs Arrow C++ with S3 or GCS, and a RemoteFileSystems "
      "(structtensor/io/column_files/remote_file_systems.h) while it uses them");
}

absl::StatusOr<std::vector<std::string>> ExpandRemotePath(const std::string& path) {
  if (Known().Has(path)) return std::vector<std::string>{path};
  const absl::StatusOr<RemoteFiles*> files = FindRemoteFiles();
  if (!files.ok()) return InPath(path, files.status());
  const RemotePath parts = SplitRemotePath(path);
  const ListFolder list = FoldersOf(**files, parts);
  absl::StatusOr<std::vector<std::string>> keys;
  const bool pattern = parts.key.find('*') != std::string_view::npos;
  if (pattern) {
    keys = FilesThatFit(list, /*has_file=*/nullptr, WithoutEmptyNames(parts.key));
  } else {
    const absl::StatusOr<std::optional<Entry>> found = (*files)->Find(path);
    if (!found.ok()) return InPath(path, found.status());
    if (!found->has_value()) return InPath(path, absl::NotFoundError("there is no such file or folder"));
    if (!(*found)->is_folder) {
      Known().Add(path);
      return std::vector<std::string>{path};
    }
    keys = FilesInFolder(list, absl::StrCat(ToAbsl(parts.key), parts.key.empty() ? "" : "/"));
  }
  STRUCTTENSOR_RETURN_IF_ERROR(keys.status());
  if (keys->empty()) {
    return InPath(path, absl::NotFoundError(pattern ? "no file matches" : "a folder without files"));
  }
  for (std::string& key : *keys) {
    key = Joined(parts, key);
    Known().Add(key);
  }
  return keys;
}

}  // namespace structtensor
