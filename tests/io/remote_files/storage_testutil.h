// Remote files in memory.
#ifndef STRUCTTENSOR_TESTS_IO_REMOTE_FILES_STORAGE_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_IO_REMOTE_FILES_STORAGE_TESTUTIL_H_

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {

// All remote paths are files in here as long as it lives. There is one bucket, s3://bucket; options are ignored.
class RemoteFilesInMemory : public RemoteFiles {
 public:
  RemoteFilesInMemory() { UseRemoteFiles(this); }
  ~RemoteFilesInMemory() override { UseRemoteFiles(nullptr); }

  std::map<std::string, std::string> files;        // by key
  std::set<std::string> broken;                    // keys that cannot be uploaded
  std::vector<std::pair<int64_t, size_t>> ranges;  // that were read
  std::optional<int64_t> breaks_off;               // where reading fails
  std::map<std::string, int> finds;                // how often a key was looked for

  absl::StatusOr<std::optional<Entry>> Find(const std::string& path) override {
    const RemotePath parts = SplitRemotePath(path);
    const std::string key(parts.key);
    ++finds[key];
    if (DisplayPath(parts.bucket) != "s3://bucket") return std::nullopt;
    if (key.empty()) return Entry{.is_folder = true};
    if (const auto file = files.find(key); file != files.end()) {
      return Entry{.key = key, .size_bytes = static_cast<int64_t>(file->second.size())};
    }
    const auto below = files.lower_bound(key + "/");
    if (below == files.end() || !below->first.starts_with(key + "/")) return std::nullopt;
    return Entry{.key = key, .is_folder = true};
  }

  absl::StatusOr<std::vector<Entry>> List(const std::string& path) override {
    const absl::StatusOr<std::optional<Entry>> folder = Find(path);
    if (!folder->has_value()) return absl::NotFoundError("no folder");
    const std::string prefix = (*folder)->key.empty() ? "" : (*folder)->key + "/";
    std::map<std::string, Entry, std::greater<>> entries;  // in no order that a caller may count on
    for (const auto& [key, content] : files) {
      if (!key.starts_with(prefix)) continue;
      const std::string name = key.substr(0, key.find('/', prefix.size()));
      entries[name] = {.key = name, .is_folder = name != key, .size_bytes = static_cast<int64_t>(content.size())};
    }
    std::vector<Entry> list;
    for (const auto& [name, entry] : entries) list.push_back(entry);
    return list;
  }

  absl::StatusOr<std::unique_ptr<RemoteFile>> Open(const std::string& path) override {
    const auto file = files.find(std::string(SplitRemotePath(path).key));
    if (file == files.end()) return absl::NotFoundError("no file");
    return std::make_unique<File>(*this, file->second);
  }

  absl::Status Upload(int fd, int64_t size_bytes, const std::string& path, const std::atomic<bool>&) override {
    const std::string key(SplitRemotePath(path).key);
    if (broken.contains(key)) return absl::UnavailableError("the network is down");
    std::string content(static_cast<size_t>(size_bytes), '\0');
    if (pread(fd, content.data(), content.size(), 0) != size_bytes) return absl::InternalError("the file is shorter");
    files[key] = std::move(content);
    return absl::OkStatus();
  }

  absl::Status Remove(const std::string& path) override {
    return files.erase(std::string(SplitRemotePath(path).key)) == 1 ? absl::OkStatus() : absl::NotFoundError("no file");
  }

 private:
  class File : public RemoteFile {
   public:
    File(RemoteFilesInMemory& files, std::string content) : files_(files), content_(std::move(content)) {}

    int64_t size_bytes() const override { return static_cast<int64_t>(content_.size()); }
    absl::Status ReadAt(int64_t offset, size_t size_bytes, char* to) override {
      const std::lock_guard lock(files_.mutex_);
      files_.ranges.emplace_back(offset, size_bytes);
      const int64_t end = offset + static_cast<int64_t>(size_bytes);
      if (offset < 0 || end > this->size_bytes()) return absl::InternalError("a range that is not in the file");
      if (files_.breaks_off.has_value() && end > *files_.breaks_off) return absl::UnavailableError("the network is down");
      std::memcpy(to, content_.data() + offset, size_bytes);
      return absl::OkStatus();
    }

   private:
    RemoteFilesInMemory& files_;
    const std::string content_;
  };

  std::mutex mutex_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_IO_REMOTE_FILES_STORAGE_TESTUTIL_H_
