#include "structtensor/io/remote_files/remote_files.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/printable_path.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/base/shared/temporaries.h"

namespace structtensor {
namespace {

using Entry = RemoteFiles::Entry;

constexpr std::string_view kSchemeEnd = "://";
constexpr int kMaxPartitionFolders = 100;  // inside each other

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

// One expansion.
class Expansion {
 public:
  Expansion(RemoteFiles& files, const RemotePath& path) : files_(files), path_(path) {}

  // Adds the files in a folder, and in its folders of partitions.
  absl::Status AddFolder(std::string_view key, int max_depth) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Entry> entries, List(key));
    for (const Entry& entry : entries) {
      const std::string_view name = NameOf(entry.key);
      if (name.empty() || name.starts_with('.') || base_internal::IsTemporaryName(name)) continue;
      if (!entry.is_folder) {
        if (!name.starts_with('_')) keys_.push_back(entry.key);
      } else if (max_depth > 0 && name.find('=', 1) != std::string_view::npos) {
        STRUCTTENSOR_RETURN_IF_ERROR(AddFolder(entry.key, max_depth - 1));
      }
    }
    return absl::OkStatus();
  }

  // Adds the files below the folder `key` that fit `pattern`. `found`: the folder is known to exist.
  absl::Status AddFitting(const std::string& key, std::string_view pattern, bool found = false) {
    const std::string_view step = pattern.substr(0, pattern.find('/'));
    const bool last = step.size() == pattern.size();
    const std::string_view rest = last ? "" : pattern.substr(step.size() + 1);
    if (!last && step.find('*') == std::string_view::npos) {
      return AddFitting(absl::StrCat(key, key.empty() ? "" : "/", ToAbsl(step)), rest, found);
    }
    absl::StatusOr<std::vector<Entry>> entries = List(key);
    // Not every folder that fits so far has the folders that the pattern names next.
    if (found && absl::IsNotFound(entries.status())) return absl::OkStatus();
    STRUCTTENSOR_RETURN_IF_ERROR(entries.status());
    for (const Entry& entry : *entries) {
      if (NameOf(entry.key).empty() || !FitsPattern(NameOf(entry.key), step)) continue;
      if (last && !entry.is_folder) keys_.push_back(entry.key);
      if (!last && entry.is_folder) STRUCTTENSOR_RETURN_IF_ERROR(AddFitting(entry.key, rest, true));
    }
    return absl::OkStatus();
  }

  std::vector<std::string> TakeSorted() {
    std::sort(keys_.begin(), keys_.end());
    std::vector<std::string> paths;
    for (const std::string& key : keys_) {
      paths.push_back(Joined(path_, key));
      Known().Add(paths.back());
    }
    return paths;
  }

 private:
  absl::StatusOr<std::vector<Entry>> List(std::string_view key) {
    const std::string folder = Joined(path_, key);
    absl::StatusOr<std::vector<Entry>> entries = files_.List(folder);
    return entries.ok() ? std::move(entries) : InPath(folder, entries.status());
  }

  RemoteFiles& files_;
  const RemotePath path_;
  std::vector<std::string> keys_;
};

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
  Expansion expansion(**files, parts);
  if (parts.key.find('*') != std::string_view::npos) {
    STRUCTTENSOR_RETURN_IF_ERROR(expansion.AddFitting("", parts.key));
    std::vector<std::string> fitting = expansion.TakeSorted();
    if (fitting.empty()) return InPath(path, absl::NotFoundError("there is no file that fits"));
    return fitting;
  }
  const absl::StatusOr<std::optional<Entry>> found = (*files)->Find(path);
  if (!found.ok()) return InPath(path, found.status());
  if (!found->has_value()) return InPath(path, absl::NotFoundError("there is no such file or folder"));
  if (!(*found)->is_folder) {
    Known().Add(path);
    return std::vector<std::string>{path};
  }
  STRUCTTENSOR_RETURN_IF_ERROR(expansion.AddFolder(parts.key, kMaxPartitionFolders));
  std::vector<std::string> in_folder = expansion.TakeSorted();
  if (in_folder.empty()) return InPath(path, absl::NotFoundError("a folder without files"));
  return in_folder;
}

}  // namespace structtensor
