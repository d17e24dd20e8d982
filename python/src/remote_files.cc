// s3:// and gs:// paths by pyarrow. structtensor/io/column_files/remote_file_systems.cc does the same by Arrow C++, which
// the package does not have.
//
// Threads without the interpreter's lock call these functions. Each call holds the lock until it returns; pyarrow releases it
// while it waits for the network.
#include "structtensor/io/remote_files/remote_files.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "bindings.h"
#include "convert.h"
#include "interpreter_lock.h"
#include "python_calls.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/core/base/shared/without_sigpipe.h"
#include "structtensor/io/column_files/remote_file_systems.h"
#include "structtensor/io/column_files/shared/remote_errors.h"

namespace structtensor {
namespace {

namespace nb = nanobind;

using base_internal::WithoutSigpipe;
using column_files_internal::RemoteError;
using python::Held;

nb::object TextOfBytes(std::string_view bytes) {
  nb::object text = nb::steal(PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
  if (!text.is_valid()) throw nb::python_error();
  return text;
}

// Calls a function of structtensor._remote_files with `arguments` and the parts of a path, and then `use` with its result.
template <typename Use, typename... Arguments>
absl::Status Call(const char* function, const std::string& path, Use use, Arguments... arguments) {
  const WithoutSigpipe guard;
  const absl::Status status = python::WithPython("", false, [&] {
    const RemotePath parts = SplitRemotePath(path);
    const nb::object called = nb::module_::import_("structtensor._remote_files").attr(function);
    use(called(arguments..., TextOfBytes(parts.bucket), TextOfBytes(parts.key), TextOfBytes(parts.options)));
    return absl::OkStatus();
  });
  // An error without errno is an error of the network, reported by the library.
  const bool of_library = status.code() == absl::StatusCode::kInternal;
  if (status.ok() || status.code() == absl::StatusCode::kFailedPrecondition) return status;
  const absl::string_view text = status.message();
  return RemoteError(of_library ? absl::StatusCode::kUnavailable : status.code(), {text.data(), text.size()});
}

RemoteFiles::Entry EntryOf(nb::handle object) {
  const auto entry = nb::borrow<nb::tuple>(object);
  return {.key = python::FilePathOf(entry[0], "a key"),
          .is_folder = nb::cast<bool>(entry[1]),
          .size_bytes = nb::cast<int64_t>(entry[2])};
}

class PythonRemoteFile : public RemoteFile {
 public:
  PythonRemoteFile(std::unique_ptr<Held> file, int64_t size_bytes) : file_(std::move(file)), size_bytes_(size_bytes) {}

  int64_t size_bytes() const override { return size_bytes_; }

  absl::Status ReadAt(int64_t offset, size_t size_bytes, char* to) override {
    const WithoutSigpipe guard;
    bool whole = false;
    const absl::Status read = python::WithPython("", false, [&] {
      const auto bytes = nb::cast<nb::bytes>((*file_)->attr("read_at")(size_bytes, offset));
      whole = bytes.size() == size_bytes;
      if (whole) std::memcpy(to, bytes.c_str(), size_bytes);
      return absl::OkStatus();
    });
    const absl::string_view text = read.message();
    if (!read.ok()) return RemoteError(absl::StatusCode::kUnavailable, {text.data(), text.size()});
    return whole ? absl::OkStatus() : absl::UnavailableError("the file is shorter than it was when it was opened");
  }

 private:
  const std::unique_ptr<Held> file_;
  const int64_t size_bytes_;
};

class PythonRemoteFiles : public RemoteFiles {
 public:
  absl::StatusOr<std::optional<Entry>> Find(const std::string& path) override {
    std::optional<Entry> entry;
    const absl::Status status = Call("find", path, [&entry](const nb::object& found) {
      if (!found.is_none()) entry = EntryOf(found);
    });
    if (!status.ok()) return status;
    return entry;
  }

  absl::StatusOr<std::vector<Entry>> List(const std::string& path) override {
    std::vector<Entry> entries;
    const absl::Status status = Call("list_folder", path, [&entries](const nb::object& found) {
      for (const nb::handle each : nb::borrow<nb::list>(found)) entries.push_back(EntryOf(each));
    });
    if (!status.ok()) return status;
    return entries;
  }

  absl::StatusOr<std::unique_ptr<RemoteFile>> Open(const std::string& path) override {
    std::unique_ptr<RemoteFile> file;
    const absl::Status status = Call("open_file", path, [&file](const nb::object& opened) {
      const auto size_bytes = nb::cast<int64_t>(opened.attr("size")());
      file = std::make_unique<PythonRemoteFile>(std::make_unique<Held>(opened), size_bytes);
    });
    if (!status.ok()) return status;
    return file;
  }

  absl::Status Upload(int fd, int64_t size_bytes, const std::string& path, const std::atomic<bool>& cancelled) override {
    bool complete = false;
    // upload() calls the function and does not keep it.
    const auto make_is_cancelled = [&cancelled] {
      const nb::gil_scoped_acquire lock;
      return std::make_unique<Held>(nb::cpp_function([&cancelled] { return cancelled.load(); }));
    };
    const std::unique_ptr<Held> is_cancelled = make_is_cancelled();
    const absl::Status status = Call(
        "upload", path, [&complete](const nb::object& result) { complete = nb::cast<bool>(result); }, fd, size_bytes,
        nb::handle(**is_cancelled));
    if (!status.ok()) return status;
    return complete ? absl::OkStatus() : absl::CancelledError("interrupted");
  }

  absl::Status Remove(const std::string& path) override {
    return Call("remove", path, [](const nb::object&) {});
  }
};

// The files that the paths match.
nb::list ExpandPaths(nb::handle paths) {
  std::vector<std::string> inputs;
  for (const nb::handle path : nb::list(paths)) inputs.push_back(python::FilePathOf(path, "paths"));
  absl::StatusOr<std::vector<std::string>> expanded;
  {
    const python::WithoutInterpreterLock unlocked;  // listing a folder of a remote file system takes time
    expanded = ExpandInputs(inputs);
  }
  nb::list files;
  for (const std::string& file : python::Unwrap(std::move(expanded), {.not_found = PyExc_FileNotFoundError})) {
    files.append(TextOfBytes(file));
  }
  return files;
}

// The size of a remote file, and its first bytes; at most `size_bytes` of them. Errors are thrown with the path.
nb::tuple BeginOf(nb::handle path_object, size_t size_bytes) {
  const std::string path = python::FilePathOf(path_object, "path");
  absl::StatusOr<RemoteFiles*> files = FindRemoteFiles();
  absl::StatusOr<std::unique_ptr<RemoteFile>> file = files.ok() ? (*files)->Open(path) : files.status();
  absl::Status status = file.status();
  std::string begin;
  if (status.ok()) {
    begin.resize(std::min(size_bytes, static_cast<size_t>((*file)->size_bytes())));
    if (!begin.empty()) status = (*file)->ReadAt(0, begin.size(), begin.data());
  }
  if (!status.ok()) {
    python::Throw(absl::Status(status.code(), absl::StrCat(DisplayPath(path), ": ", status.message())),
                  {.not_found = PyExc_FileNotFoundError});
  }
  return nb::make_tuple((*file)->size_bytes(), nb::bytes(begin.data(), begin.size()));
}

}  // namespace

RemoteFileSystems::RemoteFileSystems() : files_(std::make_unique<PythonRemoteFiles>()) { UseRemoteFiles(files_.get()); }
RemoteFileSystems::~RemoteFileSystems() { UseRemoteFiles(nullptr); }

namespace python {

void BindRemoteFiles(nb::module_& module) {
  // Never destroyed: objects that exist when the interpreter ends may still use it. pyarrow ends its S3 itself.
  static auto* const remote = new RemoteFileSystems;
  static_cast<void>(remote);
  module.def(
      "_keep_for_good", [](nb::object object) { object.release(); }, nb::arg("object"));
  module.def("_expand_paths", ExpandPaths, nb::arg("paths"));
  module.def("_begin_of_remote", BeginOf, nb::arg("path"), nb::arg("size_bytes"));
  module.def(
      "_split_remote_path",
      [](nb::handle path_object) {
        const std::string path = FilePathOf(path_object, "path");
        const RemotePath parts = SplitRemotePath(path);
        return nb::make_tuple(TextOfBytes(parts.bucket), TextOfBytes(parts.key), TextOfBytes(parts.options));
      },
      nb::arg("path"));
  module.def(
      "_is_remote_path", [](nb::handle path) { return IsRemotePath(FilePathOf(path, "path")); }, nb::arg("path"));
  module.def(
      "_display_path", [](nb::handle path) { return TextToPython(DisplayPath(FilePathOf(path, "path"))); }, nb::arg("path"));
}

}  // namespace python
}  // namespace structtensor
